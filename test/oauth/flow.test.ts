import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import { isAllowedIn } from "../../src/access/decide.ts";
import { finishDeletion } from "../../src/accounts/delete-account.ts";
import { purge } from "../../workers/maintenance/purge.ts";
import { cookieOf, password, setUpAccount, signUp, type AccountsService } from "../support/accounts-app.ts";
import {
  actorOf,
  callback,
  connect,
  decide,
  errorOf,
  newClient,
  newOrganization,
  newPkce,
  obtainCode,
  openConsent,
  requestOf,
  requestTokens,
  returnOf,
  tokensOf,
} from "./fixture.ts";

const revoked = /revoked/;

describe("access of an OAuth client", () => {
  let service: AccountsService;
  let cookie: string;
  let userId: string;
  setUpAccount((made) => ({ service, cookie, userId } = made));

  const signIn = async () =>
    cookieOf(
      await service.call("POST", "/api/auth/sign-in", { json: { email: "ada@example.org", password } }),
    );
  const grantsOf = async () => (await service.call("GET", "/api/user/grants", { cookie })).body["data"];
  const eventsOf = async () => {
    await service.settled();
    const ofAllTime = { log: { userId }, from: new Date(0) };
    const entries = await service.storage.auditEvents.list(ofAllTime, 0, 50);
    return entries.filter(({ name }) => name.startsWith("user.grant_"));
  };

  it("is given by a code, which names state and issuer, for tokens that are stored as hashes", async () => {
    const tenantId = await newOrganization(service, cookie, "acme");
    const clientId = await newClient(service, "Agent \u202e of <b>Ada</b>");
    const pkce = newPkce();
    const { answer, id } = await openConsent(service, cookie, requestOf(service, clientId, pkce));
    assert.match(answer.text, /Agent of &lt;b&gt;Ada&lt;\/b&gt;/);
    assert.match(answer.headers.get("content-security-policy")!, /frame-ancestors 'none'/);
    assert.equal(answer.headers.get("x-frame-options"), "DENY");

    const back = returnOf(await decide(service, cookie, id, { tenantIds: [tenantId] }));
    const code = back.searchParams.get("code")!;
    const issued = await requestTokens(service, {
      grant_type: "authorization_code",
      code,
      client_id: clientId,
      redirect_uri: callback,
      code_verifier: pkce.verifier,
    });

    assert.equal(back.origin + back.pathname, callback);
    assert.equal(back.searchParams.get("state"), "a+b c&d");
    assert.equal(back.searchParams.get("iss"), service.url);
    assert.equal(issued.status, 200, issued.text);
    assert.equal(issued.headers.get("cache-control"), "no-store");
    const { access_token, refresh_token, ...rest } = tokensOf(issued);
    assert.deepEqual(rest, { token_type: "Bearer", expires_in: 3600, scope: "read write" });
    assert.match(access_token, /^lsko_[0-9a-f]{64}$/);
    const stored = JSON.stringify(
      await service.storage.database.raw.collection("oauth_grants").find().toArray(),
    );
    const secrets = [code, access_token.slice(5), refresh_token.slice(-87, -44), refresh_token.slice(-43)];
    for (const secret of secrets) {
      assert.ok(!stored.includes(secret));
      assert.ok(!service.logged.some((line) => line.includes(secret)));
    }
  });

  it("is limited to the chosen organizations and scopes", async () => {
    const chosen = await newOrganization(service, cookie, "acme");
    const other = await newOrganization(service, cookie, "other");
    const reader = await connect(service, cookie, { access: "read", tenantIds: [chosen] });
    const writer = await connect(service, cookie, { tenantIds: [chosen] });

    const [reading, writing] = await Promise.all(
      [reader, writer].map(({ tokens }) => actorOf(service, tokens.access_token)),
    );

    assert.equal(reader.tokens.scope, "read");
    assert.deepEqual(
      writing!.memberships.map(({ tenantId }) => tenantId),
      [chosen],
    );
    const may = (actor: typeof reading, permission: Parameters<typeof isAllowedIn>[1], tenantId: string) =>
      isAllowedIn(actor!, permission, tenantId, null);
    assert.ok(may(reading, "skill:read", chosen));
    assert.ok(!may(reading, "skill:create", chosen));
    assert.ok(may(writing, "skill:update", chosen));
    for (const permission of ["skill:delete", "folder:manageAcl", "member:invite"] as const)
      assert.ok(!may(writing, permission, chosen), permission);
    assert.ok(!may(writing, "skill:read", other));
  });

  it("does not work outside of its resource", async () => {
    await newOrganization(service, cookie, "acme");
    const [tenantId] = Object.values(await firstTenant());
    const { tokens } = await connect(service, cookie, { tenantIds: [tenantId!] });
    const token = tokens.access_token;

    const rest = await service.call("GET", "/api/user/profile", { token });
    const open = await service.call("GET", "/api/skills/public", { token });
    const basic = Buffer.from(`x:${token}`).toString("base64");
    const git = await service.call("GET", "/acme/any.git/info/refs?service=git-upload-pack", {
      headers: { authorization: `Basic ${basic}` },
    });

    for (const answer of [rest, open]) {
      assert.equal(answer.status, 401);
      assert.match(answer.body.error!, /only: use an API token here\.$/);
    }
    assert.equal(git.status, 401);
    await assert.rejects(actorOf(service, token, "/mcp/central"), /for another resource/);
    await assert.rejects(actorOf(service, tokens.refresh_token), /not an API token/);
  });

  const firstTenant = async () => {
    const answer = await service.call("GET", "/api/tenants", { cookie });
    const [first] = answer.body["data"] as object as { id: string }[];
    return { id: first!.id };
  };

  it("lasts an hour, and is renewed by tokens that replace each other", async () => {
    const first = await connect(service, cookie);
    service.advance(limits.oauthAccessTokenMs + 1000);
    await assert.rejects(actorOf(service, first.tokens.access_token), /has expired/);

    const renewed = await first.renew(first.tokens.refresh_token, { scope: "read" });

    assert.equal(renewed.status, 200, renewed.text);
    assert.equal(tokensOf(renewed).scope, "read write");
    assert.equal((await actorOf(service, tokensOf(renewed).access_token)).userId, userId);
    await assert.rejects(actorOf(service, first.tokens.access_token), /unknown/);
    service.advance(limits.oauthIdleMs + 1000);
    assert.equal(errorOf(await first.renew(tokensOf(renewed).refresh_token)), "invalid_grant");
    cookie = await signIn();
    assert.deepEqual(await grantsOf(), []);
  });

  it("is revoked when its code is used twice, also concurrently", async () => {
    const { tokens, exchange } = await connect(service, cookie);
    assert.equal(errorOf(await exchange()), "invalid_grant");
    await assert.rejects(actorOf(service, tokens.access_token), revoked);

    const racing = await obtainCode(service, cookie);
    const answers = await Promise.all([1, 2, 3].map(() => racing.exchange()));
    const winners = answers.filter(({ status }) => status === 200);
    assert.equal(winners.length, 1);
    await assert.rejects(actorOf(service, tokensOf(winners[0]!).access_token), revoked);
  });

  it("needs a code of the same client, redirect and verifier within a minute", async () => {
    const { exchange } = await obtainCode(service, cookie);
    const other = await newClient(service);
    const wrong: [Record<string, string>, string][] = [
      [{ client_id: other }, "invalid_grant"],
      [{ redirect_uri: `${callback}/` }, "invalid_grant"],
      [{ redirect_uri: callback.replace("4711", "4712") }, "invalid_grant"],
      [{ code_verifier: newPkce().verifier }, "invalid_grant"],
      [{ code_verifier: "short" }, "invalid_grant"],
      [{ code_verifier: "" }, "invalid_grant"],
      [{ code: "unknown" }, "invalid_grant"],
      [{ code: "x".repeat(3000) }, "invalid_request"],
      [{ resource: "https://other.example/mcp" }, "invalid_target"],
      [{ grant_type: "password" }, "unsupported_grant_type"],
      [{ grant_type: "" }, "unsupported_grant_type"],
    ];
    for (const [fields, code] of wrong)
      assert.equal(errorOf(await exchange(fields)), code, JSON.stringify(fields).slice(0, 100));

    service.advance(limits.oauthCodeMs + 1);
    assert.equal(errorOf(await exchange()), "invalid_grant");
    assert.deepEqual(await grantsOf(), []);
  });

  it("is renewed for its own client and scope only", async () => {
    const { tokens, renew } = await connect(service, cookie, { access: "read" });
    const other = await newClient(service);

    assert.equal(errorOf(await renew(tokens.refresh_token, { client_id: other })), "invalid_grant");
    assert.equal(errorOf(await renew(tokens.refresh_token, { scope: "read write" })), "invalid_scope");
    assert.equal(errorOf(await renew(tokens.refresh_token, { resource: "x" })), "invalid_target");
    assert.equal(errorOf(await renew(tokens.refresh_token.replace(/.$/, "!"))), "invalid_grant");
    assert.equal(
      errorOf(await renew(`lskr_${"0".repeat(24)}_${"a".repeat(43)}_${"b".repeat(43)}`)),
      "invalid_grant",
    );
    assert.equal((await renew(tokens.refresh_token)).status, 200);
  });

  it("ends with a password reset, a suspension and the sessions that gave it", async () => {
    const { tokens, renew } = await connect(service, cookie);
    const pending = await obtainCode(service, cookie);
    const users = service.storage.database.raw.collection<{ _id: string }>("users");

    await users.updateOne({ _id: userId }, { $inc: { sessionEpoch: 1 }, $set: { keptSessionId: null } });
    assert.equal(errorOf(await pending.exchange()), "invalid_grant");
    assert.equal((await actorOf(service, tokens.access_token)).userId, userId);

    await users.updateOne({ _id: userId }, { $inc: { tokenEpoch: 1 } });
    await assert.rejects(actorOf(service, tokens.access_token), revoked);
    assert.equal(errorOf(await renew(tokens.refresh_token)), "invalid_grant");

    await users.updateOne({ _id: userId }, { $set: { tokenEpoch: 0, suspended: { reason: "x" } } });
    await assert.rejects(actorOf(service, tokens.access_token), /was suspended/);
    assert.equal(errorOf(await renew(tokens.refresh_token)), "invalid_grant");
  });

  it("ends in an organization that requires a second factor, or refuses tokens of its age", async () => {
    const [strict, aged] = [
      await newOrganization(service, cookie, "strict"),
      await newOrganization(service, cookie, "aged"),
    ];
    const { tokens } = await connect(service, cookie, { tenantIds: [strict, aged] });
    const memberships = service.storage.database.raw.collection("memberships");
    await memberships.updateOne({ tenantId: strict }, { $set: { tenantFactorFrom: new Date(0) } });
    await memberships.updateOne({ tenantId: aged }, { $set: { tenantMaxTokenDays: 1 } });
    service.advance(30 * 60_000);
    assert.deepEqual(slugsOf(await actorOf(service, tokens.access_token)), ["aged"]);

    const grants = service.storage.database.raw.collection("oauth_grants");
    await grants.updateOne({}, { $set: { createdAt: new Date(Date.now() - 2 * 86_400_000) } });

    assert.deepEqual(slugsOf(await actorOf(service, tokens.access_token)), []);
  });

  const slugsOf = ({ memberships }: Awaited<ReturnType<typeof actorOf>>) =>
    memberships.map(({ tenantSlug }) => tenantSlug);

  it("is listed and revoked by its owner only", async () => {
    const tenantId = await newOrganization(service, cookie, "acme");
    const { tokens, clientId } = await connect(service, cookie, { access: "read", tenantIds: [tenantId] });
    const stranger = await signUp(service, "grace");

    const [grant] = (await grantsOf()) as object as Record<string, unknown>[];
    const id = String(grant!["id"]);
    const foreign = await service.call("DELETE", `/api/user/grants/${id}`, { cookie: stranger.cookie });
    const own = await service.call("DELETE", `/api/user/grants/${id}`, { cookie });
    const again = await service.call("DELETE", `/api/user/grants/${id}`, { cookie });

    const { createdAt: _c, expiresAt: _e, id: _i, ...shown } = grant!;
    assert.deepEqual(shown, {
      client: { id: clientId, name: "Agent", host: null },
      redirectsTo: { kind: "loopback", name: "127.0.0.1:4711" },
      access: "read",
      resource: `${service.url}/mcp`,
      organizations: [{ id: tenantId, slug: "acme", name: "acme" }],
    });
    assert.deepEqual([foreign.status, own.status, again.status], [404, 200, 404]);
    await assert.rejects(actorOf(service, tokens.access_token), revoked);
    assert.deepEqual(
      (await eventsOf()).map(({ name }) => name),
      ["user.grant_revoked", "user.grant_created"],
    );
  });

  it("is revoked by its client with any of its tokens, and by no other client", async () => {
    const revoke = (token: string, client_id: string) =>
      service.call("POST", "/oauth/revoke", { urlencoded: { token, client_id } });
    const other = await newClient(service);
    for (const which of ["access_token", "refresh_token"] as const) {
      const { tokens, clientId } = await connect(service, cookie);
      assert.equal(errorOf(await revoke(tokens[which], other)), "invalid_client");
      assert.equal((await actorOf(service, tokens.access_token)).userId, userId);

      assert.equal((await revoke(tokens[which], clientId)).status, 200);
      await assert.rejects(actorOf(service, tokens.access_token), revoked);
      assert.equal((await revoke(tokens[which], clientId)).status, 200);
    }
    assert.equal((await revoke("unknown", other)).status, 200);
    assert.equal(errorOf(await service.call("POST", "/oauth/revoke", { urlencoded: {} })), "invalid_request");
  });

  it("can't be given by a token, nor read or revoked by a restricted one", async () => {
    const made = await service.call("POST", "/api/user/tokens", {
      cookie,
      json: { name: "t", scopes: { skill: ["read"] } },
    });
    const token = String(made.body.data["token"]);
    const { id } = await openConsent(
      service,
      cookie,
      requestOf(service, await newClient(service), newPkce()),
    );

    const consent = await service.call("POST", "/oauth/consent", {
      token,
      form: { request: id, decision: "allow", access: "read" },
    });

    assert.equal(consent.status, 403);
    assert.equal((await service.call("GET", "/api/user/grants", { token })).status, 403);
    assert.equal((await decide(service, cookie, id)).status, 200);
  });

  it("is removed with its account's data, and unused clients after 30 days", async () => {
    const { tokens } = await connect(service, cookie);
    await newClient(service, "never used");
    const count = (name: string) => service.storage.database.raw.collection(name).countDocuments();
    await openConsent(service, cookie, requestOf(service, await newClient(service), newPkce()));
    assert.deepEqual([await count("oauth_clients"), await count("oauth_requests")], [3, 1]);

    service.advance(29 * 86_400_000);
    cookie = await signIn();
    const kept = await connect(service, cookie);
    service.advance(2 * 86_400_000);
    await service.settled();
    await purge(service.app);

    assert.deepEqual([await count("oauth_clients"), await count("oauth_requests")], [1, 0]);
    assert.equal(await count("oauth_grants"), 1);
    await assert.rejects(actorOf(service, tokens.access_token), /unknown/);
    assert.equal((await kept.renew(kept.tokens.refresh_token)).status, 200);
    const leaving = await signUp(service, "linus");
    await connect(service, leaving.cookie);
    await service.call("DELETE", "/api/user/account", { cookie: leaving.cookie, json: { password } });
    service.advance(2 * 60_000);
    await finishDeletion(service.app, { userId: leaving.id });
    assert.equal(await count("oauth_grants"), 1);
  });
});
