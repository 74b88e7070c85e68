import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { qrCode, stepOf, totpUri } from "../../src/mfa/totp.ts";
import { password, setUpAccount, statusesOf, type AccountsService } from "../support/accounts-app.ts";
import { beginSignIn, cookieNamed, enrolTotp, totpCode } from "./fixture.ts";

/** RFC 6238, appendix B, for SHA-1: the last six of the eight digits. */
const vectors: [seconds: number, code: string][] = [
  [59, "94287082"],
  [1111111109, "07081804"],
  [1111111111, "14050471"],
  [1234567890, "89005924"],
  [2000000000, "69279037"],
  [20000000000, "65353130"],
];
/** "12345678901234567890" in base32. */
const vectorSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

describe("codes of authenticator apps", () => {
  it("are those of RFC 6238, and accepted one time step early or late only", () => {
    for (const [seconds, code] of vectors) {
      const at = (shift: number) => new Date((seconds + shift) * 1000);
      const step = Math.floor(seconds / 30);

      assert.equal(totpCode(vectorSecret, at(0), 8), code);
      for (const shift of [0, 30, -30].filter((one) => seconds + one >= 0))
        assert.equal(stepOf(vectorSecret, code.slice(2), at(shift)), step);
      assert.equal(stepOf(vectorSecret, code.slice(2), at(90)), undefined);
      assert.equal(stepOf(vectorSecret, code, at(0)), undefined, "eight digits");
    }
  });

  it("come with a QR code that is a drawing of its own", () => {
    const uri = totpUri(vectorSecret, "Skill registry (skills.example.org)", "ada");

    assert.match(uri, /^otpauth:\/\/totp\/.*secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ/);
    assert.match(uri, /algorithm=SHA1&digits=6&period=30/);
    assert.match(qrCode(uri), /^<svg [^>]*viewBox/);
    assert.doesNotMatch(qrCode(uri), /<script|href|http:\/\/(?!www\.w3\.org)/);
  });
});

describe("an authenticator app", () => {
  let service: AccountsService;
  let session: string;
  let userId: string;
  setUpAccount((made) => ({ service, cookie: session, userId } = made));

  const credentials = { email: "ada@example.org", password };
  const verify = (cookie: string, json: object) =>
    service.call("POST", "/api/auth/mfa/verify", { cookie, json });
  const eventsOf = async (name: string) => {
    await service.settled();
    const query = `/api/user/audit-log?action=${name}`;
    const { cookie } = current;
    const { body } = await service.call("GET", query, { cookie });
    return (body.data["entries"] as object[]).length;
  };
  const current = { cookie: "" };

  it("is asked for at the next sign-in, by ticket, and completes it with a new session", async () => {
    const enrolled = await enrolTotp(service, session);
    current.cookie = enrolled.cookie;

    const { answer, ticket, cookie } = await beginSignIn(service, credentials);
    assert.deepEqual(answer.body.data["mfaRequired"], ["totp", "recovery"]);
    assert.equal(cookieNamed(answer, "svc_session"), undefined);
    const done = await verify(cookie, { ticket, code: enrolled.nextCode() });

    assert.equal(done.status, 200, done.text);
    assert.equal(done.body.data["username"], "ada");
    const fresh = cookieNamed(done, "svc_session")!;
    assert.equal((await service.call("GET", "/api/user/profile", { cookie: fresh })).status, 200);
    assert.equal(await eventsOf("mfa.enabled"), 1);
  });

  it("is stored sealed, its codes hashed, and nothing of it is logged", async () => {
    const { secret, recoveryCodes } = await enrolTotp(service, session);

    const stored = JSON.stringify(await service.storage.database.raw.collection("users").find({}).toArray());
    for (const text of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replace("-", ""))]) {
      assert.ok(!stored.includes(text));
      assert.ok(!JSON.stringify(service.logged).includes(text));
    }
    assert.equal(recoveryCodes.length, 10);
    for (const code of recoveryCodes) assert.match(code, /^[A-Z2-7]{5}-[A-Z2-7]{5}$/);
  });

  it("ends the sessions that did not pass it, and gives the enrolling one a new secret", async () => {
    const other = await service.call("POST", "/api/auth/sign-in", { json: credentials });
    const { cookie } = await enrolTotp(service, session);

    const profile = (sent: string) => service.call("GET", "/api/user/profile", { cookie: sent });
    assert.equal((await profile(cookieNamed(other, "svc_session")!)).status, 401);
    assert.equal((await profile(session)).status, 401);
    assert.equal((await profile(cookie)).status, 200);
  });

  it("accepts a code once, also when two sign-ins send it at once", async () => {
    const enrolled = await enrolTotp(service, session);
    const [first, second] = [
      await beginSignIn(service, credentials),
      await beginSignIn(service, credentials),
    ];
    const code = enrolled.nextCode();

    const answers = await Promise.all([
      verify(first.cookie, { ticket: first.ticket, code }),
      verify(second.cookie, { ticket: second.ticket, code }),
    ]);

    assert.deepEqual(statusesOf(answers), [200, 401]);
    const third = await beginSignIn(service, credentials);
    const replayed = await verify(third.cookie, { ticket: third.ticket, code });
    assert.equal(replayed.status, 401);
    assert.match(String(replayed.body.error), /used already/);
    const earlier = totpCode(enrolled.secret, new Date(service.app.now().getTime() - 30_000));
    assert.equal((await verify(third.cookie, { ticket: third.ticket, code: earlier })).status, 401);
  });

  it("refuses the code that confirmed it", async () => {
    const { usedCode } = await enrolTotp(service, session);
    const { ticket, cookie } = await beginSignIn(service, credentials);

    const answer = await verify(cookie, { ticket, code: usedCode });

    assert.equal(answer.status, 401);
    assert.equal(answer.body.code, "invalid_credentials");
    assert.deepEqual(answer.body.details, { reason: "factor" });
  });

  it("is not enabled by a wrong code, another session's secret or an expired set-up", async () => {
    const begun = await service.call("POST", "/api/auth/mfa/totp", { cookie: session });
    const secret = String(begun.body.data["secret"]);
    const confirm = (code: string) =>
      service.call("POST", "/api/auth/mfa/totp/confirm", { cookie: session, json: { code } });

    const right = totpCode(secret, service.app.now());
    const wrong = await confirm(String((Number(right) + 1) % 1_000_000).padStart(6, "0"));
    service.advance(11 * 60_000);
    await service.call("POST", "/api/auth/reauthenticate", { cookie: session, json: { password } });
    const late = await confirm(totpCode(secret, service.app.now()));

    assert.equal(wrong.status, 401);
    assert.equal(late.status, 422);
    const state = await service.call("GET", "/api/auth/mfa", { cookie: session });
    assert.equal(state.body.data["enabled"], false);
  });

  it("can't be added, removed or renewed by an API token", async () => {
    const minted = await service.call("POST", "/api/user/tokens", { cookie: session, json: { name: "t" } });
    const token = String(minted.body.data["token"]);

    for (const [method, path] of [
      ["POST", "/api/auth/mfa/totp"],
      ["DELETE", "/api/auth/mfa"],
      ["POST", "/api/auth/mfa/recovery-codes"],
      ["POST", "/api/auth/passkeys/register/options"],
    ] as const) {
      const answer = await service.call(method, path, { token });
      assert.deepEqual([answer.status, answer.body.code], [403, "forbidden"], path);
    }
  });

  it("is removed with its codes, which ends the other sessions and sends a mail", async () => {
    const enrolled = await enrolTotp(service, session);
    current.cookie = enrolled.cookie;
    const { ticket, cookie } = await beginSignIn(service, credentials);
    const other = await verify(cookie, { ticket, code: enrolled.nextCode() });

    const removed = await service.call("DELETE", "/api/auth/mfa", { cookie: enrolled.cookie });

    assert.equal(removed.status, 200, removed.text);
    current.cookie = cookieNamed(removed, "svc_session")!;
    const otherSession = cookieNamed(other, "svc_session")!;
    assert.equal((await service.call("GET", "/api/user/profile", { cookie: otherSession })).status, 401);
    assert.equal(await eventsOf("mfa.disabled"), 1);
    const user = await service.storage.users.findCredentialsById(userId);
    assert.equal(user?.hasFactor, undefined);
    assert.equal(user?.factors?.recovery, undefined);
    const again = await service.call("POST", "/api/auth/sign-in", { json: credentials });
    assert.equal(again.body.data["username"], "ada");
    assert.equal((await service.call("DELETE", "/api/auth/mfa", { cookie: current.cookie })).status, 404);
  });
});

describe("a recovery code", () => {
  let service: AccountsService;
  let session: string;
  setUpAccount((made) => ({ service, cookie: session } = made));
  const credentials = { email: "ada@example.org", password };
  const verify = (cookie: string, json: object) =>
    service.call("POST", "/api/auth/mfa/verify", { cookie, json });

  it("signs in once, in any case and without its dash, and is reported", async () => {
    const { recoveryCodes, cookie: enrolled } = await enrolTotp(service, session);
    const [code] = recoveryCodes;
    const attempts = [await beginSignIn(service, credentials), await beginSignIn(service, credentials)];

    const answers = await Promise.all(
      attempts.map(({ cookie, ticket }) =>
        verify(cookie, { ticket, recoveryCode: code!.replace("-", " ").toLowerCase() }),
      ),
    );

    assert.deepEqual(statusesOf(answers), [200, 401]);
    const state = await service.call("GET", "/api/auth/mfa", { cookie: enrolled });
    assert.equal((state.body.data["recoveryCodes"] as { left?: number }).left, 9);
    await service.settled();
    const log = await service.call("GET", "/api/user/audit-log?action=mfa.recovery_code_used", {
      cookie: enrolled,
    });
    assert.equal((log.body.data["entries"] as object[]).length, 1);
  });

  it("is worth nothing after the codes were renewed", async () => {
    const { recoveryCodes, cookie } = await enrolTotp(service, session);

    const renewed = await service.call("POST", "/api/auth/mfa/recovery-codes", { cookie });

    const fresh = renewed.body.data["recoveryCodes"] as string[];
    assert.equal(fresh.length, 10);
    const previous = await beginSignIn(service, credentials);
    const refused = await verify(previous.cookie, {
      ticket: previous.ticket,
      recoveryCode: recoveryCodes[1],
    });
    const accepted = await verify(previous.cookie, { ticket: previous.ticket, recoveryCode: fresh[1] });
    assert.deepEqual([refused.status, accepted.status], [401, 200]);
  });
});
