import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import { resetFactorsByEmail } from "../../src/mfa/reset.ts";
import {
  createToken,
  password,
  setUpAccount,
  signUp,
  type AccountsService,
} from "../support/accounts-app.ts";
import { deliverMails } from "../support/mailbox.ts";
import { beginSignIn, enrolTotp, type Enrolled } from "./fixture.ts";

describe("a reset of second factors", () => {
  let service: AccountsService;
  let administrator: string;
  let bob: { id: string; email: string; cookie: string };
  let enrolled: Enrolled;
  setUpAccount((made) => ({ service, cookie: administrator } = made));

  const signIn = () => service.call("POST", "/api/auth/sign-in", { json: { email: bob.email, password } });
  const profile = (by: { cookie: string } | { token: string }) =>
    service.call("GET", "/api/user/profile", by);
  const reset = (cookie: string, json: object) =>
    service.call("POST", `/api/admin/users/${bob.id}/reset-factors`, { cookie, json });
  async function newBob(): Promise<void> {
    bob = await signUp(service, "bob");
    enrolled = await enrolTotp(service, bob.cookie);
    await mails();
  }
  async function mails(): Promise<{ to: string; subject: string; text: string }[]> {
    await service.settled();
    return deliverMails(service.app);
  }
  async function events(): Promise<{ actor: { name: string }; metadata: object }[]> {
    await service.settled();
    const log = service.storage.database.raw.collection("audit_events");
    return (await log.find({ name: "mfa.reset" }).toArray()) as never;
  }

  it("by an administrator removes them, ends the sessions and tells the owner the reason", async () => {
    await newBob();
    const { ticket, cookie } = await beginSignIn(service, { email: bob.email, password });

    const answer = await reset(administrator, { reason: "lost the phone, seen in person" });

    assert.equal(answer.status, 200, answer.text);
    assert.equal((await profile({ cookie: enrolled.cookie })).status, 401);
    const half = { ticket, recoveryCode: enrolled.recoveryCodes[0] };
    assert.equal((await service.call("POST", "/api/auth/mfa/verify", { cookie, json: half })).status, 401);
    const signedIn = await signIn();
    assert.equal(signedIn.body.data["username"], "bob", signedIn.text);
    const [mail] = await mails();
    assert.equal(mail?.to, bob.email);
    assert.match(mail.text, /Reason: lost the phone, seen in person/);
    const [event] = await events();
    assert.equal(event?.actor.name, "ada");
    assert.deepEqual(event.metadata, { username: "bob", reason: "lost the phone, seen in person" });
  });

  it("keeps the account's tokens, which its owner made with a factor", async () => {
    await newBob();
    const { token } = await createToken(service, enrolled.cookie);
    await reset(administrator, { reason: "lost the phone" });
    assert.equal((await profile({ token })).status, 200);
  });

  it("needs an administrator, a reason and an account with a factor", async () => {
    await newBob();
    assert.equal((await reset(enrolled.cookie, { reason: "mine" })).status, 404);
    assert.equal((await reset(administrator, {})).body.code, "invalid_request");
    assert.equal((await reset(administrator, { reason: " " })).body.code, "invalid_request");
    await reset(administrator, { reason: "lost the phone" });
    assert.equal((await reset(administrator, { reason: "again" })).body.code, "refused");
    assert.equal((await events()).length, 1);
  });

  it("needs an administrator who has just verified who they are", async () => {
    await newBob();
    service.advance(limits.recentVerificationMs + 1000);
    const late = await reset(administrator, { reason: "lost the phone" });
    assert.equal(late.body.code, "reauthentication_required", late.text);
    assert.deepEqual(await events(), []);
  });

  it("by the operator, at the machine, does the same for an address in any case", async () => {
    await newBob();
    assert.equal(await resetFactorsByEmail(service.app, " BOB@example.org ", "lost the phone"), "bob");
    assert.equal((await profile({ cookie: enrolled.cookie })).status, 401);
    assert.equal((await signIn()).body.data["username"], "bob");
    assert.equal((await events())[0]?.actor.name, "operator");
    await assert.rejects(resetFactorsByEmail(service.app, "bob@example.org", "again"), /no second factor/);
    await assert.rejects(
      resetFactorsByEmail(service.app, "nobody@example.org", "a try"),
      /belongs to no account/,
    );
  });
});
