/** Links of mails, read and used by API calls, and the service's description of itself. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  AccessLinkPayload,
  EmailLinkPayload,
  ResetLinkPayload,
} from "../../contract/payloads/accounts/accounts.ts";
import type { ServicePayload } from "../../contract/payloads/service/service.ts";
import { deliverMails, deliverNotices } from "../support/mailbox.ts";
import { setUpService } from "../support/set-up.ts";

const password = "correct horse battery";
const email = "ada@example.com";

const { service } = await setUpService({ isEmptied: true });

const at = (path: string, token: string) => `${path}?token=${encodeURIComponent(token)}`;
const newestMail = async () => {
  await service.settled();
  return (await deliverMails(service.app)).at(-1)!;
};

describe("the link of a mail", () => {
  it("that confirms an address is read in a session of its account, and stays usable", async () => {
    const ada = await service.newUser("ada");
    const bob = await service.newUser("bob");
    await service.settled();
    const { token } = (await deliverMails(service.app)).find(({ to }) => to === email)!;
    const read = (session: { cookie?: string; token?: string }) =>
      service.call<EmailLinkPayload>("GET", at("/api/user/email/confirm", token), session);

    const own = await read({ cookie: ada.cookie });

    assert.deepEqual(own.data, { email, changes: false });
    assert.equal((await read({})).code, "unauthenticated");
    assert.equal((await read({ token: ada.token })).code, "forbidden");
    const asOther = await read({ cookie: bob.cookie });
    assert.equal(asOther.code, "forbidden");
    assert.doesNotMatch(JSON.stringify(asOther.body), /\bada\b/);
    const used = await service.call("POST", "/api/user/email/confirm", {
      cookie: ada.cookie,
      body: { token },
    });
    assert.equal(used.status, 200);
    assert.equal((await read({ cookie: ada.cookie })).details?.["reason"], "used");
  });

  it("for a new password reports whether API tokens end with it", async () => {
    const ada = await service.newUser("ada");
    const read = (token: string) =>
      service.call<ResetLinkPayload>("GET", at("/api/auth/password/reset", token));
    const ask = async () => {
      await service.call("POST", "/api/auth/password/forgot", { body: { email } });
      return (await newestMail()).token;
    };

    const unconfirmed = await read(await ask());
    await service.app.storage.users.markVerified(ada.id, email, service.app.now());
    const link = await ask();
    const confirmed = await read(link);
    const reset = await service.call("POST", "/api/auth/password/reset", {
      body: { token: link, password: "a staple that is new" },
    });

    assert.deepEqual([unconfirmed.data.endTokens, confirmed.data.endTokens], ["always", "optional"]);
    assert.equal(reset.status, 200);
    assert.equal((await read(link)).code, "refused");
    assert.equal((await read("nonsense")).details?.["reason"], "invalid");
  });

  it("about a new session ends it by a call, once and without a sign-in", async () => {
    await service.newUser("ada");
    await service.settled();
    await deliverNotices(service.app);
    const signedIn = await service.call("POST", "/api/auth/sign-in", { body: { email, password } });
    const cookie = signedIn.headers.getSetCookie()[0]!.split(";")[0]!;
    await service.settled();
    const { token } = (await deliverNotices(service.app)).at(-1)!;
    const holds = async () => (await service.call("GET", "/api/user/profile", { cookie })).status;
    const end = () => service.call<AccessLinkPayload>("POST", "/api/auth/end-access", { body: { token } });

    const read = await service.call<AccessLinkPayload>("GET", at("/api/auth/end-access", token));
    const before = await holds();
    const ended = await end();

    assert.equal(read.data.kind, "session");
    assert.match(read.data.description, /has had access to your account since/);
    assert.deepEqual([before, ended.status, await holds()], [200, 200, 401]);
    assert.equal((await end()).details?.["reason"], "used");
  });
});

describe("the description of the service", () => {
  it("reports whether it needs its first account, without a sign-in", async () => {
    const read = async () => (await service.call<ServicePayload>("GET", "/api/service")).data;
    const empty = await read();
    await service.newUser();
    const filled = await read();

    const { setupNeeded, signUpOpen, sso, mail, version } = empty;
    assert.deepEqual(
      { setupNeeded, signUpOpen, sso, mail, version },
      { setupNeeded: true, signUpOpen: true, sso: false, mail: false, version: "0.0.0-test" },
    );
    assert.equal(empty.name, "Skill registry");
    assert.deepEqual(filled, { ...empty, setupNeeded: false });
    service.app.config.signUp = "invite";
    const invited = await read();
    service.app.config.signUp = "open";
    assert.equal(invited.signUpOpen, false);
  });
});
