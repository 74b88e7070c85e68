import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EventRow } from "../../storage/outbox.ts";
import { deliverMails } from "../support/mailbox.ts";
import { startService, type TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";

const password = "correct horse battery";
const newPassword = "a staple that is new";
const hourMs = 3_600_000;

let ada: TestUser;
const { service, clock } = await setUpService({
  stoppedAt: new Date("2026-05-01T12:00:00Z"),
  isEmptied: true,
});
const { advance } = clock;

const forgot = (email: unknown) => service.call("POST", "/api/auth/password/forgot", { body: { email } });
const reset = (token: string, chosen: unknown = newPassword) =>
  service.call("POST", "/api/auth/password/reset", { body: { token, password: chosen } });
const signIn = (given: string) =>
  service.call("POST", "/api/auth/sign-in", { body: { email: "ada@example.com", password: given } });
const confirm = (token: string) =>
  service.call("POST", "/api/user/email/confirm", { cookie: ada.cookie, body: { token } });
const holds = async (cookie: string) =>
  (await service.call("GET", "/api/user/profile", { cookie })).status === 200;
const mails = async () => {
  await service.settled();
  return deliverMails(service.app);
};

/** An account with a confirmed address, and the token of a link that was sent to it. */
async function adaWithLink(): Promise<string> {
  ada = await service.newUser("ada");
  const [confirmation] = await mails();
  assert.equal((await confirm(confirmation!.token)).status, 200);
  return link();
}

async function link(): Promise<string> {
  assert.equal((await forgot("ada@example.com")).status, 200);
  const [mail, ...rest] = await mails();
  assert.deepEqual(rest, []);
  assert.equal(mail!.subject, "Choose a new password");
  assert.equal(mail!.to, "ada@example.com");
  return mail!.token;
}

const profileBy = (token: string) => service.call("GET", "/api/user/profile", { token });
describe("requesting a link for a new password", () => {
  it("returns the same for known, unknown and invalid addresses", async () => {
    ada = await service.newUser("ada");
    await mails();

    const answers = await Promise.all([" ADA@Example.com ", "nobody@example.com", "nonsense"].map(forgot));

    for (const { status, body } of answers)
      assert.deepEqual({ status, body }, { status: 200, body: { success: true } });
    assert.deepEqual(
      (await mails()).map(({ to }) => to),
      ["ada@example.com"],
    );
    for (const wrong of ["", 7, null, ["a@b"], { $gt: "" }, "x".repeat(255)])
      assert.equal((await forgot(wrong)).code, "invalid_request");
  });

  it("takes the same time for any address", async () => {
    const { users } = service.app.storage;
    const { findCredentials } = users;
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    users.findCredentials = async (emailKey) => {
      await held;
      return findCredentials(emailKey);
    };
    try {
      assert.equal((await forgot("ada@example.com")).status, 200);
    } finally {
      release!();
      users.findCredentials = findCredentials;
    }
  });

  it("is limited by address, known or not, and by caller", async (t) => {
    const limited = await startService({ rateLimits: true });
    t.after(() => limited.close());
    const ask = (email: string) => limited.call("POST", "/api/auth/password/forgot", { body: { email } });
    const user = await limited.newUser();

    for (const email of [`${user.username}@example.com`, "nobody@example.com"]) {
      const codes = [];
      for (let i = 0; i < 6; i++) codes.push((await ask(email)).code);
      assert.deepEqual(codes, [...Array.from({ length: 5 }, () => undefined), "rate_limited"], email);
    }
    const others = await Promise.all(Array.from({ length: 25 }, (_, i) => ask(`somebody${i}@example.com`)));
    assert.ok(others.some(({ code }) => code === "rate_limited"));
  });
});

describe("a link for a new password", () => {
  it("sets it, ends every session, keeps tokens and signs no one in", async () => {
    const token = await adaWithLink();

    const done = await reset(token);

    assert.equal(done.status, 200);
    assert.deepEqual(done.headers.getSetCookie(), []);
    assert.equal(await holds(ada.cookie), false);
    assert.equal((await service.call("GET", "/api/user/profile", { token: ada.token })).status, 200);
    assert.equal((await signIn(password)).code, "invalid_credentials");
    assert.equal((await signIn(newPassword)).status, 200);
    const [notice, ...rest] = await mails();
    assert.deepEqual(rest, []);
    assert.equal(notice!.subject, "Your password was changed");
    const rows = service.app.storage.database.collection<EventRow>("audit_events");
    const [event] = await rows.find({ userId: ada.id, name: "user.password_changed" }).toArray();
    assert.deepEqual(event!.metadata, { by: "mail link" });
    assert.deepEqual(event!.actor, { type: "user", id: ada.id, name: "ada" });
  });

  it("works once, also in twenty concurrent uses", async () => {
    const token = await adaWithLink();

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => reset(token, `${newPassword} ${i}`)),
    );

    const winner = answers.findIndex(({ status }) => status === 200);
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ details }) => details?.["reason"] === "used").length, 19);
    assert.equal((await signIn(`${newPassword} ${winner}`)).status, 200);
    const replayed = await reset(token, "yet another password");
    assert.equal(replayed.code, "refused");
    assert.equal(replayed.details?.["reason"], "used");
    assert.equal((await mails()).length, 1);
  });

  it("expires after an hour", async () => {
    const token = await adaWithLink();
    advance(hourMs - 1000);
    assert.equal((await reset(token, "short")).code, "invalid_request");
    advance(1000);

    const late = await reset(token);

    assert.equal(late.details?.["reason"], "expired");
    assert.equal((await signIn(password)).status, 200);
  });

  it("is not sent after that hour", async () => {
    await service.newUser("ada");
    await mails();
    await forgot("ada@example.com");
    await service.settled();
    advance(hourMs);

    assert.deepEqual(await mails(), []);
  });

  it("becomes invalid with any other change of the password", async () => {
    const token = await adaWithLink();
    const second = await link();
    await service.call("POST", "/api/user/password", {
      token: ada.token,
      body: { currentPassword: password, newPassword },
    });

    for (const old of [token, second]) assert.equal((await reset(old, "chosen by a thief")).code, "refused");
    assert.equal((await signIn(newPassword)).status, 200);
  });

  it("becomes invalid when the address that it was sent to changes", async () => {
    const token = await adaWithLink();
    await service.call("POST", "/api/user/email", {
      token: ada.token,
      body: { email: "ada@new.example", password },
    });
    const change = (await mails()).find(({ to }) => to === "ada@new.example")!;
    await confirm(change.token);

    assert.equal((await reset(token)).code, "refused");
  });

  it("cancels a pending change of address", async () => {
    const token = await adaWithLink();
    await service.call("POST", "/api/user/email", {
      token: ada.token,
      body: { email: "thief@example.com", password },
    });
    const change = (await mails()).find(({ to }) => to === "thief@example.com")!;

    await reset(token);

    const refused = await confirm(change.token);
    assert.equal(refused.details?.["reason"], "used");
  });

  it("is rejected if it was forged, altered or made for another purpose", async () => {
    ada = await service.newUser("ada");
    const [confirmation] = await mails();
    const token = await link();
    const bob = await service.newUser("bob");
    const [id, end, signature] = token.split(".") as [string, string, string];

    for (const wrong of [
      "x",
      confirmation!.token,
      `${bob.id}.${end}.${signature}`,
      `66aa00000000000000000001.${end}.${signature}`,
      `${id}.zzzzzz.${signature}`,
      `${id}.${end}.${"A".repeat(43)}`,
    ]) {
      const refused = await reset(wrong);
      assert.equal(refused.code, "refused", wrong);
      assert.ok(["invalid", "used"].includes(refused.details?.["reason"] as string), wrong);
    }
    for (const wrong of [null, 7, "", "x".repeat(201)])
      assert.equal((await reset(wrong as string)).code, "invalid_request");
    assert.equal((await signIn(password)).status, 200);
  });

  it("is stored neither in the database nor in the log", async () => {
    const logged: string[] = [];
    const loud = await startService({ logged });
    try {
      await loud.newUser("eve");
      await loud.call("POST", "/api/auth/password/forgot", { body: { email: "eve@example.com" } });
      await loud.settled();
      const delivered = await deliverMails(loud.app);
      assert.equal(delivered.length, 2);

      for (const { token } of delivered) {
        const signature = token.split(".")[2]!;
        assert.equal(signature.length, 43);
        for (const collection of await loud.app.storage.database.raw.collections())
          assert.ok(!JSON.stringify(await collection.find().toArray()).includes(signature));
        assert.ok(!logged.join("\n").includes(signature));
      }
      assert.doesNotMatch(logged.join("\n"), /eve@example/);
    } finally {
      await loud.close();
    }
  });
});

describe("the pages of links", () => {
  const session = () => ({ cookie: ada.cookie });
  const open = async (path: string, headers: Record<string, string> = {}) => {
    const response = await service.raw("GET", path, { headers });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const send = async (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const response = await service.raw("POST", path, {
      bytes: Buffer.from(new URLSearchParams(fields).toString()),
      headers: { "content-type": "application/x-www-form-urlencoded", origin: service.url, ...headers },
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  /** A request as the browser of a signed-in user sends it. */
  const sendSignedIn = async (path: string, fields: Record<string, string>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    const headers = { cookie: ada.cookie, origin: service.url };
    const response = await fetch(new URL(path, service.url), { method: "POST", headers, body });
    return { status: response.status, text: await response.text() };
  };
  const hiddenToken = (text: string) => /name="token" value="([^"]+)"/.exec(text)?.[1] ?? "";

  it("lead from the sign-in to a new password", async () => {
    ada = await service.newUser("ada");
    await mails();
    assert.match((await open("/sign-in")).text, /href="\/forgot-password"/);
    assert.match((await open("/forgot-password")).text, /name="email"/);

    const known = await send("/forgot-password", { email: "ada@example.com" });
    const unknown = await send("/forgot-password", { email: "nobody@example.com" });
    assert.equal(known.status, 200);
    assert.equal(known.text, unknown.text);
    const [mail] = await mails();
    const form = await open(mail!.link.slice(service.url.length));
    assert.equal(form.status, 200);
    assert.equal(hiddenToken(form.text), mail!.token);
    assert.equal(form.headers.get("cache-control"), "no-store");
    assert.equal(form.headers.get("referrer-policy"), "same-origin");

    const short = await send("/reset-password", { token: mail!.token, password: "short" });
    assert.equal(short.status, 400);
    assert.match(short.text, /Password: must have 12/);
    assert.equal(hiddenToken(short.text), mail!.token);
    const done = await send("/reset-password", { token: mail!.token, password: newPassword });
    assert.equal(done.status, 200);
    assert.match(done.text, /href="\/sign-in"/);
    assert.equal((await signIn(newPassword)).status, 200);

    const again = await open(mail!.link.slice(service.url.length));
    assert.equal(again.status, 422);
    assert.match(again.text, /used already/);
    assert.match(again.text, /href="\/forgot-password"/);
  });

  it("change nothing when they are opened, however often", async () => {
    ada = await service.newUser("ada");
    const [confirmation] = await mails();
    const path = confirmation!.link.slice(service.url.length);

    for (let i = 0; i < 3; i++) {
      const shown = await open(path, session());
      assert.equal(shown.status, 200);
      assert.match(shown.text, /ada@example\.com/);
      assert.match(shown.text, /<form method="post" action="\/confirm-email"/);
    }
    assert.equal((await service.call("GET", "/api/user/profile", ada)).data["emailVerified"], false);

    const done = await sendSignedIn("/confirm-email", {
      token: hiddenToken((await open(path, session())).text),
    });
    assert.equal(done.status, 200);
    assert.equal((await service.call("GET", "/api/user/profile", ada)).data["emailVerified"], true);
    const again = await sendSignedIn("/confirm-email", { token: confirmation!.token });
    assert.equal(again.status, 422);
    assert.match(again.text, /used already/);
  });

  it("require a sign-in to the account before they confirm its address", async () => {
    ada = await service.newUser("ada");
    const [confirmation] = await mails();
    const path = confirmation!.link.slice(service.url.length);
    const other = await service.newUser("bob");

    const opened = await open(path);
    const sent = await send("/confirm-email", { token: confirmation!.token });
    const asOther = await open(path, { cookie: other.cookie });

    for (const { status, headers } of [opened, sent]) {
      assert.equal(status, 303);
      assert.equal(headers.get("location"), `/sign-in?return_to=${encodeURIComponent(path)}`);
    }
    assert.equal(asOther.status, 403);
    assert.match(asOther.text, /another account/);
    assert.equal((await service.call("GET", "/api/user/profile", ada)).data["emailVerified"], false);
  });

  it("offer to end API tokens with each reset, and announce it when that always happens", async () => {
    ada = await service.newUser("ada");
    const [confirmation] = await mails();
    await service.call("POST", "/api/auth/password/forgot", { body: { email: "ada@example.com" } });
    const first = (await mails())[0]!.link.slice(service.url.length);
    assert.doesNotMatch((await open(first)).text, /type="checkbox"/);
    assert.match((await open(first)).text, /all API tokens and trust\s+policies of the account\s+end/);
    await confirm(confirmation!.token);

    const token = await link();
    const form = await open(`/reset-password?token=${token}`);
    assert.match(form.text, /name="end_tokens"\s+type="checkbox"\s+value="yes"\s+checked/);
    const unchecked = await send("/reset-password", { token, password: newPassword });
    assert.equal(unchecked.status, 200);
    assert.equal((await profileBy(ada.token)).status, 200);
    await mails();
    const second = await link();
    await send("/reset-password", { token: second, password: password, end_tokens: "yes" });
    assert.equal((await profileBy(ada.token)).status, 401);
  });

  it("accept no form of another site", async () => {
    ada = await service.newUser("ada");
    const [confirmation] = await mails();
    const foreign = { origin: "https://evil.example" };

    for (const [path, fields] of [
      ["/confirm-email", { token: confirmation!.token }],
      ["/forgot-password", { email: "ada@example.com" }],
      ["/reset-password", { token: confirmation!.token, password: newPassword }],
    ] as const)
      assert.equal((await send(path, fields, foreign)).status, 403, path);
    assert.deepEqual(await mails(), []);
  });

  it("explain what is wrong with a link, and escape it", async () => {
    const evil = `"><script>alert(1)</script>`;
    for (const path of ["/confirm-email", "/reset-password"])
      for (const token of ["", evil, "x".repeat(3000)]) {
        const shown = await open(`${path}?token=${encodeURIComponent(token)}`);
        assert.equal(shown.status, 422, path);
        assert.match(shown.text, /role="alert"/);
        assert.doesNotMatch(shown.text, /<script/);
      }
    const shown = await send("/forgot-password", { email: "" });
    assert.equal(shown.status, 400);
    assert.match(shown.text, /E-mail: /);
  });
});
