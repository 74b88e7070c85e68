/** Limits of the mails that invitations send to others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { InvitationPayload } from "../../contract/payloads/organizations/organizations.ts";
import { mailInvitation } from "../../src/orgs/invitations/mail.ts";
import { confirmAddress } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { newOrganization } from "../support/set-up.ts";
import { invitationMailsTo, makeFixture, type Fixture, setUpFixtures } from "./fixture.ts";

const dayMs = 86_400_000;
let fixture: Fixture;
const { service, clock } = await setUpFixtures((made) => (fixture = made));

describe("an invitation", () => {
  it("sends mails with a pause in between that outlasts a revocation, for all organizations together", async () => {
    const address = "patient@example.org";
    const elsewhere = await makeFixture(service);
    const inviteBy = async (by: Fixture) => {
      const made = await by.at<InvitationPayload>(by.owner, "POST", "/invitations", { email: address });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      await mailInvitation(service.app, made.data.id);
      return made.data.id;
    };
    const sent = async () => (await invitationMailsTo(service, address)).length;
    for (let round = 0; round < 3; round++)
      await fixture.at(fixture.owner, "DELETE", `/invitations/${await inviteBy(fixture)}`);
    const [own, others] = [await inviteBy(fixture), await inviteBy(elsewhere)];
    assert.equal(await sent(), 1);
    const waiting = await fixture.at<InvitationPayload[]>(fixture.owner, "GET", "/invitations");
    assert.deepEqual(
      waiting.data.map((one) => [one.id, one.mail]),
      [[own, "waiting"]],
    );

    clock.aheadMs = 10 * 60_000;
    for (const id of [own, others]) await mailInvitation(service.app, id);
    assert.equal(await sent(), 2);
    clock.aheadMs = 21 * 60_000;
    await mailInvitation(service.app, others);
    assert.equal(await sent(), 3);
    for (let round = 0; round < 8; round++) {
      clock.aheadMs += 11 * 60_000;
      const id = await inviteBy(fixture);
      await fixture.at(fixture.owner, "DELETE", `/invitations/${id}`);
    }
    assert.equal(await sent(), limits.invitationMails.recipient);
    const last = await inviteBy(fixture);
    clock.aheadMs += dayMs;
    const due = await service.app.storage.invitations.listMailsDue(service.app.now(), 10);
    assert.deepEqual(due, [last]);
    await mailInvitation(service.app, last);
    assert.equal(await sent(), limits.invitationMails.recipient + 1);
  });

  it("is refused once its sender or organization has sent too many, and revoking restores no quota", async () => {
    const admin = await fixture.join("admin");
    const { mailBudgets } = service.app.storage;
    const { inviter, organization } = limits.invitationMails;
    const fill = async (key: string, limit: number, count: number) => {
      for (let i = 0; i < count; i++)
        await mailBudgets.take(key, `m${i}`, { limit, windowMs: dayMs }, service.app.now());
    };
    const inviteBy = (by: TestUser, email: string) =>
      fixture.at<InvitationPayload>(by, "POST", "/invitations", { email });

    await fill(`inviter:${admin.id}`, inviter, inviter - 1);
    const last = await inviteBy(admin, "last@example.org");
    assert.equal(last.status, 201, JSON.stringify(last.body));
    assert.equal((await inviteBy(admin, "last@example.org")).status, 201, "the mail waits already");
    await fixture.at(admin, "DELETE", `/invitations/${last.data.id}`);
    const over = await inviteBy(admin, "over@example.org");
    assert.deepEqual([over.status, over.code], [429, "rate_limited"], JSON.stringify(over.body));
    assert.ok((over.details!["retryAfterSeconds"] as number) <= 86_401);
    assert.equal((await inviteBy(fixture.owner, "other@example.org")).status, 201);
    await fill(`organization:${fixture.org.id}`, organization, organization);
    assert.equal((await inviteBy(fixture.owner, "more@example.org")).code, "rate_limited");
    clock.aheadMs = dayMs + 1000;
    assert.equal((await inviteBy(admin, "over@example.org")).status, 201);
  });

  it("can be sent only by those who have confirmed their own address", async () => {
    const { owner: founder, org } = await newOrganization(service);
    const minted = await service.call<{ token: string }>("POST", `/api/tenants/${org.id}/tokens`, {
      token: founder.token,
      body: { name: "inviter" },
    });
    const invite = (token: string) =>
      service.call("POST", `/api/tenants/${org.id}/invitations`, {
        token,
        body: { email: "someone@example.org" },
      });
    for (const token of [founder.token, minted.data.token]) {
      const refused = await invite(token);
      assert.deepEqual([refused.status, refused.details?.["reason"]], [403, "address_unconfirmed"]);
    }
    await confirmAddress(service, founder);
    for (const token of [founder.token, minted.data.token]) assert.equal((await invite(token)).status, 201);
  });
});
