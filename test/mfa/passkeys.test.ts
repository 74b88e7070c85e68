import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  cookieOf,
  password,
  setUpAccount,
  signUp,
  statusesOf,
  type AccountsService,
  type Answer,
} from "../support/accounts-app.ts";
import { newPasskey, type Ceremony, type SoftwarePasskey } from "./authenticator.ts";
import { beginSignIn, cookieNamed } from "./fixture.ts";

const credentials = { email: "ada@example.org", password };

describe("passkeys", () => {
  let service: AccountsService;
  let session: string;
  let origin: string;
  setUpAccount((made) => {
    ({ service, cookie: session } = made);
    // Browsers offer passkeys at names only.
    service.app.config.baseUrl = origin = service.url.replace("127.0.0.1", "localhost");
  });

  const post = (path: string, cookie: string, json: object = {}) =>
    service.call("POST", `/api/auth/${path}`, { cookie, json });

  /** The passkey, the handle of the account that it holds, and the session after its registration. */
  async function register(cookie: string, passkey = newPasskey(), counter = 0) {
    const options = await post("passkeys/register/options", cookie);
    assert.equal(options.status, 200, options.text);
    const { challenge, user } = options.body.data as typeof options.body.data & {
      challenge: string;
      user: { id: string };
    };
    const answer = await post("passkeys/register", cookie, {
      name: "Key",
      passkey: passkey.create({ challenge, origin, counter }),
    });
    return { passkey, userHandle: user.id, cookie: cookieNamed(answer, "svc_session") ?? cookie, answer };
  }

  /** Options for a sign-in: the challenge and the cookie of the browser that it is bound to. */
  async function ask(given: { cookie?: string; ticket?: string } = {}) {
    const json = given.ticket === undefined ? {} : { ticket: given.ticket };
    const answer = await post("passkeys/options", given.cookie ?? "", json);
    assert.equal(answer.status, 200, answer.text);
    const cookie = cookieNamed(answer, "svc_device") ?? given.cookie ?? "";
    return { challenge: String(answer.body.data["challenge"]), cookie };
  }
  const signIn = (cookie: string, passkey: SoftwarePasskey, ceremony: Omit<Ceremony, "origin">) =>
    post("passkeys/sign-in", cookie, { passkey: passkey.get({ origin, ...ceremony }) });

  it("sign in alone; the session counts as verified", async () => {
    const { passkey, userHandle } = await register(session);
    const { challenge, cookie } = await ask();

    const signedIn = await signIn(cookie, passkey, { challenge, userHandle });

    assert.equal(signedIn.status, 200, signedIn.text);
    const fresh = cookieNamed(signedIn, "svc_session")!;
    assert.equal((await post("mfa/recovery-codes", fresh)).status, 200);
  });

  it("are the second step after the password, once per ticket", async () => {
    const { passkey } = await register(session);
    const { ticket, cookie } = await beginSignIn(service, credentials);
    const { challenge } = await ask({ cookie, ticket });

    const json = { ticket, passkey: passkey.get({ challenge, origin }) };
    const answers = [await post("mfa/verify", cookie, json), await post("mfa/verify", cookie, json)];

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 401],
    );
  });

  it("confirm who the caller is, in the session whose options they answer", async () => {
    const registered = await register(session);
    const other = cookieNamed(await signInByPasskey(registered), "svc_session")!;
    service.advance(11 * 60_000);
    const { challenge } = await ask({ cookie: registered.cookie });
    const json = { passkey: registered.passkey.get({ challenge, origin }) };

    assert.equal((await post("reauthenticate", other, json)).status, 401);
    const stale = await post("mfa/recovery-codes", registered.cookie);
    assert.equal(stale.body.code, "reauthentication_required");
    assert.equal((await post("reauthenticate", registered.cookie, json)).status, 200);
    assert.equal((await post("mfa/recovery-codes", registered.cookie)).status, 200);
  });

  async function signInByPasskey({ passkey, userHandle }: Awaited<ReturnType<typeof register>>) {
    const { challenge, cookie } = await ask();
    return signIn(cookie, passkey, { challenge, userHandle });
  }

  it("use a challenge once, also at the same time", async () => {
    const { passkey, userHandle } = await register(session);
    const { challenge, cookie } = await ask();
    const answers = await Promise.all(
      [1, 2, 3].map(() => signIn(cookie, passkey, { challenge, userHandle })),
    );
    assert.deepEqual(statusesOf(answers), [200, 401, 401]);
  });

  const counters: [name: string, counters: number[], statuses: number[]][] = [
    ["that go back or stay, as those of a copy would", [5, 5, 4, 6], [200, 401, 401, 200]],
    ["that stay at 0, as those of synced passkeys", [0, 0], [200, 200]],
    ["that return to 0", [7, 0], [200, 401]],
  ];
  for (const [name, given, statuses] of counters) {
    it(`have counters ${name}`, async () => {
      const { passkey, userHandle } = await register(session);
      const seen: number[] = [];
      for (const counter of given) {
        const { challenge, cookie } = await ask();
        seen.push((await signIn(cookie, passkey, { challenge, userHandle, counter })).status);
      }
      assert.deepEqual(seen, statuses);
    });
  }

  const refusals: [name: string, ceremony: () => Promise<Partial<Ceremony> & { cookie?: string }>][] = [
    ["a challenge of another browser", async () => ({ challenge: (await ask()).challenge })],
    ["a challenge for a registration", async () => ({ challenge: await registrationChallenge() })],
    [
      "a challenge of the caller's own",
      async () => ({ challenge: Buffer.from("hello").toString("base64url") }),
    ],
    ["a page of another origin", async () => ({ origin: "http://localhost.example.org", rpId: "localhost" })],
    ["another relying party", async () => ({ rpId: "example.org" })],
    ["a user who was not verified", async () => ({ isUserVerified: false })],
    ["the handle of another account", async () => ({ userHandle: await otherHandle() })],
    ["no handle", async () => ({ userHandle: undefined })],
    ["a challenge older than five minutes", async () => (service.advance(5 * 60_000 + 1000), {})],
  ];
  async function registrationChallenge(): Promise<string> {
    const { cookie } = await signUp(service, "grace");
    return String((await post("passkeys/register/options", cookie)).body.data["challenge"]);
  }
  async function otherHandle(): Promise<string> {
    return (await register((await signUp(service, "bob")).cookie)).userHandle;
  }
  for (const [name, change] of refusals) {
    it(`are refused with ${name}`, async () => {
      const { passkey, userHandle } = await register(session);
      const { challenge, cookie } = await ask();
      const answer = await signIn(cookie, passkey, { challenge, userHandle, ...(await change()) });
      assert.equal(answer.status, 401, answer.text);
      assert.equal(answer.body.code, "invalid_credentials");
      assert.equal(cookieNamed(answer, "svc_session"), undefined);
    });
  }

  it("belong to one account", async () => {
    const { passkey } = await register(session);
    const { cookie } = await signUp(service, "bob");
    const again: Answer = (await register(cookie, passkey)).answer;
    assert.equal(again.body.code, "already_exists");
  });

  it("sign in to no suspended account", async () => {
    const registered = await register(session);
    const { id } = (await service.call("GET", "/api/user/profile", { cookie: registered.cookie })).body.data;
    await service.storage.database.raw
      .collection<{ _id: string }>("users")
      .updateOne({ _id: id }, { $set: { suspended: { at: new Date(), reason: "left" } } });
    const answer = await signInByPasskey(registered);
    assert.notEqual(answer.status, 200);
    assert.equal(cookieOf(answer).startsWith("svc_session"), false);
  });
});
