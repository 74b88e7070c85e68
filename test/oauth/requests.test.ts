import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import { setUpAccount, startAccounts, statusesOf, type AccountsService } from "../support/accounts-app.ts";
import {
  actorOf,
  callback,
  connect,
  decide,
  errorOf,
  newClient,
  newOrganization,
  newPkce,
  openConsent,
  register,
  requestOf,
  returnOf,
} from "./fixture.ts";

describe("a request of an OAuth client", () => {
  let service: AccountsService;
  let cookie: string;
  setUpAccount((made) => ({ service, cookie } = made));

  const valid = async () => requestOf(service, await newClient(service), newPkce());
  const linkIn = (text: string) =>
    /<a class="button second" href="([^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&");

  it("that names no client or redirect URI of it leads nowhere", async () => {
    const request = await valid();
    const other = "https://evil.example/cb";
    const wrong: Record<string, string>[] = [
      { client_id: "" },
      { client_id: `lskc_${"a".repeat(22)}` },
      { client_id: "https://127.0.0.1/client.json" },
      { redirect_uri: "" },
      { redirect_uri: other },
      { redirect_uri: "javascript:alert(1)" },
      { redirect_uri: `${callback}/` },
      { redirect_uri: callback.replace("127.0.0.1", "localhost") },
      { redirect_uri: `${callback}#x` },
    ];
    for (const fields of wrong) {
      const { answer } = await openConsent(service, cookie, { ...request, ...fields });
      assert.equal(answer.status, 400, JSON.stringify(fields));
      assert.equal(linkIn(answer.text), undefined);
      assert.equal(answer.headers.get("location") ?? answer.headers.get("refresh"), null);
      assert.ok(!answer.text.includes("evil.example"));
    }
  });

  it("with another fault shows it, and returns to the client by a click only", async () => {
    const request = await valid();
    const wrong: [Record<string, string>, string][] = [
      [{ response_type: "token" }, "unsupported_response_type"],
      [{ response_mode: "fragment" }, "invalid_request"],
      [{ code_challenge_method: "plain" }, "invalid_request"],
      [{ code_challenge_method: "" }, "invalid_request"],
      [{ code_challenge: "" }, "invalid_request"],
      [{ code_challenge: "short" }, "invalid_request"],
      [{ code_challenge: `${"a".repeat(43)}=` }, "invalid_request"],
      [{ resource: "https://other.example/mcp" }, "invalid_target"],
      [{ resource: `${service.url}/api` }, "invalid_target"],
      [{ resource: `${service.url}/mcp//` }, "invalid_target"],
      [{ resource: `${service.url}/mcp#x` }, "invalid_target"],
      [{ resource: `${service.url}/mcp?x` }, "invalid_target"],
      [{ scope: "admin" }, "invalid_scope"],
    ];
    for (const [fields, error] of wrong) {
      const { answer } = await openConsent(service, cookie, { ...request, ...fields });
      assert.equal(answer.status, 400, JSON.stringify(fields));
      assert.equal(answer.headers.get("refresh"), null);
      const link = new URL(linkIn(answer.text)!);
      assert.equal(link.origin + link.pathname, callback);
      const { error: named, state, iss } = Object.fromEntries(link.searchParams);
      assert.deepEqual({ named, state, iss }, { named: error, state: "a+b c&d", iss: service.url });
    }
    for (const name of ["code_challenge", "code_challenge_method"]) {
      const { [name as "state"]: _missing, ...rest } = request;
      assert.equal((await openConsent(service, cookie, rest)).answer.status, 400, name);
    }
    const { answer } = await openConsent(service, cookie, { ...request, scope: "openid read" });
    assert.equal(answer.status, 200);
    assert.doesNotMatch(answer.text, /value="write"/);
  });

  it("with repeated or huge parameters is refused before it is stored", async () => {
    const request = await valid();
    const target = `/oauth/authorize?${new URLSearchParams(request).toString()}`;
    const repeated = await service.call("GET", `${target}&state=other`, { cookie });
    const huge = await service.call("GET", `${target}${"x".repeat(1100)}`, { cookie });
    const larger = await service.call("GET", `${target}${"x".repeat(50_000)}`, { cookie });

    assert.deepEqual([repeated.status, huge.status, larger.status], [400, 400, 431]);
    assert.match(repeated.text, /more than once/);
    assert.match(huge.text, /longer than/);
    const stored = service.storage.database.raw.collection("oauth_requests");
    assert.equal(await stored.countDocuments(), 0);
  });

  it("leads through the sign-in, and is decided once, within half an hour", async () => {
    const request = await valid();
    const target = `/oauth/authorize?${new URLSearchParams(request).toString()}`;
    const anonymous = await service.call("GET", target);
    const signIn = new URL(anonymous.headers.get("location")!, service.url);
    const back = signIn.searchParams.get("return_to")!;

    assert.equal(signIn.pathname, "/sign-in");
    assert.match(back, /^\/oauth\/consent\?request=[\w-]{32}$/);
    assert.equal((await service.call("GET", back)).headers.get("location"), signIn.pathname + signIn.search);
    assert.match((await service.call("GET", back, { cookie })).text, /calls itself “<bdi>Agent<\/bdi>”/);
    const id = back.slice(-32);
    const answers = await Promise.all([1, 2, 3].map(() => decide(service, cookie, id)));
    assert.deepEqual(statusesOf(answers), [200, 404, 404]);

    const late = await openConsent(service, cookie, request);
    service.advance(limits.oauthRequestMs + 1);
    assert.equal((await decide(service, cookie, late.id)).status, 404);
    assert.equal((await decide(service, cookie, "x".repeat(32))).status, 404);
  });

  it("says that write access is enough to make a skill public", async () => {
    const { answer } = await openConsent(service, cookie, await valid());

    assert.match(answer.text, /Also publish, change and move skills, where you may, and make them public\./);
    assert.match(answer.text, /delete anything, manage members and their rights, or change your/);
  });

  it("can be denied, and is not decided by other sites or without a choice", async () => {
    const tenantId = await newOrganization(service, cookie, "acme");
    const { id } = await openConsent(service, cookie, await valid());
    const form = { request: id, decision: "allow", access: "read", [`organization-${tenantId}`]: "yes" };
    for (const origin of ["https://evil.example", "null", ""]) {
      const answer = await service.call("POST", "/oauth/consent", { cookie, form, headers: { origin } });
      assert.equal(answer.status, 403, origin);
    }
    const unchosen: [object, number][] = [
      [{ tenantIds: [] }, 400],
      [{ tenantIds: ["0".repeat(24)] }, 400],
      [{ access: "admin", tenantIds: [tenantId] }, 400],
      [{ decision: "", tenantIds: [tenantId] }, 400],
    ];
    for (const [choice, status] of unchosen) {
      const answer = await decide(service, cookie, id, choice);
      assert.equal(answer.status, status, JSON.stringify(choice));
      assert.match(answer.text, /role="alert"/);
      assert.match(answer.text, new RegExp(`value="${id}"`));
    }

    const denied = returnOf(await decide(service, cookie, id, { decision: "deny" }));

    assert.equal(denied.searchParams.get("error"), "access_denied");
    assert.equal(denied.searchParams.get("code"), null);
    assert.equal(denied.searchParams.get("iss"), service.url);
    assert.equal((await decide(service, cookie, id)).status, 404);
  });

  it("can't give access to an organization that requires a second factor which the account lacks", async () => {
    const tenantId = await newOrganization(service, cookie, "strict");
    const other = await newOrganization(service, cookie, "open");
    const memberships = service.storage.database.raw.collection("memberships");
    await memberships.updateOne({ tenantId }, { $set: { tenantFactorFrom: new Date(0) } });
    const { answer, id } = await openConsent(service, cookie, await valid());

    assert.match(answer.text, /strict[^]*requires a/);
    assert.doesNotMatch(answer.text, new RegExp(`organization-${tenantId}`));
    const refused = await decide(service, cookie, id, { tenantIds: [tenantId, other] });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /requires a second factor/);
    assert.equal((await decide(service, cookie, id, { tenantIds: [other] })).status, 200);
  });

  it("can give access to many organizations", async () => {
    const ids: string[] = [];
    for (let at = 0; at < 30; at++) ids.push(await newOrganization(service, cookie, `org-${at}`));

    const { tokens } = await connect(service, cookie, { tenantIds: ids });

    const { memberships } = await actorOf(service, tokens.access_token);
    assert.deepEqual(memberships.map(({ tenantId }) => tenantId).sort(), ids.sort());
  });

  it("is refused if its form is too large", async () => {
    const { id } = await openConsent(service, cookie, await valid());
    const manyFields = Array.from({ length: 1100 }, (_, at) => [`organization-${at}`, "yes"]);
    const longFields = Array.from({ length: 10 }, (_, at) => [`field-${at}`, "x".repeat(10_000)]);

    for (const [fields, status] of [
      [manyFields, 400],
      [longFields, 413],
    ] as const) {
      const form = {
        request: id,
        decision: "deny",
        ...(Object.fromEntries(fields) as Record<string, string>),
      };
      assert.equal((await service.call("POST", "/oauth/consent", { cookie, form })).status, status);
    }
    assert.ok(returnOf(await decide(service, cookie, id, { decision: "deny" })));
  });

  it("is refused once the account has given access to 100 programs", async () => {
    await connect(service, cookie);
    const grants = service.storage.database.raw.collection<{ _id: string; [key: string]: unknown }>(
      "oauth_grants",
    );
    const [first] = await grants.find().toArray();
    const copies = Array.from({ length: limits.oauthGrants - 1 }, (_, index) => ({
      ...first,
      _id: service.app.newId(),
      codeHash: `code ${index}`,
      secretHash: `secret ${index}`,
    }));
    await grants.insertMany(copies);
    const { id } = await openConsent(service, cookie, await valid());

    const answer = await decide(service, cookie, id);

    assert.equal(answer.status, 422);
    assert.match(answer.text, /which is the limit/);
  });
});

describe("the registration of OAuth clients", () => {
  let service: AccountsService;
  setUpAccount((made) => ({ service } = made));

  it("returns what was registered, without a secret", async () => {
    const answer = await register(service, [callback, "https://app.example/cb"], {
      client_name: "  An\u0000 agent\u2028 ",
      token_endpoint_auth_method: "client_secret_post",
      logo_uri: "http://169.254.169.254/",
      scope: "admin",
      client_id: "mine",
    });

    assert.equal(answer.status, 201, answer.text);
    const { client_id, client_id_issued_at, ...rest } = answer.body as Record<string, unknown>;
    assert.match(String(client_id), /^lskc_[\w-]{22}$/);
    assert.equal(typeof client_id_issued_at, "number");
    assert.deepEqual(rest, {
      client_name: "An agent",
      redirect_uris: [callback, "https://app.example/cb"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    });
  });

  it("refuses metadata that it can't honor", async () => {
    const many = Array.from({ length: 21 }, (_, index) => `https://app.example/${index}`);
    for (const uris of [
      undefined,
      [],
      "x",
      [5],
      [null],
      [["https://a.example"]],
      [{ toString: 1, valueOf: 1 }],
      ["javascript:alert(1)"],
      many,
    ])
      assert.equal(
        errorOf(await service.call("POST", "/oauth/register", { json: { redirect_uris: uris } })),
        "invalid_redirect_uri",
        JSON.stringify(uris)?.slice(0, 60),
      );
    for (const more of [
      { grant_types: ["client_credentials"] },
      { response_types: ["token"] },
      { grant_types: 1 },
      { grant_types: "" },
    ])
      assert.equal(errorOf(await register(service, [callback], more)), "invalid_client_metadata");
    for (const body of ["[]", "5", '"x"', "{"]) {
      const raw = { type: "application/json", body };
      const answer = await service.call("POST", "/oauth/register", { raw });
      assert.equal(errorOf(answer), "invalid_client_metadata", body);
    }
    const nested = `{"redirect_uris": [${"[".repeat(50_000)}${"]".repeat(50_000)}]}`;
    const raw = { type: "application/json", body: nested };
    assert.equal(errorOf(await service.call("POST", "/oauth/register", { raw })), "invalid_client_metadata");
    const form = await service.call("POST", "/oauth/register", { urlencoded: { redirect_uris: callback } });
    assert.deepEqual([form.status, form.body.error], [415, "invalid_client_metadata"]);
  });

  it("takes what a client leaves open as absent", async () => {
    for (const open of [null, []]) {
      const answer = await register(service, [callback], {
        grant_types: open,
        response_types: open,
        client_name: null,
      });
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual(answer.body["grant_types"], ["authorization_code", "refresh_token"]);
    }
  });

  it("is limited by address", async () => {
    const limited = await startAccounts({ rateLimits: true });
    try {
      const statuses: number[] = [];
      for (let call = 0; call < 100; call++) statuses.push((await register(limited, [])).status);
      const refused = await register(limited, []);
      assert.deepEqual([...new Set(statuses), refused.status], [400, 429]);
      assert.equal(refused.body.error, "temporarily_unavailable");
      assert.ok(Number(refused.headers.get("retry-after")) > 0);
    } finally {
      await limited.close();
    }
  });
});

describe("the metadata of the authorization server", () => {
  let service: AccountsService;
  setUpAccount((made) => ({ service } = made));

  it("can be read by pages of any origin, and names endpoints that exist", async () => {
    const read = async (path: string) => {
      const answer = await service.call("GET", `/.well-known/${path}`, {
        headers: { origin: "https://app.example" },
      });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get("access-control-allow-origin"), "*");
      return answer.body as Record<string, unknown>;
    };

    const server = await read("oauth-authorization-server");
    const [resource, suffixed] = [
      await read("oauth-protected-resource"),
      await read("oauth-protected-resource/mcp"),
    ];

    assert.deepEqual(resource, suffixed);
    assert.equal(resource["resource"], `${service.url}/mcp`);
    assert.deepEqual(resource["authorization_servers"], [server["issuer"]]);
    assert.equal(server["issuer"], service.url);
    assert.deepEqual(server["code_challenge_methods_supported"], ["S256"]);
    assert.equal(server["client_id_metadata_document_supported"], true);
    for (const [name, address] of Object.entries(server))
      if (name.endsWith("_endpoint")) {
        const method = name.startsWith("authorization") ? "GET" : "POST";
        const { pathname } = new URL(String(address));
        const isForm = !name.startsWith("registration");
        const body = isForm ? { urlencoded: {} } : { json: {} };
        const answer = await service.call(method, pathname, method === "POST" ? body : {});
        assert.ok(
          answer.status === 400 || answer.status === 303 || name.startsWith("revocation"),
          `${name} ${answer.status}`,
        );
      }
  });

  it("tells pages of other origins beforehand what they may send", async () => {
    for (const path of [
      "oauth-authorization-server",
      "oauth-protected-resource",
      "oauth-protected-resource/mcp",
      "oauth-protected-resource/mcp/central",
    ]) {
      const answer = await service.call("OPTIONS", `/.well-known/${path}`, {
        headers: {
          origin: "https://app.example",
          "access-control-request-method": "GET",
          "access-control-request-headers": "mcp-protocol-version",
        },
      });
      assert.equal(answer.status, 204, path);
      assert.equal(answer.headers.get("access-control-allow-origin"), "*");
      assert.match(answer.headers.get("access-control-allow-methods")!, /\bGET\b/);
      assert.match(answer.headers.get("access-control-allow-headers")!, /\*|mcp-protocol-version/);
    }
  });

  it("covers the device grant, which the token endpoint offers too", async () => {
    const asked = await service.call("POST", "/api/auth/device/code", {
      urlencoded: { client_id: "svc-cli" },
    });
    const polled = await service.call("POST", "/oauth/token", {
      urlencoded: {
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        device_code: String(asked.body["device_code"]),
        client_id: "svc-cli",
      },
    });

    assert.equal(errorOf(polled), "authorization_pending");
  });
});
