/** Forms of requests in which clients differ, where their meaning is clear. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setUpAccount, type AccountsService, type Answer } from "../support/accounts-app.ts";
import {
  actorOf,
  callback,
  connect,
  decide,
  errorOf,
  newClient,
  newOrganization,
  newPkce,
  register,
  requestOf,
  requestTokens,
  returnOf,
  tokensOf,
} from "./fixture.ts";

describe("an OAuth client", () => {
  let service: AccountsService;
  let cookie: string;
  let userId: string;
  setUpAccount((made) => ({ service, cookie, userId } = made));

  /** Goes from the authorization request to tokens. Lists of values are repeated parameters. */
  async function obtain(
    changes: Record<string, string | readonly string[] | undefined>,
    exchanged: Record<string, string | readonly string[]> = {},
    clientId?: string,
  ): Promise<{ consent: Answer; tokens: Answer; client_id: string }> {
    const client_id = clientId ?? (await newClient(service));
    const pkce = newPkce();
    const fields = { ...requestOf(service, client_id, pkce), ...changes };
    const target = `/oauth/authorize?${repeated(fields)}`;
    const opened = await service.call("GET", target, { cookie });
    const location = opened.headers.get("location");
    if (location === null) return { consent: opened, tokens: opened, client_id };
    const consent = await service.call("GET", location, { cookie });
    if (consent.status !== 200) return { consent, tokens: consent, client_id };
    const id = new URL(location, service.url).searchParams.get("request")!;
    const access = consent.text.includes('value="write"') ? "write" : "read";
    const tenantIds = [...consent.text.matchAll(/name="organization-(\w+)"/g)].map(([, one]) => one!);
    const decided = await decide(service, cookie, id, { access, tenantIds });
    const code = returnOf(decided).searchParams.get("code")!;
    const body = repeated({
      grant_type: "authorization_code",
      code,
      client_id,
      redirect_uri: fields.redirect_uri,
      code_verifier: pkce.verifier,
      ...exchanged,
    });
    const raw = { type: "application/x-www-form-urlencoded", body };
    return { consent, tokens: await service.call("POST", "/oauth/token", { raw }), client_id };
  }

  function repeated(fields: Record<string, string | readonly string[] | undefined>): string {
    const pairs = Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((one) => [name, one] as [string, string]),
    );
    return new URLSearchParams(pairs).toString();
  }

  it("names the resource with or without a slash, as the service, or not at all", async () => {
    const { url } = service;
    for (const [resource, path] of [
      [`${url}/mcp`, "/mcp"],
      [`${url}/mcp/`, "/mcp"],
      [`${url}/`, "/mcp"],
      [url, "/mcp"],
      ["", "/mcp"],
      [undefined, "/mcp"],
      [[`${url}/`, `${url}/mcp/`], "/mcp"],
      [`${url}/mcp/central/`, "/mcp/central"],
      [`${url}/mcp/central`, "/mcp/central"],
    ] as [string | string[] | undefined, string][]) {
      const named: Record<string, string | string[]> = resource === undefined ? {} : { resource };
      const { tokens, client_id } = await obtain({ resource }, named);
      assert.equal(tokens.status, 200, `${String(resource)}: ${tokens.text}`);
      const { access_token, refresh_token } = tokensOf(tokens);
      assert.equal((await actorOf(service, access_token, path)).userId, userId);
      const other = path === "/mcp" ? "/mcp/central" : "/mcp";
      await assert.rejects(actorOf(service, access_token, other), /for another resource/);
      const raw = {
        type: "application/x-www-form-urlencoded",
        body: repeated({ grant_type: "refresh_token", refresh_token, client_id, ...named }),
      };
      assert.equal((await service.call("POST", "/oauth/token", { raw })).status, 200, String(resource));
    }
  });

  it("can ask for several resources, all of which must be ours", async () => {
    const { url } = service;
    const [mcp, central] = [`${url}/mcp`, `${url}/mcp/central`];
    await newOrganization(service, cookie, "acme");
    const both = { resource: [central, mcp, `${mcp}/`], scope: undefined };
    const { consent, tokens, client_id } = await obtain(both, { resource: [mcp, central] });

    assert.match(consent.text, /Read and write, and use your hosted connectors/);
    assert.doesNotMatch(consent.text, /value="read"/);
    assert.equal(tokens.status, 200, tokens.text);
    const { access_token, refresh_token } = tokensOf(tokens);
    for (const path of ["/mcp", "/mcp/central"])
      assert.equal((await actorOf(service, access_token, path)).userId, userId);
    const { body } = await service.call("GET", "/api/user/grants", { cookie });
    const [grant] = body["data"] as object as { resource: string; moreResources?: string[] }[];
    assert.deepEqual([grant!.resource, grant!.moreResources], [mcp, [central]]);
    const renew = (resource: string[]) => {
      const form = repeated({ grant_type: "refresh_token", refresh_token, client_id, resource });
      return service.call("POST", "/oauth/token", {
        raw: { type: "application/x-www-form-urlencoded", body: form },
      });
    };
    assert.equal(errorOf(await renew([mcp, "https://other.example/mcp"])), "invalid_target");
    assert.equal((await renew([central])).status, 200);
    for (const resource of [
      [mcp, "https://other.example/mcp"],
      ["https://other.example/mcp", mcp],
      [mcp, `${mcp}#x`],
      [`${mcp} https://other.example/mcp`],
    ]) {
      const refused = await obtain({ resource });
      assert.equal(refused.consent.status, 400, resource.join());
      assert.match(refused.consent.text, new RegExp(`${mcp} or ${central}`), "both addresses are named");
    }
    const narrow = await obtain({}, { resource: [mcp, central] });
    assert.equal(errorOf(narrow.tokens), "invalid_target", "not more than was asked for");
  });

  it("asks for offline_access, alone too, and gets the refresh token that everyone gets", async () => {
    for (const scope of ["offline_access", "offline_access read", "openid offline_access write"]) {
      const { consent, tokens, client_id } = await obtain({ scope });
      assert.equal(consent.status, 200, `${scope}: ${consent.text}`);
      const { refresh_token } = tokensOf(tokens);
      const renewed = await requestTokens(service, {
        grant_type: "refresh_token",
        refresh_token,
        client_id,
        scope,
      });
      assert.equal(renewed.status, 200, `${scope}: ${renewed.text}`);
      assert.doesNotMatch(tokensOf(renewed).scope, /offline/);
    }
    const { consent } = await obtain({ scope: "openid profile" });
    assert.equal(consent.status, 400, "other unknown scopes alone ask for nothing that can be given");
  });

  it("registers an address with a slash, and listens without", async () => {
    const registered = await register(service, ["http://127.0.0.1/", "https://vscode.dev/redirect"]);
    const clientId = String(registered.body["client_id"]);
    for (const redirect_uri of ["http://127.0.0.1:33418", "http://127.0.0.1:33418/"]) {
      const { tokens } = await obtain({ redirect_uri }, {}, clientId);
      assert.equal(tokens.status, 200, `${redirect_uri}: ${tokens.text}`);
    }
  });
});

describe("an error of the OAuth endpoints", () => {
  let service: AccountsService;
  let cookie: string;
  setUpAccount((made) => ({ service, cookie } = made));

  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });

  it("has the form of its standard for each request that can't be read", async () => {
    const json = { type: "application/json", body: '{"grant_type":"refresh_token"}' };
    for (const path of ["/oauth/token", "/oauth/revoke"])
      for (const [raw, text] of [
        [json, /Send the parameters as a form \(application\/x-www-form-urlencoded\)/],
        [{ ...json, body: "{" }, /as a form/],
        [{ type: "text/plain", body: "grant_type=refresh_token" }, /as a form/],
        [{ type: "application/x-www-form-urlencoded", body: "" }, /required|missing/],
        [{ type: "multipart/form-data", body: "x" }, /could not be read/],
      ] as [{ type: string; body: string }, RegExp][]) {
        const answer = await service.call("POST", path, { raw });
        assert.equal(errorOf(answer), "invalid_request", answer.text);
        assert.match(answer.body.error_description!, text);
      }
    const empty = await service.call("POST", "/oauth/token");
    assert.equal(errorOf(empty), "invalid_request");
    const large = await service.call("POST", "/oauth/token", { urlencoded: { code: "x".repeat(300_000) } });
    assert.deepEqual([large.status, large.body.error], [413, "invalid_request"]);
  });

  it("has that form for other methods and failures of ours", async () => {
    for (const path of ["/oauth/token", "/oauth/register", "/oauth/revoke", "/api/auth/device/token"]) {
      const answer = await service.call("GET", path);
      assert.equal(answer.status, 405, path);
      assert.equal(answer.headers.get("allow"), "POST");
      assert.deepEqual(Object.keys(answer.body).sort(), ["error", "error_description"], path);
    }
    for (const path of ["/api/auth/device/code", "/api/auth/device/token"]) {
      const raw = { type: "application/json", body: "{" };
      assert.equal(errorOf(await service.call("POST", path, { raw })), "invalid_request");
    }
    assert.equal((await service.call("DELETE", "/api/user/profile")).body.success, false);
  });

  it("tells clients that authenticate with Basic that they have no secret", async () => {
    for (const path of ["/oauth/token", "/oauth/register", "/oauth/revoke", "/api/auth/device/token"]) {
      const answer = await service.call("POST", path, { urlencoded: {}, headers: basic("client:secret") });
      assert.deepEqual([answer.status, answer.body.error], [401, "invalid_client"], path);
      assert.match(answer.body.error_description!, /no secret here[^]*client_id as a parameter/);
      assert.match(answer.headers.get("www-authenticate")!, /^Basic /);
      assert.equal(answer.headers.get("cache-control"), "no-store");
    }
  });

  it("is not caused by a bearer token or cookie that a program sends with every request", async () => {
    const { tokens, clientId } = await connect(service, cookie);
    const urlencoded = {
      grant_type: "refresh_token",
      refresh_token: tokens.refresh_token,
      client_id: clientId,
    };
    for (const authorization of [
      `Bearer ${tokens.access_token}`,
      "Bearer stale",
      `Bearer lsk_${"0".repeat(64)}`,
    ]) {
      const renewed = await service.call("POST", "/oauth/token", { urlencoded, headers: { authorization } });
      assert.equal(renewed.status, 200, renewed.text);
      const registered = await service.call("POST", "/oauth/register", {
        json: { redirect_uris: [callback] },
        headers: { authorization, cookie },
      });
      assert.equal(registered.status, 201, registered.text);
    }
  });
});
