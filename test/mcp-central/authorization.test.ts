import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { ConnectorPayload } from "../../contract/payloads/connectors.ts";
import { newMember } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { poolOf } from "../../src/mcp-central/upstream/pool.ts";
import { listConnectors, isUsable } from "../../src/mcp-central/usable.ts";
import { loadUserActor } from "../../src/users/load.ts";
import { protect, startAuthorizationServer, type AuthorizationServer } from "./authorization-server.ts";
import { startCentral, type CentralFixture } from "./fixture.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

let central: CentralFixture;
let upstream: Upstream;
let authorization: AuthorizationServer;
let user: TestUser;
before(async () => {
  [central, upstream, authorization] = await Promise.all([
    startCentral(),
    startUpstream(),
    startAuthorizationServer(),
  ]);
  await central.register("guarded", upstream.url);
});
beforeEach(async () => {
  user = await newMember(central.service, central.org, "member");
  protect(upstream, authorization);
  authorization.fault = undefined;
});
after(async () => {
  await central.close();
  await upstream.close();
  await authorization.close();
});

/** Begins the connection of a new connector, and returns it with the address at the provider. */
async function begin(as = user): Promise<{ id: string; url: string }> {
  const made = await central.create("guarded", as);
  const begun = await central.connect(made.data.id, {}, as);
  assert.equal(begun.status, 200, begun.error);
  assert.ok(begun.data.authorizationUrl, JSON.stringify(begun.body));
  return { id: made.data.id, url: begun.data.authorizationUrl };
}

/** Visits the callback as the browser of a user, and returns where it leads. */
async function callBack(callback: URL, as: TestUser | null = user): Promise<string> {
  const options = as ? { headers: { cookie: as.cookie } } : {};
  const response = await central.service.raw("GET", callback.pathname + callback.search, options);
  assert.equal(response.status, 303, await response.text());
  return response.headers.get("location")!;
}

async function connect(as = user): Promise<ConnectorPayload> {
  const { id, url } = await begin(as);
  await callBack(await authorization.authorize(url), as);
  const connector = await central.read(id, as);
  assert.equal(connector.connectionStatus, "connected", JSON.stringify(connector));
  return connector;
}

/** Calls a tool as the proxy does. */
async function callTool(as = user): Promise<unknown> {
  const { app } = central.service;
  const via = { kind: "session", sessionId: "test" } as const;
  const actor = await loadUserActor(app, as.id, via, { ipHash: undefined, source: "web", client: "web" });
  const usable = (await listConnectors(app, actor!)).find(isUsable);
  assert.ok(usable, "no connector can be used");
  return poolOf(app).use(usable, (client) => client.callTool({ name: "echo", arguments: { text: "x" } }));
}

const tokenRequests = (grant: string) =>
  authorization.requests.filter(
    ({ path, body }) => path === "/token" && body.includes(`grant_type=${grant}`),
  );

describe("the authorization of a connector", () => {
  it("registers a client, proves the key of the code, and names the resource", async () => {
    const { url } = await begin();
    const { searchParams } = new URL(url);

    const location = await callBack(await authorization.authorize(url));

    assert.match(location, /^\/settings\/connectors\?connect=\w{10}&result=connected$/);
    assert.equal(searchParams.get("code_challenge_method"), "S256");
    assert.equal(searchParams.get("resource"), upstream.url);
    assert.equal(searchParams.get("redirect_uri"), `${central.service.url}/mcp-central/callback`);
    const exchange = new URLSearchParams(tokenRequests("authorization_code").at(-1)!.body);
    assert.equal(exchange.get("resource"), upstream.url);
    assert.ok(exchange.get("code_verifier"));
    assert.ok(await callTool());
  });

  it("is completed only by the session that began it, once, and with its state", async () => {
    const { id, url } = await begin();
    const other = await newMember(central.service, central.org, "member");
    const callback = await authorization.authorize(url);
    const forged = new URL(callback);
    forged.searchParams.set("state", "forged");
    const sent = tokenRequests("authorization_code").length;

    const strange = await callBack(callback, other);
    const anonymous = await callBack(callback, null);
    const wrong = await callBack(forged);
    const sentBefore = tokenRequests("authorization_code").length;
    const own = await callBack(callback);
    const twice = await callBack(callback);

    for (const location of [strange, anonymous, wrong, twice])
      assert.equal(location, "/settings/connectors?result=expired");
    assert.equal(sentBefore, sent, "no code was sent for them");
    assert.match(own, /result=connected$/);
    assert.equal((await central.read(id, user)).connectionStatus, "connected");
  });

  it("ends with needs_auth when the person refuses, or the answer comes from another issuer", async () => {
    const refused = await begin();
    const state = new URL(refused.url).searchParams.get("state")!;
    const iss = authorization.issuer;
    const denied = new URLSearchParams({
      error: "access_denied",
      error_description: "<b>no</b>",
      state,
      iss,
    });
    const location = await callBack(
      new URL(`${central.service.url}/mcp-central/callback?${denied.toString()}`),
    );
    assert.match(location, /result=needs_auth$/);

    const mixed = await begin();
    const callback = await authorization.authorize(mixed.url);
    callback.searchParams.set("iss", "https://evil.example.com");
    const sent = tokenRequests("authorization_code").length;

    assert.match(await callBack(callback), /result=needs_auth$/);

    assert.equal(tokenRequests("authorization_code").length, sent);
    assert.equal((await central.read(mixed.id, user)).needsReconnect, true);
    assert.ok(!central.logged.join("\n").includes("<b>no</b>"));
  });

  it("is renewed when the access token has expired, once for concurrent calls", async () => {
    await connect();
    const sent = tokenRequests("refresh_token").length;
    authorization.expireAccessTokens();

    const results = await Promise.all(Array.from({ length: 8 }, () => callTool()));

    assert.equal(results.length, 8);
    assert.equal(tokenRequests("refresh_token").length, sent + 1);
  });

  it("needs its user again when the renewal is refused, and drops the tokens", async () => {
    const { id } = await connect();
    authorization.expireAccessTokens();
    authorization.fault = (request, response) => {
      if (request.url !== "/token") return false;
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: "invalid_grant", error_description: "revoked" }));
      return true;
    };

    await assert.rejects(callTool());

    const seen = await central.read(id, user);
    assert.deepEqual([seen.connectionStatus, seen.needsReconnect], ["needs_auth", true]);
    assert.ok(!central.logged.join("\n").includes("refresh_token"));
    authorization.fault = undefined;
    assert.equal((await connect()).connectionStatus, "connected");
  });

  it("is given anew when its user asks for it", async () => {
    const { id } = await connect();

    const again = await central.connect(id, {}, user);
    const anew = await central.connect(id, { reauthorize: true }, user);

    assert.equal(again.data.authorizationUrl, undefined);
    assert.ok(anew.data.authorizationUrl, JSON.stringify(anew.body));
    await callBack(await authorization.authorize(anew.data.authorizationUrl));
    assert.ok(await callTool());
  });

  it("is not stored if it is larger than credentials may be", async () => {
    const { id, url } = await begin();
    const callback = await authorization.authorize(url);
    authorization.fault = (request, response) => {
      if (request.url !== "/token") return false;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ access_token: "x".repeat(600_000), token_type: "Bearer" }));
      return true;
    };

    await callBack(callback);

    const seen = await central.read(id, user);
    assert.deepEqual([seen.connectionStatus, seen.problem], ["error", "too_large"]);
  });

  it("keeps the tokens while the provider can't be reached", async () => {
    const { id } = await connect();
    authorization.expireAccessTokens();
    authorization.fault = (request, response) => {
      if (request.url !== "/token") return false;
      response.writeHead(503).end();
      return true;
    };
    await assert.rejects(callTool());
    authorization.fault = undefined;

    assert.ok(await callTool());
    assert.equal((await central.read(id, user)).connectionStatus, "connected");
  });

  it("sends no token to another issuer that the server names by now", async () => {
    const { id } = await connect();
    authorization.expireAccessTokens();
    const other = await startAuthorizationServer();
    try {
      protect(upstream, { issuer: other.issuer, accepts: authorization.accepts });

      await assert.rejects(callTool());

      assert.equal((await central.read(id, user)).connectionStatus, "needs_auth");
      assert.ok(other.requests.every(({ path }) => path !== "/token"));
    } finally {
      await other.close();
    }
  });

  it("leaves no secret of the flow in the database or the log", async () => {
    await connect();
    const { raw } = central.service.app.storage.database;
    const rows = JSON.stringify(await raw.collection("connectors").find({}).toArray());
    const secrets = [
      ...tokenRequests("authorization_code").flatMap(({ body }) => {
        const sent = new URLSearchParams(body);
        return [sent.get("code"), sent.get("code_verifier")];
      }),
      ...tokenRequests("refresh_token").map(({ body }) => new URLSearchParams(body).get("refresh_token")),
      ...upstream.requests.map(({ headers }) => headers.authorization?.slice(7)),
    ].filter((text) => typeof text === "string" && text !== "");

    assert.ok(secrets.length > 3);
    for (const text of secrets)
      for (const place of [rows, central.logged.join("\n")]) assert.ok(!place.includes(text!));
  });
});
