import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { IdentityPayload } from "../../contract/payloads/accounts/accounts.ts";
import type { EventRow } from "../../storage/outbox.ts";
import { deliverMails } from "../support/mailbox.ts";
import { startService, type TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";

const password = "correct horse battery";
const hourMs = 3_600_000;

const { service, clock } = await setUpService({
  stoppedAt: new Date("2026-05-01T12:00:00Z"),
  isEmptied: true,
});
const { advance, now } = clock;

const request = (user: TestUser, email: string) =>
  service.call<{ email: string; expiresAt: string }>("POST", "/api/user/email", {
    cookie: user.cookie,
    body: { email, password },
  });
const confirm = (token: string, session: { cookie?: string; token?: string } = {}) =>
  service.call<{ email: string; changed: boolean }>("POST", "/api/user/email/confirm", {
    body: { token },
    ...(session.cookie === undefined ? session : { cookie: session.cookie }),
  });
const profile = async (user: TestUser) =>
  (await service.call<IdentityPayload>("GET", "/api/user/profile", { cookie: user.cookie })).data;
const mails = async () => {
  await service.settled();
  return deliverMails(service.app);
};
const mailTo = async (address: string) => {
  const found = (await mails()).filter(({ to }) => to === address);
  assert.equal(found.length, 1, `mails to ${address}`);
  return found[0]!;
};
const eventsOf = async (user: TestUser) => {
  await service.settled();
  const rows = service.app.storage.database.collection<EventRow>("audit_events");
  return rows.find({ userId: user.id, name: "user.email_changed" }).toArray();
};
const signIn = (email: string) => service.call("POST", "/api/auth/sign-in", { body: { email, password } });

describe("the address of a new account", () => {
  it("is confirmed by the link that is sent to it, in a session of the account, once", async () => {
    const user = await service.newUser("ada");
    assert.equal((await profile(user)).emailVerified, false);
    const { token, subject, text, link } = await mailTo("ada@example.com");
    assert.equal(subject, "Confirm your e-mail address");
    assert.ok(text.includes('"ada"'));
    assert.ok(link.startsWith(`${service.url}/confirm-email?token=`));

    const confirmed = await confirm(token, user);

    assert.deepEqual(confirmed.data, { email: "ada@example.com", changed: false });
    assert.equal((await profile(user)).emailVerified, true);
    const again = await confirm(token, user);
    assert.equal(again.code, "refused");
    assert.equal(again.details?.["reason"], "used");
    assert.deepEqual(await eventsOf(user), []);
  });

  it("is not confirmed outside a session of the account", async () => {
    const user = await service.newUser("ada");
    const other = await service.newUser("bob");
    const { token } = await mailTo("ada@example.com");

    assert.equal((await confirm(token)).code, "unauthenticated");
    assert.equal((await confirm(token, { token: user.token })).code, "forbidden");
    const asOther = await confirm(token, other);
    assert.equal(asOther.code, "forbidden");
    assert.doesNotMatch(asOther.error!, /ada/);
    assert.equal((await profile(user)).emailVerified, false);
    assert.equal((await confirm(token, user)).status, 200);
  });

  it("is confirmed by one of twenty concurrent requests", async () => {
    const user = await service.newUser("ada");
    const { token } = await mailTo("ada@example.com");

    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(token, user)));

    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ details }) => details?.["reason"] === "used").length, 19);
  });

  it("is not confirmed by an expired link, and the mail is not sent after that time either", async () => {
    const user = await service.newUser("ada");
    const { token } = await mailTo("ada@example.com");
    const late = await service.newUser("late");
    advance(24 * hourMs);

    const refused = await confirm(token, user);

    assert.equal(refused.details?.["reason"], "expired");
    assert.deepEqual(await mails(), []);
    assert.equal((await service.app.storage.users.findWithMails(late.id))!.mailsDue!.length, 0);
    assert.equal((await service.app.storage.users.find(user.id))!.emailVerifiedAt, undefined);
  });

  it("is not confirmed by a token that was forged, altered or made for another purpose", async () => {
    const user = await service.newUser("ada");
    await service.newUser("bob");
    const delivered = await mails();
    const token = delivered.find(({ to }) => to === "ada@example.com")!.token;
    const other = delivered.find(({ to }) => to === "bob@example.com")!.token;
    const [id, end, signature] = token.split(".") as [string, string, string];
    const [otherId] = other.split(".") as [string];
    await service.call("POST", "/api/auth/password/forgot", { body: { email: "ada@example.com" } });
    const reset = await mailTo("ada@example.com");

    for (const wrong of [
      "x",
      `${otherId}.${end}.${signature}`,
      `${id}.zzzzzz.${signature}`,
      `${id}.${end}.${"A".repeat(43)}`,
      reset.token,
    ]) {
      const refused = await confirm(wrong, user);
      assert.equal(refused.code, "refused", wrong);
      assert.equal(refused.details?.["reason"], "invalid", wrong);
    }
    assert.equal((await profile(user)).emailVerified, false);
    for (const wrong of ["", "x".repeat(201), 7, null, { $ne: "" }])
      assert.equal((await confirm(wrong as string)).code, "invalid_request");
  });

  it("gets another link on request, which invalidates the previous one", async () => {
    const user = await service.newUser("ada");
    const first = await mailTo("ada@example.com");

    const asked = await service.call("POST", "/api/user/email/resend", { cookie: user.cookie });

    assert.equal(asked.status, 200);
    const second = await mailTo("ada@example.com");
    assert.equal((await confirm(first.token, user)).details?.["reason"], "used");
    assert.equal((await confirm(second.token, user)).status, 200);
    const late = await service.call("POST", "/api/user/email/resend", { cookie: user.cookie });
    assert.equal(late.code, "refused");
    assert.deepEqual(await mails(), []);
  });

  it("gets its mail after the queue was unavailable, and the sign-up succeeds", async () => {
    const { queue } = service.app;
    service.app.queue = { ...queue, enqueue: () => Promise.reject(new Error("away")) };
    try {
      const user = await service.newUser("ada");
      await service.settled();
      assert.equal((await profile(user)).emailVerified, false);
    } finally {
      service.app.queue = queue;
    }

    assert.equal((await mailTo("ada@example.com")).subject, "Confirm your e-mail address");
  });
});

describe("a new address for an account", () => {
  it("takes effect when its owner confirms it, and both addresses are notified", async () => {
    const user = await service.newUser("ada");
    await mails();

    const asked = await request(user, "Ada@New.example");

    assert.equal(asked.status, 200);
    assert.equal(asked.data.email, "Ada@New.example");
    assert.equal(Date.parse(asked.data.expiresAt), now().getTime() + 24 * hourMs);
    assert.equal((await profile(user)).email, "ada@example.com");
    const delivered = await mails();
    const notice = delivered.find(({ to }) => to === "ada@example.com")!;
    assert.equal(notice.subject, "Your e-mail address is about to change");
    assert.equal(notice.token, "");
    const { token } = delivered.find(({ to }) => to === "Ada@new.example" || to === "Ada@New.example")!;
    assert.equal(delivered.length, 2);

    const confirmed = await confirm(token, user);

    assert.deepEqual(confirmed.data, { email: "Ada@New.example", changed: true });
    const { email, emailVerified } = await profile(user);
    assert.deepEqual({ email, emailVerified }, { email: "Ada@New.example", emailVerified: true });
    assert.equal((await signIn("ada@new.example")).status, 200);
    assert.equal((await signIn("ada@example.com")).code, "invalid_credentials");
    assert.equal((await mailTo("ada@example.com")).subject, "Your e-mail address was changed");
    const [event, ...rest] = await eventsOf(user);
    assert.deepEqual(rest, []);
    assert.deepEqual(event!.actor, { type: "user", id: user.id, name: "ada" });
    assert.ok(!JSON.stringify(event).includes("@"));
  });

  it("is not confirmed by a click alone, since another person may have created the account", async () => {
    const attacker = await service.newUser("mallory");
    await mails();
    await request(attacker, "victim@example.com");
    const { token } = (await mails()).find(({ to }) => to === "victim@example.com")!;
    const other = await service.newUser("other");

    assert.equal((await confirm(token)).code, "unauthenticated");
    assert.equal((await confirm(token, other)).code, "forbidden");

    assert.equal((await profile(attacker)).email, "mallory@example.com");
  });

  it("frees the old address for others", async () => {
    const user = await service.newUser("ada");
    await mails();
    await request(user, "ada@new.example");
    const token = (await mails()).find(({ to }) => to === "ada@new.example")!.token;
    await confirm(token, user);

    const body = { email: "ada@example.com", password, name: "Other", username: "other" };
    assert.equal((await service.call("POST", "/api/auth/sign-up", { body })).status, 201);
  });

  it("requires the password, and a session or an unrestricted token", async () => {
    const user = await service.newUser("ada");
    const ask = (credentials: object, body: object) =>
      service.call("POST", "/api/user/email", { body, ...credentials });
    const narrow = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: user.cookie,
      body: { name: "narrow", scopes: { skill: ["read"] } },
    });
    const right = { email: "ada@new.example", password };

    assert.equal((await ask({}, right)).code, "unauthenticated");
    assert.equal((await ask({ token: narrow.data.token }, right)).code, "forbidden");
    const wrong = await ask({ cookie: user.cookie }, { ...right, password: "wrong wrong wrong" });
    assert.equal(wrong.code, "invalid_credentials");
    assert.equal(
      (await ask({ cookie: user.cookie }, { email: "no address", password })).code,
      "invalid_request",
    );
    assert.equal(
      (await ask({ cookie: user.cookie }, { email: "ada@example.com", password })).code,
      "refused",
    );
    assert.equal((await mails()).filter(({ to }) => to === "ada@new.example").length, 0);
    assert.equal((await ask({ token: user.token }, right)).status, 200);
  });

  it("that is in use is reported to that address only", async () => {
    const user = await service.newUser("ada");
    await service.newUser("bob");
    await mails();

    const taken = await request(user, "BOB@example.com");
    const takenMails = await mails();
    const free = await request(user, "free@example.com");

    assert.deepEqual(Object.keys(taken.body), Object.keys(free.body));
    assert.equal(taken.status, free.status);
    assert.deepEqual({ ...taken.data, email: "" }, { ...free.data, email: "" });
    const [notice] = takenMails.filter(({ to }) => to.toLowerCase() === "bob@example.com");
    assert.equal(notice!.subject, "This address has an account already");
    assert.equal(notice!.token, "");
    assert.ok(!notice!.text.includes('"ada"'), "the requester is not named");
  });

  it("that another account takes in the meantime can't be confirmed", async () => {
    const user = await service.newUser("ada");
    await mails();
    await request(user, "taken@example.com");
    const token = (await mails()).find(({ to }) => to === "taken@example.com")!.token;
    await service.newUser("taken");

    const refused = await confirm(token, user);

    assert.equal(refused.code, "already_exists");
    assert.equal((await profile(user)).email, "ada@example.com");
    assert.deepEqual(await eventsOf(user), []);
  });

  it("goes to one of twenty accounts that confirm it at once", async () => {
    const users = await Promise.all(Array.from({ length: 20 }, (_, at) => service.newUser(`user${at}`)));
    await mails();
    await Promise.all(users.map((user) => request(user, "shared@example.com")));
    const tokens = (await mails()).filter(({ to }) => to === "shared@example.com").map(({ token }) => token);
    assert.equal(tokens.length, 20);

    const ownerOf = (token: string) => users.find(({ id }) => token.startsWith(id));
    const answers = await Promise.all(tokens.map((token) => confirm(token, ownerOf(token))));

    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ code }) => code === "already_exists").length, 19);
    const profiles = await Promise.all(users.map(profile));
    assert.equal(profiles.filter(({ email }) => email === "shared@example.com").length, 1);
  });

  it("is changed and reported once for twenty concurrent uses of the link", async () => {
    const user = await service.newUser("ada");
    await mails();
    await request(user, "ada@new.example");
    const token = (await mails()).find(({ to }) => to === "ada@new.example")!.token;

    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(token, user)));

    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ details }) => details?.["reason"] === "used").length, 19);
    assert.equal((await eventsOf(user)).length, 1);
    assert.equal((await mails()).length, 1);
  });

  it("is replaced by the next requested one", async () => {
    const user = await service.newUser("ada");
    await mails();
    await request(user, "first@example.com");
    const first = (await mails()).find(({ to }) => to === "first@example.com")!;
    await request(user, "second@example.com");
    const second = (await mails()).find(({ to }) => to === "second@example.com")!;

    assert.equal((await confirm(first.token, user)).details?.["reason"], "used");
    assert.equal((await confirm(second.token, user)).status, 200);
    assert.equal((await profile(user)).email, "second@example.com");
  });

  it("is dropped together with its mail when the password is changed", async () => {
    const user = await service.newUser("ada");
    await mails();
    await request(user, "thief@example.com");
    const { token } = (await mails()).find(({ to }) => to === "thief@example.com")!;
    await request(user, "other@example.com");
    const body = { currentPassword: password, newPassword: "another password, mine" };
    const changed = await service.call("POST", "/api/user/password", { token: user.token, body });
    assert.equal(changed.status, 200);

    assert.equal((await confirm(token, user)).details?.["reason"], "used");
    const left = await mails();
    assert.equal(
      left.find(({ to }) => to === "other@example.com"),
      undefined,
    );
    assert.equal((await service.app.storage.users.find(user.id))!.email, "ada@example.com");
  });

  it("can be requested five times an hour, per account and per address", async (t) => {
    const limited = await startService({ rateLimits: true });
    t.after(() => limited.close());
    const ask = (who: TestUser, email: string) =>
      limited.call("POST", "/api/user/email", { token: who.token, body: { email, password } });
    const first = await limited.newUser();
    const second = await limited.newUser();

    const codes = [];
    for (let i = 0; i < 6; i++) codes.push((await ask(first, "victim@example.com")).code);
    assert.deepEqual(codes, [...Array.from({ length: 5 }, () => undefined), "rate_limited"]);
    assert.equal((await ask(second, "Victim@Example.com")).code, "rate_limited");
    assert.equal((await ask(second, "friend@example.com")).status, 200);
  });
});
