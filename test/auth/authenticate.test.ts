import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, beforeEach, describe, it } from "node:test";
import { purgeSessions } from "../../src/auth/sessions.ts";
import { createToken, signUp, startAccounts, type AccountsService } from "../support/accounts-app.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

describe("authentication of a request", () => {
  let service: AccountsService;
  before(async () => void (service = await startAccounts()));
  beforeEach(() => service.clear());
  after(() => service.close());

  const profile = (options: object) => service.call("GET", "/api/user/profile", options);

  it("accepts a personal token and records its use once a minute", async () => {
    const { cookie, id: userId } = await signUp(service, "ada");
    const { token } = await createToken(service, cookie);
    const lastUse = async () => {
      await service.settled();
      return (await service.storage.tokens.list({ userId }, undefined, 1))[0]?.lastUsedAt?.getTime();
    };
    assert.equal(await lastUse(), undefined);

    assert.equal((await profile({ token })).body.data["username"], "ada");
    const first = await lastUse();
    service.advance(30_000);
    await profile({ token });
    const soon = await lastUse();
    service.advance(31_000);
    await profile({ headers: { authorization: `bearer ${token}` } });
    const later = await lastUse();

    assert.ok(first !== undefined);
    assert.equal(soon, first);
    assert.ok(later! >= first + minuteMs);
  });

  it("rejects anything else in an Authorization header, and never falls back to the cookie", async () => {
    const { cookie } = await signUp(service, "ada");
    const { token } = await createToken(service, cookie);
    const headers = [
      "Bearer",
      "Bearer ",
      `Bearer lsk_${randomBytes(32).toString("hex")}`,
      `Bearer lskt_${randomBytes(32).toString("hex")}`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token}0`,
      `Bearer ${token.toUpperCase()}`,
      `Bearer ${token} ${token}`,
      `Token ${token}`,
      token,
      `Basic ${Buffer.from(`x:${token}`).toString("base64")}`,
      "Negotiate abc",
    ];

    for (const authorization of headers) {
      const answer = await profile({ cookie, headers: { authorization } });
      assert.equal(answer.status, 401, authorization);
      assert.equal(answer.body.code, "unauthenticated");
      assert.equal(answer.headers.get("www-authenticate"), 'Bearer realm="svc"');
    }
    const open = await service.call("GET", "/sign-up", { headers: { authorization: "Bearer junk" } });
    assert.equal(open.status, 401);
  });

  it("distinguishes an expired, a revoked and an unknown token", async () => {
    const { cookie } = await signUp(service, "ada");
    const short = await createToken(service, cookie, { expiresInDays: 1 });
    const revoked = await createToken(service, cookie);
    await service.call("DELETE", `/api/user/tokens/${revoked.id}`, { cookie });
    assert.equal((await profile({ token: short.token })).status, 200);
    service.advance(dayMs);

    const answers = await Promise.all([
      profile({ token: short.token }),
      profile({ token: revoked.token }),
      profile({ token: `lsk_${"0".repeat(64)}` }),
    ]);

    for (const { status } of answers) assert.equal(status, 401);
    assert.match(answers[0].body.error!, /expired at \d{4}-/);
    assert.match(answers[1].body.error!, /revoked/);
    assert.match(answers[2].body.error!, /not valid/);
  });

  it("rejects a token as soon as it is revoked", async () => {
    const { cookie } = await signUp(service, "ada");
    const { id, token } = await createToken(service, cookie);
    const statuses = async () =>
      (await Promise.all([1, 2, 3].map(() => profile({ token })))).map((a) => a.status);
    assert.deepEqual(await statuses(), [200, 200, 200]);

    await service.call("DELETE", `/api/user/tokens/${id}`, { cookie });

    assert.deepEqual(await statuses(), [401, 401, 401]);
  });

  it("uses the memberships at the time of the request", async () => {
    const { cookie, id } = await signUp(service, "ada");
    const { token } = await createToken(service, cookie);
    await service.call("POST", "/api/tenants", { token, json: { name: "Engines" } });
    const memberships = async () => (await profile({ token })).body.data["memberships"] as object[];
    assert.equal((await memberships()).length, 1);
    const [row] = await service.storage.memberships.listOfUser(id);

    await service.storage.memberships.remove(row!._id);

    assert.equal((await memberships()).length, 0);
  });

  it("treats a cookie without a live session as no cookie", async () => {
    const cookies = [
      "svc_session=x",
      `svc_session=${"A".repeat(43)}`,
      "svc_session=%00",
      "other=1",
      "svc_session=",
    ];

    for (const cookie of cookies) {
      assert.equal((await service.call("GET", "/sign-up", { cookie })).status, 200, cookie);
      assert.equal((await profile({ cookie })).status, 401, cookie);
    }
  });

  it("keeps a session for 14 idle days, sliding, and 90 days at most", async () => {
    const { cookie } = await signUp(service, "ada");
    const isLive = async () => {
      const { status } = await profile({ cookie });
      await service.settled();
      return status === 200;
    };

    for (let day = 0; day < 84; day += 12) {
      assert.ok(await isLive(), `day ${day}`);
      service.advance(12 * dayMs);
    }
    assert.ok(await isLive(), "day 84");
    service.advance(6 * dayMs - minuteMs);
    assert.ok(await isLive(), "just before 90 days");
    service.advance(2 * minuteMs);

    assert.equal(await isLive(), false);
  });

  it("ends a session after 14 days without use, and purges it", async () => {
    const { cookie } = await signUp(service, "ada");
    service.advance(14 * dayMs - minuteMs);
    assert.equal(await purgeSessions(service.app), 0);
    service.advance(2 * minuteMs);

    assert.equal((await profile({ cookie })).status, 401);
    assert.equal(await purgeSessions(service.app), 1);
  });

  it("writes a session's last use at most once a minute, and never restores an ended one", async () => {
    const { cookie } = await signUp(service, "ada");
    const sessions = service.storage.database.raw.collection("sessions");
    const seen = async () => {
      await profile({ cookie });
      await service.settled();
      return ((await sessions.findOne({})) as { lastSeenAt: Date } | null)?.lastSeenAt.getTime();
    };

    const first = await seen();
    service.advance(50_000);
    assert.equal(await seen(), first);
    service.advance(11_000);
    assert.ok((await seen())! > first!);
    const { _id } = (await sessions.findOne({}))!;
    await service.call("POST", "/api/auth/sign-out", { cookie });
    await service.storage.sessions.touch(String(_id), new Date(), new Date(Date.now() + dayMs));
    assert.equal(await sessions.countDocuments(), 0);
  });

  it("lets a restricted token read its identity, but nothing that belongs to the account", async () => {
    const { cookie } = await signUp(service, "ada");
    const { token, id } = await createToken(service, cookie, { scopes: { skill: ["read"] } });

    assert.equal((await profile({ token })).status, 200);
    const refused = await Promise.all([
      service.call("PATCH", "/api/user/profile", { token, json: { name: "Mallory" } }),
      service.call("GET", "/api/user/tokens", { token }),
      service.call("POST", "/api/user/tokens", { token, json: { name: "more" } }),
      service.call("DELETE", `/api/user/tokens/${id}`, { token }),
      service.call("GET", "/api/user/audit-log", { token }),
      service.call("POST", "/api/auth/device/decision", {
        token,
        json: { userCode: "BBBB-BBBB", approve: true },
      }),
    ]);

    for (const answer of refused) assert.equal(answer.status, 403, answer.text);
  });
});

describe("guessing tokens", () => {
  it("counts towards the address's budget", async () => {
    const service = await startAccounts({ rateLimits: true });
    try {
      const spent: string[] = [];
      const { app } = service;
      const consume = app.rateLimits.consume.bind(app.rateLimits);
      app.rateLimits.consume = (budget, caller) => {
        spent.push(budget);
        return consume(budget, caller);
      };

      const answer = await service.call("GET", "/sign-up", { token: `lsk_${"0".repeat(64)}` });

      assert.equal(answer.status, 401);
      assert.deepEqual(spent, ["general"]);
    } finally {
      await service.close();
    }
  });
});
