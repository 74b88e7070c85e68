import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  argon2Time,
  password,
  signUp,
  startAccounts,
  statusesOf,
  type Answer,
} from "../support/accounts-app.ts";
import { processorTime } from "../support/processor-time.ts";
import { closedAfter } from "../support/set-up.ts";

describe("lockout by other people", async () => {
  const service = await closedAfter(startAccounts({ rateLimits: true, trustProxy: 1 }));
  await service.clear();
  // The first account of a service is created without a proxy, or by the set-up link.
  service.app.config.trustProxy = 0;
  await signUp(service, "founder");
  service.app.config.trustProxy = 1;

  const home = "192.0.2.1";
  const tryFrom = (address: string, given: string, more: { cookie?: string; email?: string } = {}) =>
    service.call("POST", "/api/auth/sign-in", {
      json: { email: more.email ?? "ada@example.org", password: given },
      headers: { "x-forwarded-for": address, ...(more.cookie ? { cookie: more.cookie } : {}) },
    });
  const strangersFail = async (email?: string) => {
    const statuses: number[] = [];
    for (let i = 0; i < 25; i++)
      statuses.push((await tryFrom(`198.51.100.${i % 5}`, `wrong ${i}`, email ? { email } : {})).status);
    return statuses;
  };
  const deviceOf = (answer: Answer) =>
    answer.headers
      .getSetCookie()
      .find((cookie) => cookie.startsWith("svc_device="))!
      .split(";")[0]!;

  it("is not possible if the owner has signed in before: from a known address, or with a known browser", async () => {
    const email = "ada@example.org";
    const json = { email, password, name: "Ada", username: "ada" };
    const made = await service.call("POST", "/api/auth/sign-up", {
      json,
      headers: { "x-forwarded-for": home },
    });
    const device = deviceOf(made);

    assert.deepEqual(new Set((await strangersFail()).slice(20)), new Set([429]));

    assert.equal((await tryFrom("203.0.113.9", password)).status, 429, "a stranger with the right password");
    assert.equal((await tryFrom(home, password)).status, 200);
    assert.equal((await tryFrom("203.0.113.9", password, { cookie: device })).status, 200);
    assert.equal(
      (await tryFrom("203.0.113.10", password, { cookie: `svc_device=${"A".repeat(43)}` })).status,
      429,
    );
  });

  it("counts failures only", async () => {
    for (let i = 0; i < 12; i++) assert.equal((await tryFrom(home, password)).status, 200, `sign-in ${i}`);
  });

  it("does not lift the limit for known clients", async () => {
    const email = "eve@example.org";
    const headers = { "x-forwarded-for": "192.0.2.2" };
    const json = { email, password, name: "Eve", username: "eve" };
    await service.call("POST", "/api/auth/sign-up", { json, headers });

    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push((await tryFrom("192.0.2.2", `wrong ${i}`, { email })).status);

    assert.deepEqual(statuses, [...Array<number>(10).fill(401), 429]);
  });

  it("spends the time of a password check on throttled calls too", async () => {
    await strangersFail();
    const answers: Answer[] = [];
    const spent = await processorTime(async () => {
      for (let i = 0; i < 4; i++) answers.push(await tryFrom(`198.51.100.${10 + i}`, password));
    });

    assert.deepEqual(statusesOf(answers), [429, 429, 429, 429]);
    const least = (await argon2Time()) * 0.6;
    assert.ok(spent > 4 * least, `${spent / 4} µs, which is no argon2id`);
  });

  it("looks the same for an account that does not exist", async () => {
    const known = await strangersFail();
    const unknown = await strangersFail("nobody@example.org");

    assert.deepEqual(unknown.slice(20), known.slice(20));
    assert.deepEqual(new Set(unknown.slice(0, 20)), new Set([401]));
  });

  it("does not let sign-ups with a taken address use up the mails of its account", async () => {
    const json = { email: "mallory@example.org", password, name: "Mallory", username: "mallory" };
    const signUpFrom = (address: string) =>
      service.call("POST", "/api/auth/sign-up", { json, headers: { "x-forwarded-for": address } });
    const made = await signUpFrom("192.0.2.3");
    const session = made.headers.getSetCookie()[0]!.split(";")[0]!;

    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) statuses.push((await signUpFrom(`198.51.100.${40 + i}`)).status);
    const resent = await service.call("POST", "/api/user/email/resend", {
      headers: { cookie: session, origin: service.url },
    });

    assert.deepEqual(statuses, Array<number>(8).fill(409));
    assert.equal(resent.status, 200);
  });

  it("stores addresses and browsers only as hashes per account, the latest twenty", async () => {
    const { knownAddresses, knownDevices } =
      (await service.storage.users.findCredentials("ada@example.org"))!;
    assert.equal(knownAddresses!.length, 2);
    const bob = await signUp(service, "bob", {});
    for (let i = 0; i < 25; i++) {
      const hashes = { device: `device ${i}`, address: `address ${i}` };
      await service.storage.users.noteClient(bob.id, hashes, new Date(service.app.now().getTime() + i));
    }

    const stored = (await service.storage.users.findCredentials("bob@example.org"))!;
    assert.equal(stored.knownAddresses!.length, 20);
    assert.equal(stored.knownDevices!.at(-1)!.hash, "device 24");
    assert.ok(!JSON.stringify([knownAddresses, knownDevices]).includes(home));
    assert.ok(!("knownDevices" in (await service.storage.users.find(bob.id))!), "requests don't read them");
  });

  it("is not possible by requesting links for a new password either", async () => {
    const email = "ada@example.org";
    const forgot = (address: string) =>
      service.call("POST", "/api/auth/password/forgot", {
        json: { email },
        headers: { "x-forwarded-for": address },
      });
    const links = async () => {
      await service.settled();
      const account = await service.storage.users.findCredentials(email);
      const { mailsDue = [] } = (await service.storage.users.findWithMails(account!._id))!;
      return mailsDue.filter(({ kind }) => kind === "reset-password").length;
    };

    for (let i = 0; i < 12; i++) assert.equal((await forgot(`198.51.100.${i}`)).status, 200);
    assert.equal(await links(), 5, "strangers together cause five mails an hour");
    assert.equal((await forgot(home)).status, 200);
    assert.equal(await links(), 6);
  });
});
