import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, describe, it } from "node:test";
import type { SsoProviderPayload } from "../../contract/payloads/accounts/sso.ts";
import { closedAfter, setUpOrganization } from "../support/set-up.ts";
import { newProvider, verifyDomain } from "../support/sso/fixture.ts";
import {
  startRealProvider,
  startTestProvider,
  type Deviation,
  type TestProvider,
} from "../support/sso/oidc-provider.ts";
import { readEnd, type Ended } from "../support/sso/saml-browser.ts";

const ada = { sub: "ada-1", email: "ada@acme.test", email_verified: true, name: "Ada Lovelace" };

const { service, owner, org } = await setUpOrganization({ ssoPrivateNetwork: true });
await verifyDomain(service, org, "acme.test");
const real = await closedAfter(startRealProvider({ ...ada, groups: ["engineers"] }));
const connect = (
  name: string,
  issuer: string,
  { id, secret }: { id: string; secret: string },
): Promise<SsoProviderPayload> =>
  newProvider(service, org, owner, {
    name,
    type: "oidc",
    saml: undefined,
    oidc: { issuer, clientId: id, clientSecret: secret },
  });

const client = { id: "svc", secret: "s".repeat(40) };
const made = await connect("Real", real.issuer, client);
const realId = made.id;
real.register({ ...client, redirectUri: made.urls.callback! });
const upstream = await closedAfter(startTestProvider());
const hostileId = (await connect("Hostile", upstream.issuer, upstream.client)).id;

interface Started {
  url: URL;
  cookie: string;
}

async function start(provider: string, returnTo = "/"): Promise<Started> {
  const path = `/sso/${provider}/start?return_to=${encodeURIComponent(returnTo)}`;
  const response = await service.raw("GET", path);
  assert.equal(response.status, 303, await response.text());
  const bound = response.headers.getSetCookie().find((one) => one.startsWith("svc_sso="))!;
  return { url: new URL(response.headers.get("location")!), cookie: bound.split(";")[0]! };
}

const open = async ({ pathname, search }: URL, cookie: string): Promise<Ended> =>
  readEnd(await service.raw("GET", `${pathname}${search}`, { cookie }));

/** A sign-in through the provider that deviates. `query` replaces parameters of the redirect to the callback. */
async function attempt(
  deviation: Deviation,
  query: Record<string, string> = {},
  { id, provider } = { id: hostileId, provider: upstream },
): Promise<Ended> {
  const { url, cookie } = await start(id);
  const nonce = url.searchParams.get("nonce")!;
  provider.next = { person: { ...ada, sub: "hostile-ada" }, nonce, deviation };
  const parameters = { code: "code", state: url.searchParams.get("state")!, ...query };
  const callback = new URL(`/sso/${id}/callback?${new URLSearchParams(parameters).toString()}`, service.url);
  return open(callback, cookie);
}

async function refusal(ended: Ended): Promise<string> {
  assert.equal(ended.session, undefined, "a session was opened");
  const number = /\d{4}-\d{4}/.exec(ended.text)?.[0];
  if (number === undefined) return `${ended.status}`;
  const path = `/api/tenants/${org.id}/sso/sign-ins?number=${number}`;
  const log = await service.call<{ reason: string; message: string }[]>("GET", path, {
    cookie: owner.cookie,
  });
  assert.ok(!JSON.stringify(log.data).includes(upstream.client.secret));
  return log.data[0]!.reason;
}

const whoIs = async ({ session, text }: Ended) => {
  assert.ok(session, text);
  const me = await service.call<{ id: string; name: string }>("GET", "/api/user/profile", {
    cookie: session,
  });
  return me.data;
};

describe("a sign-in with OpenID Connect", () => {
  it("creates the person at a real provider once, with PKCE, state and nonce", async () => {
    const started = await start(realId, "/acme/-/library?x=1");
    for (const name of ["state", "nonce", "code_challenge"])
      assert.match(started.url.searchParams.get(name)!, /^[\w-]{43}$/, name);
    assert.equal(started.url.searchParams.get("code_challenge_method"), "S256");

    const ended = await open(await real.authorize(started.url.href), started.cookie);

    assert.equal(ended.location, "/acme/-/library?x=1");
    const me = await whoIs(ended);
    assert.equal(me.name, "Ada Lovelace");
    const again = await start(realId);
    assert.equal((await whoIs(await open(await real.authorize(again.url.href), again.cookie))).id, me.id);
    assert.equal((await service.app.storage.memberships.find(org.id, me.id))?.role, "member");
  });

  it("puts the person into the teams of their groups", async () => {
    const team = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/teams`, {
      cookie: owner.cookie,
      body: { name: "Engineers", roles: [] },
    });
    const mapped = await service.call(
      "PUT",
      `/api/tenants/${org.id}/sso/providers/${realId}/group-mappings`,
      {
        cookie: owner.cookie,
        body: { mappings: [{ group: "engineers", teamId: team.data.id }] },
      },
    );
    assert.equal(mapped.status, 200, mapped.error);
    const teams = async (groups: unknown) => {
      real.person = { ...ada, groups };
      const { url, cookie } = await start(realId);
      const { id } = await whoIs(await open(await real.authorize(url.href), cookie));
      return (await service.app.storage.memberships.find(org.id, id))!.teamIds;
    };
    assert.deepEqual(await teams(["engineers", "others"]), [team.data.id]);
    assert.deepEqual(await teams(undefined), [team.data.id], "no claim changes nothing");
    assert.deepEqual(await teams([]), []);
    assert.deepEqual(await teams("engineers"), [team.data.id], "one group as a text");
  });

  it("records each act once", async () => {
    await service.settled();
    const log = await service.call<{
      entries: { action: string; metadata: { provider?: string; name?: string } }[];
    }>("GET", `/api/tenants/${org.id}/audit-log?limit=100`, { token: owner.token });
    const counts = new Map<string, number>();
    for (const { action, metadata } of log.data.entries)
      if ((metadata.provider ?? metadata.name) === "Real") counts.set(action, (counts.get(action) ?? 0) + 1);
    assert.deepEqual(Object.fromEntries(counts), {
      "sso.provider_created": 1,
      "sso.group_mappings_updated": 1,
      "sso.user_created": 1,
      "organization.member_joined": 1,
      "sso.login_success": 6,
      "sso.team_sync": 3,
    });
  });

  it("is bound to its browser, and a callback works once", async () => {
    const started = await start(realId);
    const callback = await real.authorize(started.url.href);
    const other = await start(realId);
    assert.equal(await refusal(await open(callback, other.cookie)), "browser");
    const mine = await start(realId);
    const own = await real.authorize(mine.url.href);
    await whoIs(await open(own, mine.cookie));
    await refusal(await open(own, mine.cookie));
  });
});

describe("a response of OpenID Connect", () => {
  it("that is valid is accepted, also with clocks that differ by less than two minutes", async () => {
    const { id } = await whoIs(await linked());
    for (const deviation of [{}, { issuedAt: 110 }, { issuedAt: -400, expiresAt: -110 }])
      assert.equal((await whoIs(await attempt(deviation))).id, id, JSON.stringify(deviation));
    assert.equal(
      new Set(upstream.exchanges.map((body) => body.get("code_verifier"))).size,
      upstream.exchanges.length,
    );
  });

  it("may be signed by each of the algorithms that the provider offers and the service accepts", async () => {
    const many = await startTestProvider();
    const offered = ["HS256", "none", "ES256", "EdDSA", "PS256", "RS256"];
    many.next.deviation = { discovery: { id_token_signing_alg_values_supported: offered } };
    const { id } = await connect("Many", many.issuer, many.client);
    const by = (deviation: Deviation) => attempt(deviation, {}, { id, provider: many });
    for (const algorithm of ["RS256", "PS256", "ES256", "EdDSA"] as const)
      assert.ok((await by({ algorithm })).session, algorithm);
    for (const sign of ["secret", "none"] as const)
      assert.equal(await refusal(await by({ sign })), "id-token");
    await many.close();
    // A provider that lists no algorithm uses RS256.
    assert.equal(await refusal(await attempt({ algorithm: "ES256" })), "id-token");
  });

  /**
   * The first sign-in through a second provider: the account was made by the organization, so no one has to confirm.
   */
  const linked = () => attempt({});

  const refused: [string, string, Deviation, Record<string, string>?][] = [
    ["another nonce", "id-token", { claims: { nonce: "other" } }],
    ["no nonce", "id-token", { claims: { nonce: undefined } }],
    ["another issuer", "id-token", { claims: { iss: "https://evil.example.com" } }],
    ["another audience", "id-token", { claims: { aud: "another-client" } }],
    ["several audiences without ours", "id-token", { claims: { aud: ["a", "b"] } }],
    ["an expired token", "id-token", { issuedAt: -600, expiresAt: -130 }],
    ["no expiry", "id-token", { claims: { exp: undefined } }],
    ["a token from the future", "id-token", { claims: { nbf: Math.floor(Date.now() / 1000) + 300 } }],
    ["the key of a stranger", "id-token", { sign: "stranger" }],
    ["no signature", "id-token", { sign: "none" }],
    ["a signature by the client secret", "id-token", { sign: "secret" }],
    ["a signature by the public key as a secret", "id-token", { sign: "public-key" }],
    ["no subject", "id-token", { claims: { sub: undefined } }],
    ["an unverified address", "email-verified", { claims: { email_verified: false } }],
    ["an unverified address, as a text", "email-verified", { claims: { email_verified: "false" } }],
    ["no address", "email", { claims: { email: undefined } }],
    ["a list as the address", "email", { claims: { email: [["ada@acme.test"]] } }],
    ["another domain", "domain", { claims: { sub: "eve", email: "eve@other.test" } }],
    ["an error", "response", {}, { error: "access_denied", error_description: "<b>no</b>" }],
    ["the issuer of another provider", "response", {}, { iss: "https://evil.example.com" }],
    ["no code", "response", {}, { code: "" }],
    ["another state", "request", {}, { state: "x".repeat(43) }],
    ["a state in another form", "request", {}, { state: "../../etc" }],
  ];
  for (const [name, reason, deviation, query] of refused)
    it(`is refused: ${name}`, async () => {
      assert.equal(await refusal(await attempt(deviation, query)), reason);
    });

  it("takes nothing from the user info of another subject", async () => {
    const deviation = {
      claims: { sub: "mallory", email: undefined },
      userInfo: { sub: "ada-1", email: "ada@acme.test", email_verified: true },
    };
    assert.equal(await refusal(await attempt(deviation)), "email");
  });
});

describe("a provider of OpenID Connect that fails", () => {
  let slow: { provider: TestProvider; ended: Promise<{ ended: Ended; ms: number }> };
  // Begun first, so that the other tests pass the time.
  before(async () => {
    const provider = await startTestProvider();
    const { id } = await connect("Slow", provider.issuer, provider.client);
    const begun = performance.now();
    const ended = attempt({ fault: (path) => path === "/token" }, {}, { id, provider });
    slow = { provider, ended: ended.then((one) => ({ ended: one, ms: performance.now() - begun })) };
  });
  after(() => slow.provider.close());

  const failing: [string, string, Deviation["fault"]][] = [
    [
      "refuses the code",
      "exchange",
      (path, response) => path === "/token" && end(response, 400, '{"error":"invalid_grant"}'),
    ],
    ["fails", "exchange", (path, response) => path === "/token" && end(response, 500, "<html>")],
    ["sends no JSON", "exchange", (path, response) => path === "/token" && end(response, 200, "<html>")],
    [
      "sends a huge body",
      "exchange",
      (path, response) => path === "/token" && end(response, 200, "x".repeat(2_000_000)),
    ],
    ["closes the connection", "exchange", (path, response) => path === "/token" && drop(response)],
    ["redirects", "exchange", (path, response) => path === "/token" && redirect(response)],
  ];
  const end = (response: ServerResponse, status: number, text: string) =>
    Boolean(response.writeHead(status, { "content-type": "application/json" }).end(text));
  const drop = (response: ServerResponse) => Boolean(response.destroy());
  const redirect = (response: ServerResponse) =>
    Boolean(response.writeHead(302, { location: "http://127.0.0.1:1/token" }).end());

  for (const [name, reason, fault] of failing)
    it(`is reported to the owners: ${name}`, async () => {
      assert.equal(await refusal(await attempt({ fault: fault! })), reason);
    });

  it("leaves the sign-in page usable while it is down, and others unaffected", async () => {
    const gone = await startTestProvider();
    const { id } = await connect("Gone", gone.issuer, gone.client);
    await gone.close();

    const response = await service.raw("GET", `/sso/${id}/start`);

    assert.equal(response.status, 503);
    const text = await response.text();
    assert.match(text, /does not respond right now/);
    assert.match(text, /\/sign-in\?password=1/);
    const { url, cookie } = await start(realId);
    await whoIs(await open(await real.authorize(url.href), cookie));
  });

  it("is given up after ten seconds of silence, and reported to the owners", async () => {
    const { ended, ms } = await slow.ended;
    assert.equal(await refusal(ended), "exchange");
    const [last] = await service.app.storage.database.raw
      .collection<{ message?: string }>("sso_sign_ins")
      .find({ message: /silent|given up/ })
      .toArray();
    assert.match(
      last?.message ?? "",
      /did not exchange the code: 127\.0\.0\.1:\d+ was silent for too long\. Try/,
    );
    assert.ok(ms > 9000 && ms < 60_000, `${ms} ms`);
  });

  it("is not asked for addresses of the machine unless that is allowed", async () => {
    service.app.config.ssoPrivateNetwork = false;
    try {
      for (const issuer of ["http://169.254.169.254", "https://127.0.0.1:9", "https://localhost:9"]) {
        const body = {
          name: "Inside",
          type: "oidc",
          oidc: { issuer, clientId: "svc", clientSecret: "secret" },
        };
        const path = `/api/tenants/${org.id}/sso/providers`;
        const answer = await service.call("POST", path, { cookie: owner.cookie, body });
        assert.equal(answer.code, "refused", `${issuer}: ${JSON.stringify(answer.body)}`);
      }
    } finally {
      service.app.config.ssoPrivateNetwork = true;
    }
  });
});
