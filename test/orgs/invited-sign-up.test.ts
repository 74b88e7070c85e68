import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InvitationOutcomePayload } from "../../contract/payloads/organizations/organizations.ts";
import { setUpService } from "../support/set-up.ts";
import { makeFixture } from "./fixture.ts";

describe("sign-up where accounts are created by invitation only", async () => {
  const { service } = await setUpService({ signUp: "invite" });
  const fixture = await makeFixture(service);

  const account = (username: string, more: object = {}) => ({
    email: `${username}@example.org`,
    password: "correct horse battery",
    name: username,
    username,
    ...more,
  });
  const signUp = (body: object) => service.call("POST", "/api/auth/sign-up", { body });

  it("is open to the invited address, by the link that was sent there", async () => {
    const { id, token: invitationToken } = await fixture.invite(fixture.owner, "guest@example.org");

    assert.equal((await signUp(account("guest"))).code, "forbidden");
    assert.equal((await signUp(account("guest", { invitationToken: id }))).code, "forbidden");
    assert.equal((await signUp(account("other", { invitationToken }))).code, "forbidden");
    assert.equal(
      (await signUp(account("guest", { invitationToken: `${invitationToken}x` }))).code,
      "not_found",
    );
    const made = await signUp(account("guest", { invitationToken, email: "Guest@Example.org" }));
    assert.equal(made.status, 201, JSON.stringify(made.body));

    const cookie = made.headers.getSetCookie()[0]!.split(";")[0]!;
    const joined = await service.call("POST", `/api/invitations/${invitationToken}/accept`, { cookie });
    assert.equal(joined.status, 200);
    assert.equal((await signUp(account("again", { invitationToken }))).code, "conflict");
  });

  it("is open to the invited address, by the link that its sender copies where there is no mail server", async () => {
    const [sent] = (
      await fixture.at<InvitationOutcomePayload[]>(fixture.owner, "POST", "/invitations/batch", {
        emails: ["copy@example.org"],
      })
    ).data;
    const invitationToken = sent!.url!.slice(sent!.url!.lastIndexOf("/") + 1);

    assert.equal((await signUp(account("another", { invitationToken }))).code, "forbidden");
    assert.equal((await signUp(account("copy", { invitationToken }))).status, 201);
    const made = await service.app.storage.users.findCredentials("copy@example.org");
    assert.equal(made?.emailVerifiedAt, undefined);
  });

  it("works by the pages that the mail's link leads to", async () => {
    const { token } = await fixture.invite(fixture.owner, "paper@example.org");
    const back = `/invitations/${token}`;

    const closed = await service.raw("GET", "/sign-up");
    const open = await service.raw("GET", `/sign-up?return_to=${encodeURIComponent(back)}`);
    const form = new FormData();
    for (const [name, value] of Object.entries(account("paper", { return_to: back }))) form.set(name, value);
    const sent = await fetch(`${service.url}/sign-up`, {
      method: "POST",
      redirect: "manual",
      headers: { origin: service.url },
      body: form,
    });

    assert.deepEqual([closed.status, open.status, sent.status], [403, 200, 303]);
    assert.doesNotMatch(await open.text(), /name="organization"/);
    assert.equal(sent.headers.get("location"), back);
    const cookie = sent.headers.getSetCookie()[0]!.split(";")[0]!;
    assert.match(await (await service.raw("GET", back, { cookie })).text(), /value="accept"/);
  });
});
