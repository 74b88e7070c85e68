import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { IdentityPayload } from "../../contract/payloads/accounts/accounts.ts";
import {
  argon2Time,
  cookieOf,
  password,
  signUp,
  startAccounts,
  statusesOf,
  type AccountsService,
} from "../support/accounts-app.ts";
import { processorTime } from "../support/processor-time.ts";

describe("sign-up and sign-in", () => {
  let service: AccountsService;
  before(async () => void (service = await startAccounts()));
  beforeEach(() => service.clear());
  after(() => service.close());

  const signIn = (fields: object, more: object = {}) =>
    service.call("POST", "/api/auth/sign-in", { json: fields, ...more });

  it("creates an account, signs it in and returns its profile", async () => {
    const { answer, cookie } = await signUp(service, "ada");

    assert.equal(answer.status, 201);
    const identity = IdentityPayload.parse(answer.body.data);
    assert.equal(identity.email, "ada@example.org");
    const profile = await service.call("GET", "/api/user/profile", { cookie });
    assert.deepEqual(profile.body.data, identity);
  });

  it("stores passwords as argon2id and sessions as hashes only", async () => {
    const { cookie } = await signUp(service, "ada");

    const user = await service.storage.users.findCredentials("ada@example.org");
    assert.match(user!.passwordHash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const stored = JSON.stringify(
      await service.storage.database.raw.collection("sessions").find({}).toArray(),
    );
    assert.ok(!stored.includes(cookie.split("=")[1]!));
    assert.ok(!JSON.stringify(service.logged).includes(password));
  });

  it("sets a cookie that scripts can't read and other sites can't send", async () => {
    const { answer } = await signUp(service, "ada");

    const [cookie] = answer.headers.getSetCookie();
    assert.match(cookie!, /^svc_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=7776000$/);
  });

  it("binds the cookie to the host and to https if the service uses it", async () => {
    const overTls = await startAccounts({ baseUrl: "https://skills.example.org" });
    try {
      const { app } = overTls;
      const sign = { email: "tls@example.org", password, name: "T", username: "tls" };
      await signUp(service, "first");
      const answer = await overTls.call("POST", "/api/auth/sign-up", { json: sign });

      assert.match(
        answer.headers.getSetCookie()[0]!,
        /^__Host-svc_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=\d+$/,
      );
      const profile = await overTls.call("GET", "/api/user/profile", { cookie: cookieOf(answer) });
      assert.equal(profile.status, 200);
      assert.equal(app.config.baseUrl, "https://skills.example.org");
    } finally {
      await overTls.close();
    }
  });

  it("accepts the e-mail in any case, and returns the same error for a wrong password and an unknown account", async () => {
    await signUp(service, "ada");

    const right = await signIn({ email: " ADA@Example.ORG", password });
    const wrong = await signIn({ email: "ada@example.org", password: `${password}!` });
    const unknown = await signIn({ email: "nobody@example.org", password });

    assert.equal(right.status, 200);
    assert.equal(right.body.data["username"], "ada");
    for (const refused of [wrong, unknown]) {
      assert.equal(refused.status, 401);
      assert.equal(refused.body.code, "invalid_credentials");
      assert.equal(refused.body.error, wrong.body.error);
      assert.deepEqual(refused.headers.getSetCookie(), []);
    }
  });

  it("spends the time of a password check on an unknown account too", async () => {
    await signUp(service, "ada");
    await signIn({ email: "nobody@example.org", password });
    const work = (email: string) => processorTime(() => signIn({ email, password: "a wrong password" }));

    // The minimum of several measurements, since other work of this process counts as well.
    const rounds: { known: number; unknown: number }[] = [];
    for (let round = 0; round < 5; round++)
      rounds.push({ known: await work("ada@example.org"), unknown: await work("nobody@example.org") });
    const known = Math.min(...rounds.map((round) => round.known));
    const unknown = Math.min(...rounds.map((round) => round.unknown));

    assert.ok(unknown > known * 0.6, `unknown ${unknown} µs against ${known} µs`);
    const least = (await argon2Time()) * 0.6;
    assert.ok(known > least, `a check took ${known} µs, which is not argon2id`);
  });

  it("creates a new session at each sign-in and ends the one that the request came with", async () => {
    const { cookie: first } = await signUp(service, "ada");

    const again = await signIn({ email: "ada@example.org", password }, { cookie: first });
    const second = cookieOf(again);

    assert.notEqual(second, first);
    assert.equal((await service.call("GET", "/api/user/profile", { cookie: second })).status, 200);
    assert.equal((await service.call("GET", "/api/user/profile", { cookie: first })).status, 401);
  });

  it("never uses a session secret that the browser sent", async () => {
    await signUp(service, "ada");
    const planted = `svc_session=${"A".repeat(43)}`;

    const answer = await signIn({ email: "ada@example.org", password }, { cookie: planted });

    assert.notEqual(cookieOf(answer), planted);
    assert.equal((await service.call("GET", "/api/user/profile", { cookie: planted })).status, 401);
  });

  it("rejects forms with a session cookie that another site could send unnoticed", async () => {
    const { cookie } = await signUp(service, "ada");

    const answer = await service.call("POST", "/sign-out", { cookie, urlencoded: { confirm: "yes" } });

    assert.equal(answer.status, 415);
  });

  it("ends the session at sign-out and clears the cookie", async () => {
    const { cookie } = await signUp(service, "ada");

    const out = await service.call("POST", "/api/auth/sign-out", { cookie });

    assert.equal(out.status, 200);
    assert.deepEqual(out.body, { success: true });
    assert.match(out.headers.getSetCookie()[0]!, /^svc_session=; .*Max-Age=0$/);
    assert.equal((await service.call("GET", "/api/user/profile", { cookie })).status, 401);
  });

  it("rejects calls by cookie from another site", async () => {
    const { cookie, id } = await signUp(service, "ada");
    const foreign = { origin: "https://evil.example" };

    const byOther = await service.call("PATCH", "/api/user/profile", {
      cookie,
      json: { name: "Mallory" },
      headers: foreign,
    });
    const asNull = await service.call("POST", "/api/auth/sign-out", { cookie, headers: { origin: "null" } });
    const signInFromOutside = await signIn({ email: "ada@example.org", password }, { headers: foreign });

    for (const refused of [byOther, asNull, signInFromOutside]) assert.equal(refused.status, 403);
    assert.equal((await service.storage.users.find(id))?.name, "Name of ada");
    assert.equal((await service.call("GET", "/api/user/profile", { cookie })).status, 200);
  });

  it("keeps e-mail and user name unique in any spelling", async () => {
    await signUp(service, "ada");
    const other = { email: "other@example.org", username: "other" };

    const cases: [object, string][] = [
      [{ ...other, username: "ADA" }, "username"],
      [{ ...other, username: "ａｄａ" }, "username"],
      [{ ...other, email: "Ada@EXAMPLE.org" }, "email"],
      [{ ...other, email: "ａda@example.org" }, "email"],
    ];
    for (const [fields, field] of cases) {
      const { answer } = await signUp(service, "x", { ...fields });
      assert.equal(answer.status, 409, JSON.stringify(fields));
      assert.equal(answer.body.code, "already_exists");
      assert.equal(answer.body.details?.["field"], field);
    }
  });

  it("gives a user name to one of many concurrent sign-ups", async () => {
    await signUp(service, "first");

    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => signUp(service, "wanted", { email: `w${i}@example.org` })),
    );

    assert.deepEqual(statusesOf(answers.map(({ answer }) => answer)), [201, 409, 409, 409, 409, 409]);
  });

  it("rejects invalid accounts, and stores nothing of them", async () => {
    await signUp(service, "first");
    const wrong: Record<string, unknown>[] = [
      { password: "elevenchars" },
      { password: "x".repeat(257) },
      { password: 123456789012 },
      { password: "🙂".repeat(11) },
      { email: "no address" },
      { email: "a@b@c" },
      { email: "line\nbreak@example.org" },
      { email: `${"x".repeat(250)}@example.org` },
      { username: "a" },
      { username: "x".repeat(40) },
      { username: "-dash" },
      { username: "under_score" },
      { username: "admin" },
      { username: { $gt: "" } },
      { name: "" },
      { name: "a\u0000b" },
      { name: "right\u202Eto left" },
      { name: "x".repeat(101) },
      { unknown: true },
      { isAdministrator: true },
    ];

    for (const fields of wrong) {
      const { answer } = await signUp(service, "somebody", fields);
      assert.equal(answer.status, 400, JSON.stringify(fields));
      assert.equal(answer.body.code, "invalid_request");
    }
    assert.equal(await service.storage.database.raw.collection("users").countDocuments(), 1);
  });

  it("accepts passwords of 12 to 256 characters in any script and Unicode form", async () => {
    const composed = "pässwörd-één";
    const { answer } = await signUp(service, "ada", { password: composed.normalize("NFD") });
    const long = await signUp(service, "bob", { password: "🙂".repeat(256) });

    assert.equal(answer.status, 201);
    assert.equal(long.answer.status, 201);
    const right = await signIn({ email: "ada@example.org", password: composed.normalize("NFC") });
    assert.equal(right.status, 200);
  });

  it("rejects bodies of another type", async () => {
    const target = "/api/auth/sign-in";
    const body = JSON.stringify({ email: "a@b", password });

    const text = await service.call("POST", target, { raw: { type: "text/plain", body } });
    const form = await service.call("POST", target, { urlencoded: { email: "a@b", password } });
    const broken = await service.call("POST", target, { raw: { type: "application/json", body: "{" } });
    const array = await service.call("POST", target, { json: [] });
    const operators = await service.call("POST", target, { json: { email: { $ne: "" }, password } });

    assert.deepEqual([text.status, form.status], [415, 415]);
    assert.deepEqual([broken.status, array.status, operators.status], [400, 400, 400]);
  });
});

describe("throttling of sign-in", () => {
  let service: AccountsService;
  before(async () => {
    service = await startAccounts({ rateLimits: true });
    await service.clear();
  });
  after(() => service.close());

  it("blocks an account after too many guesses, even with the right password, and no others", async () => {
    await signUp(service, "ada");
    await signUp(service, "bob");
    const guess = (email: string, given: string) =>
      service.call("POST", "/api/auth/sign-in", { json: { email, password: given } });

    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push((await guess("ada@example.org", `wrong guess ${i}`)).status);
    const right = await guess("ADA@example.org", password);
    const other = await guess("bob@example.org", password);

    assert.deepEqual(statuses, [...Array<number>(10).fill(401), 429]);
    assert.equal(right.status, 429);
    assert.equal(right.body.code, "rate_limited");
    assert.ok(Number(right.headers.get("retry-after")) > 0);
    assert.equal(other.status, 200);
  });

  it("shows the same error on the page", async () => {
    const answer = await service.call("POST", "/sign-in", {
      form: { email: "ada@example.org", password, return_to: "/" },
    });

    assert.equal(answer.status, 429);
    assert.match(answer.headers.get("content-type")!, /^text\/html/);
    assert.ok(Number(answer.headers.get("retry-after")) > 0);
    assert.match(answer.text, /Too many requests/);
  });
});

describe("throttling behind a proxy", () => {
  let service: AccountsService;
  before(async () => {
    service = await startAccounts({ rateLimits: true, trustProxy: 1 });
    await service.clear();
  });
  after(() => service.close());

  it("uses the address that the proxy saw, not those that the caller added before it", async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) {
      const headers = { "x-forwarded-for": `10.0.0.${i}, 192.0.2.7` };
      statuses.push((await service.call("POST", "/api/auth/sign-up", { json: {}, headers })).status);
    }
    const headers = { "x-forwarded-for": "192.0.2.7, 192.0.2.8" };
    const other = await service.call("POST", "/api/auth/sign-up", { json: {}, headers });

    assert.deepEqual(statuses, [...Array<number>(10).fill(400), 429]);
    assert.equal(other.status, 400);
  });
});
