import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import type { EventRow } from "../../storage/outbox.ts";
import { deliverMails } from "../support/mailbox.ts";
import { startService, type TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";

const password = "correct horse battery";
const newPassword = "a staple that is wrong";

let user: TestUser;

const { service } = await setUpService();

afterEach(() => service.settled());

const change = (credentials: object, body: object = { currentPassword: password, newPassword }) =>
  service.call("POST", "/api/user/password", { body, ...credentials });
const signIn = (who: TestUser, given: string) =>
  service.call("POST", "/api/auth/sign-in", {
    body: { email: `${who.username}@example.com`, password: given },
  });
const cookieOf = (answer: { headers: Headers }) => answer.headers.getSetCookie()[0]!.split(";")[0]!;
const holds = async (cookie: string) =>
  (await service.call("GET", "/api/user/profile", { cookie })).status === 200;
const eventsOf = async (who: TestUser) => {
  await service.settled();
  const rows = service.app.storage.database.collection<EventRow>("audit_events");
  return rows.find({ userId: who.id, name: "user.password_changed" }).toArray();
};

/** Removes the mails about sign-ins: a session is kept until its mail is sent. */
const dropNotices = () =>
  service.app.storage.database.collection("sessions").updateMany({}, { $unset: { notice: true } });

describe("changing the password", () => {
  it("accepts only the new one from then on", async () => {
    user = await service.newUser();

    const changed = await change({ cookie: user.cookie });

    assert.equal(changed.status, 200);
    assert.deepEqual(changed.body, { success: true });
    assert.equal((await signIn(user, password)).code, "invalid_credentials");
    assert.equal((await signIn(user, newPassword)).status, 200);
    const [event, ...rest] = await eventsOf(user);
    assert.deepEqual(rest, []);
    assert.equal(event!.resourceId, user.id);
    assert.ok(!JSON.stringify(event).includes(newPassword));
  });

  it("ends all other sessions, gives the caller's session a new secret and keeps API tokens", async () => {
    user = await service.newUser();
    const other = cookieOf(await signIn(user, password));
    await dropNotices();

    const changed = await change({ cookie: user.cookie });

    const fresh = cookieOf(changed);
    assert.notEqual(fresh, user.cookie);
    assert.deepEqual(await Promise.all([other, user.cookie, fresh].map(holds)), [false, false, true]);
    assert.equal((await service.call("GET", "/api/user/profile", { token: user.token })).status, 200);
    const listed = await service.call<{ current: boolean }[]>("GET", "/api/user/sessions", { cookie: fresh });
    assert.deepEqual(
      listed.data.map(({ current }) => current),
      [true],
    );
    await service.settled();
    const rows = service.app.storage.database.collection<{ userId: string }>("sessions");
    assert.equal(await rows.countDocuments({ userId: user.id }), 1);
  });

  it("by a token ends every session and creates none", async () => {
    user = await service.newUser();

    const changed = await change({ token: user.token });

    assert.equal(changed.status, 200);
    assert.deepEqual(changed.headers.getSetCookie(), []);
    assert.equal(await holds(user.cookie), false);
    assert.equal((await service.call("GET", "/api/user/profile", { token: user.token })).status, 200);
  });

  it("notifies the owner by mail, without a link", async () => {
    user = await service.newUser();
    await deliverMails(service.app);
    await change({ cookie: user.cookie });
    await service.settled();

    const mails = await deliverMails(service.app);

    assert.deepEqual(
      mails.map(({ to, subject }) => ({ to, subject })),
      [{ to: `${user.username}@example.com`, subject: "Your password was changed" }],
    );
    assert.match(mails[0]!.text, /API tokens go on working/);
    assert.equal(mails[0]!.token, "");
  });

  it("requires the current password from every caller", async () => {
    user = await service.newUser();
    for (const credentials of [{ cookie: user.cookie }, { token: user.token }]) {
      const refused = await change(credentials, { currentPassword: `${password}!`, newPassword });
      assert.equal(refused.code, "invalid_credentials");
    }
    assert.equal(await holds(user.cookie), true);
    assert.equal((await change({})).code, "unauthenticated");
    assert.deepEqual(await eventsOf(user), []);
  });

  it("is refused to a restricted token, even with the password", async () => {
    user = await service.newUser();
    const made = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: user.cookie,
      body: { name: "narrow", scopes: { skill: ["read"] } },
    });

    assert.equal((await change({ token: made.data.token })).code, "forbidden");
    assert.equal((await signIn(user, password)).status, 200);
  });

  for (const [what, body] of [
    ["too short", { currentPassword: password, newPassword: "short" }],
    ["too long", { currentPassword: password, newPassword: "x".repeat(257) }],
    ["not a string", { currentPassword: password, newPassword: ["x".repeat(20)] }],
    ["missing", { currentPassword: password }],
    ["combined with an unknown field", { currentPassword: password, newPassword, keepSessions: true }],
  ] as const)
    it(`rejects a new password that is ${what}`, async () => {
      user = await service.newUser();
      assert.equal((await change({ cookie: user.cookie }, body)).code, "invalid_request");
    });

  it("rejects the current one as the new one, in any Unicode form", async () => {
    user = await service.newUser();
    const composed = "Zo\u00eb und die Kreidezeit";
    await change({ token: user.token }, { currentPassword: password, newPassword: composed });

    const refused = await change(
      { token: user.token },
      { currentPassword: composed, newPassword: composed.normalize("NFD") },
    );

    assert.equal(refused.code, "refused");
  });

  it("succeeds once in twenty concurrent calls, whose session alone remains valid", async () => {
    user = await service.newUser();
    const cookies = await Promise.all(
      Array.from({ length: 20 }, async () => cookieOf(await signIn(user, password))),
    );

    await dropNotices();

    const answers = await Promise.all(
      cookies.map((cookie, at) =>
        change({ cookie }, { currentPassword: password, newPassword: `${newPassword} ${at}` }),
      ),
    );

    const done = answers.filter(({ status }) => status === 200);
    assert.equal(done.length, 1);
    for (const { status, code } of answers)
      if (status !== 200)
        assert.ok(
          ["conflict", "invalid_credentials", "unauthenticated"].includes(code!),
          `${status} ${code}`,
        );
    assert.equal(await holds(cookieOf(done[0]!)), true);
    assert.deepEqual([...new Set(await Promise.all(cookies.map(holds)))], [false]);
    assert.equal((await signIn(user, `${newPassword} ${answers.indexOf(done[0]!)}`)).status, 200);
    assert.equal((await eventsOf(user)).length, 1);
    await service.settled();
    const rows = service.app.storage.database.collection<{ userId: string }>("sessions");
    assert.equal(await rows.countDocuments({ userId: user.id }), 2, "no session is left over");
  });

  it("ends a concurrent sign-in that has checked the old password but not created its session yet", async () => {
    user = await service.newUser();
    const { sessions } = service.app.storage;
    const { insert } = sessions;
    sessions.insert = async (session) => {
      sessions.insert = insert;
      await change({ token: user.token });
      await insert(session);
    };

    const late = await signIn(user, password);

    assert.equal(late.status, 200);
    assert.equal(await holds(cookieOf(late)), false);
  });

  it("requires the service's own origin if a cookie authenticates the call", async () => {
    user = await service.newUser();
    const { status } = await service.call("POST", "/api/user/password", {
      cookie: user.cookie,
      body: { currentPassword: password, newPassword },
      headers: { origin: "https://evil.example" },
    });

    assert.equal(status, 403);
    assert.equal((await signIn(user, password)).status, 200);
  });
});

describe("guessing the current password", () => {
  it("counts towards the limit of sign-ins", async (t) => {
    const limited = await startService({ rateLimits: true });
    t.after(() => limited.close());
    const victim = await limited.newUser();
    const guess = () =>
      limited.call("POST", "/api/user/password", {
        token: victim.token,
        body: { currentPassword: "wrong wrong wrong", newPassword },
      });

    const codes = [];
    for (let i = 0; i < 11; i++) codes.push((await guess()).code);

    assert.deepEqual(codes, [...Array.from({ length: 10 }, () => "invalid_credentials"), "rate_limited"]);
    const signedIn = await limited.call("POST", "/api/auth/sign-in", {
      body: { email: `${victim.username}@example.com`, password },
    });
    assert.equal(signedIn.code, "rate_limited");
  });
});
