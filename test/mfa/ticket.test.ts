import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  password,
  setUpAccount,
  signUp,
  startAccounts,
  statusesOf,
  type AccountsService,
} from "../support/accounts-app.ts";
import { beginSignIn, cookieNamed, enrolTotp, type Enrolled } from "./fixture.ts";

const credentials = { email: "ada@example.org", password };

describe("the ticket of a sign-in", () => {
  let service: AccountsService;
  let session: string;
  setUpAccount((made) => ({ service, cookie: session } = made));

  const verify = (cookie: string | undefined, json: object) =>
    service.call("POST", "/api/auth/mfa/verify", { cookie: cookie || undefined, json });

  it("is used once: of concurrent uses with two factors, one succeeds", async () => {
    const enrolled = await enrolTotp(service, session);
    const { ticket, cookie } = await beginSignIn(service, credentials);

    const answers = await Promise.all([
      verify(cookie, { ticket, code: enrolled.nextCode() }),
      verify(cookie, { ticket, recoveryCode: enrolled.recoveryCodes[0] }),
    ]);

    assert.deepEqual(statusesOf(answers), [200, 401]);
    const again = await verify(cookie, { ticket, recoveryCode: enrolled.recoveryCodes[1] });
    assert.deepEqual(again.body.details, { reason: "ticket" });
  });

  const refusals: [name: string, use: (given: { ticket: string; cookie: string }) => Promise<object>][] = [
    ["from another browser", async ({ ticket }) => ({ ticket, cookie: `svc_device=${"A".repeat(43)}` })],
    ["without the browser's cookie", async ({ ticket }) => ({ ticket, cookie: undefined })],
    [
      "with another signature",
      async ({ ticket, cookie }) => ({ ticket: `${ticket.slice(0, -2)}AA`, cookie }),
    ],
    [
      "after five minutes",
      async (given) => {
        service.advance(5 * 60_000 + 1000);
        return given;
      },
    ],
    [
      "after the password was changed",
      async (given) => {
        const { cookie } = enrolled;
        const json = { currentPassword: password, newPassword: `${password} again` };
        const changed = await service.call("POST", "/api/user/password", { cookie, json });
        assert.equal(changed.status, 200, changed.text);
        return given;
      },
    ],
  ];
  let enrolled: Enrolled;
  for (const [name, use] of refusals) {
    it(`is refused ${name}, even with a right code`, async () => {
      enrolled = await enrolTotp(service, session);
      const begun = await beginSignIn(service, credentials);

      const { ticket, cookie } = (await use(begun)) as { ticket: string; cookie: string | undefined };
      const answer = await verify(cookie, { ticket, recoveryCode: enrolled.recoveryCodes[0] });

      assert.equal(answer.status, 401);
      assert.deepEqual(answer.body.details, { reason: "ticket" });
      assert.equal(cookieNamed(answer, "svc_session"), undefined);
    });
  }

  it("is no session: neither it nor the browser's cookie opens anything", async () => {
    enrolled = await enrolTotp(service, session);
    const { ticket, cookie } = await beginSignIn(service, credentials);

    const profile = await service.call("GET", "/api/user/profile", { token: ticket });
    assert.equal(profile.status, 401);
    assert.equal((await service.call("GET", "/api/user/profile", { cookie })).status, 401);
  });

  it("is refused where the account's password is wrong, with the error of every account", async () => {
    await enrolTotp(service, session);

    const wrong = await service.call("POST", "/api/auth/sign-in", {
      json: { ...credentials, password: `${password}!` },
    });

    assert.equal(wrong.body.code, "invalid_credentials");
    assert.equal(wrong.body.details, undefined);
  });

  it("works in the form, without script, for codes and recovery codes", async () => {
    enrolled = await enrolTotp(service, session);
    const form = { ...credentials, return_to: "/explore" };
    const page = await service.call("POST", "/sign-in", { form });
    assert.equal(page.status, 200, page.text);
    assert.match(page.text, /action="\/sign-in\/verify"/);
    const ticket = /name="ticket" value="([^"]+)"/.exec(page.text)![1]!;
    const cookie = cookieNamed(page, "svc_device")!;
    const send = (code: string, given = ticket) =>
      service.call("POST", "/sign-in/verify", {
        cookie,
        form: { ticket: given, code, kinds: "totp recovery", return_to: "/explore" },
      });

    const wrong = await send("000000");
    const right = await send(enrolled.nextCode());
    const used = await send(enrolled.recoveryCodes[0]!);

    assert.equal(wrong.status, 401);
    assert.match(wrong.text, /role="alert"[^]*name="ticket"/);
    assert.deepEqual([right.status, right.headers.get("location")], [303, "/explore"]);
    assert.ok(cookieNamed(right, "svc_session"));
    assert.match(used.text, /Sign in again/);
  });
});

describe("guessing codes", () => {
  let service: AccountsService;
  before(async () => void (service = await startAccounts({ rateLimits: true, trustProxy: 1 })));
  after(() => service.close());

  it("is limited per sign-in and per account, and does not lock the owner's browser out", async () => {
    await service.clear();
    service.app.config.trustProxy = 0;
    const { cookie: session, answer } = await signUp(service, "ada");
    const known = cookieNamed(answer, "svc_device")!;
    const enrolled = await enrolTotp(service, session);
    service.app.config.trustProxy = 1;
    let tries = 0;
    const from = (address: string, cookie?: string) => ({
      headers: { "x-forwarded-for": address },
      cookie: cookie || undefined,
    });
    const begin = async (address: string, cookie?: string) => {
      const begun = await service.call("POST", "/api/auth/sign-in", {
        json: credentials,
        ...from(address, cookie),
      });
      return { ticket: String(begun.body.data["ticket"]), cookie: cookieNamed(begun, "svc_device")! };
    };
    const statuses: number[] = [];
    for (let round = 0; round < 7; round++) {
      const address = `198.51.100.${round}`;
      const { ticket, cookie } = await begin(address);
      for (let guess = 0; guess < 6; guess++) {
        const json = { ticket, code: "000000" };
        const given = await service.call("POST", "/api/auth/mfa/verify", { json, ...from(address, cookie) });
        statuses.push(given.status);
        if (given.body.details?.["reason"] === "factor") tries++;
      }
    }

    assert.equal(tries, 20, "strangers together have 20 tries an hour");
    assert.ok(statuses.includes(429));
    const own = await begin("203.0.113.1", known);
    const json = { ticket: own.ticket, code: enrolled.nextCode() };
    const signedIn = await service.call("POST", "/api/auth/mfa/verify", {
      json,
      ...from("203.0.113.1", own.cookie),
    });
    assert.equal(signedIn.status, 200, signedIn.text);
  });
});
