import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { IdentityPayload } from "../../contract/payloads/accounts/accounts.ts";
import type {
  InvitationPayload,
  JoinedPayload,
} from "../../contract/payloads/organizations/organizations.ts";
import { MailError } from "../../src/mail/mailer.ts";
import { mailInvitation } from "../../src/orgs/invitations/mail.ts";
import { createInvitedMembership } from "../../src/orgs/invitations/membership.ts";
import { purge } from "../../workers/maintenance/purge.ts";
import { reconcile } from "../../workers/maintenance/reconcile.ts";
import type { TestUser } from "../support/service.ts";
import { invitationMailsTo, makeFixture, type Fixture, setUpFixtures } from "./fixture.ts";

const dayMs = 86_400_000;
let fixture: Fixture;
const { service, clock } = await setUpFixtures((made) => (fixture = made));

const emailOf = (user: TestUser) => `${user.username}@example.com`;
const answer = (user: TestUser, token: string, act: "accept" | "decline" = "accept") =>
  service.call<JoinedPayload>("POST", `/api/invitations/${token}/${act}`, { token: user.token });
const profile = async (user: TestUser) =>
  (await service.call<IdentityPayload>("GET", "/api/user/profile", { token: user.token })).data;
const memberships = (user: TestUser) => fixture.countActive(user);

describe("an invitation", () => {
  it("adds its recipient with the role and the teams it names", async () => {
    const guest = await service.newUser();
    const team = await fixture.newTeam("Writers");
    const { token } = await fixture.invite(fixture.owner, emailOf(guest).toUpperCase(), {
      role: "viewer",
      teamIds: [team],
    });

    const joined = await answer(guest, token);

    assert.equal(joined.status, 200, JSON.stringify(joined.body));
    assert.deepEqual(joined.data, {
      tenantId: fixture.org.id,
      tenantSlug: fixture.org.slug,
      tenantName: fixture.org.slug,
      role: "viewer",
    });
    const member = await fixture.memberOf(guest);
    assert.deepEqual([member?.role, member?.teamIds], ["viewer", [team]]);
    assert.deepEqual(
      (await profile(guest)).memberships.map((one) => one.slug),
      [fixture.org.slug],
    );
    assert.deepEqual((await fixture.events()).slice(-2), [
      "organization.member_invited",
      "organization.member_joined",
    ]);
  });

  it("is mailed to its address once, with one link and no remote content", async () => {
    await service.call("PATCH", `/api/tenants/${fixture.org.id}`, {
      token: fixture.owner.token,
      body: { name: "Win at evil.example now" },
    });
    const { id } = await fixture.invite(fixture.owner, "new.person@example.org");
    await mailInvitation(service.app, id);
    const again = await fixture.at<InvitationPayload>(fixture.owner, "POST", "/invitations", {
      email: "new.person@example.org",
      role: "viewer",
    });
    await mailInvitation(service.app, id);

    const mails = await invitationMailsTo(service, "new.person@example.org");

    assert.deepEqual(
      [again.status, again.data.id, again.data.role, again.data.mail],
      [201, id, "viewer", "sent"],
    );
    assert.equal(mails.length, 1);
    assert.ok(!mails[0]!.text.includes("evil.example"), mails[0]!.text);
    assert.ok(!/<(img|script|link)/i.test(mails[0]!.html));
    clock.aheadMs = 11 * 60_000;
    await fixture.at(fixture.owner, "POST", "/invitations", { email: "new.person@example.org" });
    await mailInvitation(service.app, id);
    assert.equal((await invitationMailsTo(service, "new.person@example.org")).length, 2);
  });

  it("shows its token to the recipient only", async () => {
    const { token } = await fixture.invite(fixture.owner, "quiet@example.org");
    const signature = token.split(".")[2]!;

    const list = await fixture.at<InvitationPayload[]>(fixture.owner, "GET", "/invitations");

    assert.deepEqual(
      list.data.map((one) => [one.email, one.role, one.mail]),
      [["quiet@example.org", "member", "sent"]],
    );
    assert.ok(!JSON.stringify(list.body).includes(signature));
    const stored = await service.app.storage.database.raw.collection("invitations").find().toArray();
    assert.ok(!JSON.stringify(stored).includes(signature));
  });

  it("is not found for another address, and does not reveal its recipient", async () => {
    const guest = await service.newUser();
    const other = await service.newUser();
    const { id, token } = await fixture.invite(fixture.owner, emailOf(guest));

    const byLink = await answer(other, token);
    const byId = await answer(other, id);
    const declined = await answer(other, token, "decline");

    assert.deepEqual([byLink.status, byLink.code], [403, "forbidden"]);
    assert.ok(!byLink.error!.includes(emailOf(guest)), byLink.error);
    assert.equal(byId.code, "not_found");
    assert.equal(declined.code, "forbidden");
    assert.equal(await memberships(other), 0);
    assert.equal((await answer(guest, token)).status, 200);
  });

  it("can be used once", async () => {
    const guest = await service.newUser();
    const { token } = await fixture.invite(fixture.owner, emailOf(guest));

    const answers = await Promise.all(Array.from({ length: 20 }, () => answer(guest, token)));

    assert.equal(answers.filter((one) => one.status === 200).length, 1);
    for (const one of answers.filter((each) => each.status !== 200))
      assert.deepEqual([one.status, one.code], [409, "conflict"], JSON.stringify(one.body));
    assert.equal(await memberships(guest), 1);
    const later = await answer(guest, token);
    assert.deepEqual([later.code, later.details?.["state"]], ["conflict", "accepted"]);
    await fixture.at(fixture.owner, "DELETE", `/members/${guest.id}`);
    await fixture.cleanUp();
    assert.equal((await answer(guest, token)).code, "conflict");
    assert.equal(await memberships(guest), 0);
    const joins = (await fixture.events()).filter((name) => name === "organization.member_joined");
    assert.equal(joins.length, 1);
  });

  it("is invalid once it has expired, been revoked or declined", async () => {
    const guest = await service.newUser();
    const cases: [string, () => Promise<unknown>][] = [
      ["expired", async () => (clock.aheadMs += 7 * dayMs)],
      ["revoked", async () => undefined],
      ["declined", async () => undefined],
    ];
    for (const [state, end] of cases) {
      const { id, token } = await fixture.invite(fixture.owner, emailOf(guest));
      await end();
      if (state === "revoked") {
        assert.equal((await fixture.at(fixture.owner, "DELETE", `/invitations/${id}`)).status, 200);
        assert.equal((await fixture.at(fixture.owner, "DELETE", `/invitations/${id}`)).code, "not_found");
      }
      if (state === "declined") assert.equal((await answer(guest, token, "decline")).status, 200);

      const late = await answer(guest, token);

      assert.deepEqual([late.code, late.details?.["state"]], ["refused", state], JSON.stringify(late.body));
      assert.equal(await memberships(guest), 0);
    }
    // The expired one was renewed by the next one's call, under its own id.
    assert.equal(
      (await fixture.at<InvitationPayload[]>(fixture.owner, "GET", "/invitations")).data.length,
      0,
    );
  });

  it("is rejected if it was forged, altered or made for another purpose", async () => {
    const guest = await service.newUser();
    const { id, token } = await fixture.invite(fixture.owner, emailOf(guest));
    const [head, end, signature] = token.split(".");
    const other = await service.newUser();
    const second = await fixture.invite(fixture.owner, emailOf(other));

    for (const forged of [
      `${head}.${end}.${"A".repeat(43)}`,
      `${head}.zzzzzzz.${signature}`,
      `${second.id}.${end}.${signature}`,
      `${id}x`,
      "nonsense",
      service.app.newId(),
      "%2e%2e%2f",
    ])
      assert.equal((await answer(guest, forged)).code, "not_found", forged);
    assert.equal(await memberships(guest), 0);
  });

  it("is accepted by its id only if the address is confirmed", async () => {
    const guest = await service.newUser();
    const { id } = await fixture.invite(fixture.owner, emailOf(guest));

    const unconfirmed = await answer(guest, id);
    const hidden = (await profile(guest)).pendingInvitations;
    await service.app.storage.users.markVerified(guest.id, emailOf(guest), service.app.now());
    const shown = (await profile(guest)).pendingInvitations;
    const confirmed = await answer(guest, id);

    assert.deepEqual([unconfirmed.code, hidden], ["forbidden", []]);
    assert.deepEqual(
      shown.map((one) => [one.id, one.organizationSlug]),
      [[id, fixture.org.slug]],
    );
    assert.equal(confirmed.status, 200);
    assert.deepEqual((await profile(guest)).pendingInvitations, []);
  });

  it("confirms the address of a guest who accepts by its link in a session, and not by an API token", async () => {
    const guest = await service.newUser();
    const byToken = await service.newUser();
    const { token } = await fixture.invite(fixture.owner, emailOf(guest));
    const other = await fixture.invite(fixture.owner, emailOf(byToken));

    await service.call("POST", `/api/invitations/${token}/accept`, { cookie: guest.cookie });
    await answer(byToken, other.token);

    const { users } = service.app.storage;
    assert.ok((await users.find(guest.id))?.emailVerifiedAt);
    assert.equal((await users.find(byToken.id))?.emailVerifiedAt, undefined);
  });

  it("can create an owner, who counts as one", async () => {
    const guest = await service.newUser();
    const { token } = await fixture.invite(fixture.owner, emailOf(guest), { role: "owner" });

    await answer(guest, token);
    const left = await fixture.at(fixture.owner, "DELETE", `/members/${fixture.owner.id}`);
    const last = await fixture.at(guest, "DELETE", `/members/${guest.id}`);

    assert.deepEqual([left.status, last.code], [200, "last_owner"]);
  });

  it("is refused for members, and unique per address", async () => {
    const member = await fixture.join("viewer");

    const again = await fixture.at(fixture.owner, "POST", "/invitations", { email: emailOf(member) });
    const many = await Promise.all(
      Array.from({ length: 20 }, () =>
        fixture.at<InvitationPayload>(fixture.owner, "POST", "/invitations", { email: "many@example.org" }),
      ),
    );

    assert.equal(again.code, "already_exists");
    assert.deepEqual(new Set(many.map((one) => one.status)), new Set([201]));
    assert.equal(new Set(many.map((one) => one.data.id)).size, 1);
  });

  it("is not accepted until a previous membership is cleaned up", async () => {
    const guest = await fixture.join("member");
    await fixture.at(guest, "DELETE", `/members/${guest.id}`);
    await service.settled();
    const { token } = await fixture.invite(fixture.owner, emailOf(guest));

    const early = await answer(guest, token);
    await fixture.cleanUp();
    const later = await answer(guest, token);

    assert.deepEqual([early.code, later.status], ["conflict", 200]);
  });

  it("reports when the mail server rejects its address permanently, and waits while it is unavailable", async () => {
    const made = await fixture.at<InvitationPayload>(fixture.owner, "POST", "/invitations", {
      email: "nobody@example.org",
    });
    const { mail } = service.app;
    const { send } = mail;
    const stateOf = async () =>
      (await fixture.at<InvitationPayload[]>(fixture.owner, "GET", "/invitations")).data[0]?.mail;
    try {
      mail.send = () => Promise.reject(new MailError("away", true));
      await assert.rejects(mailInvitation(service.app, made.data.id));
      const waiting = await stateOf();
      mail.send = () => Promise.reject(new MailError("no such mailbox", false));
      await assert.rejects(mailInvitation(service.app, made.data.id));

      assert.deepEqual([waiting, await stateOf()], ["waiting", "failed"]);
    } finally {
      mail.send = send;
    }
    await fixture.at(fixture.owner, "POST", "/invitations", { email: "nobody@example.org" });
    await mailInvitation(service.app, made.data.id);
    assert.equal(await stateOf(), "sent");
  });

  it("results in a membership though the process crashed right after it was accepted", async () => {
    const guest = await service.newUser();
    const { id } = await fixture.invite(fixture.owner, emailOf(guest));
    await service.settled();
    const { invitations } = service.app.storage;
    const pending = (await invitations.find(id))!;
    await invitations.end(
      id,
      pending.revision,
      { state: "accepted", acceptedBy: guest.id, endedAt: service.app.now() },
      [],
    );

    clock.aheadMs = 60_000;
    await reconcile(service.app);

    assert.equal(await memberships(guest), 1);
    assert.equal((await invitations.find(id))!.pendingSince, undefined);
    await createInvitedMembership(service.app, (await invitations.find(id))!);
    assert.equal(await memberships(guest), 1);
  });

  it("is removed when it has been over for 30 days", async () => {
    const { id } = await fixture.invite(fixture.owner, "forgotten@example.org");
    await service.settled();

    clock.aheadMs = 36 * dayMs;
    await purge(service.app);
    const kept = await service.app.storage.invitations.find(id);
    clock.aheadMs = 38 * dayMs;
    await purge(service.app);

    assert.equal(kept?._id, id);
    assert.equal(await service.app.storage.invitations.find(id), null);
  });

  it("belongs to its organization", async () => {
    const { id } = await fixture.invite(fixture.owner, "theirs@example.org");
    const elsewhere = await makeFixture(service);

    const revoked = await elsewhere.at(elsewhere.owner, "DELETE", `/invitations/${id}`);
    const listed = await fixture.at(elsewhere.owner, "GET", "/invitations");

    assert.deepEqual([revoked.code, listed.code], ["not_found", "not_found"]);
  });
});
