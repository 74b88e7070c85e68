import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type {
  InvitationOfferPayload,
  InvitationPayload,
} from "../../contract/payloads/organizations/organizations.ts";
import { mailInvitation } from "../../src/orgs/invitations/mail.ts";
import type { CallOptions, TestUser } from "../support/service.ts";
import { invitationMailsTo, type Fixture, setUpFixtures } from "./fixture.ts";

let fixture: Fixture;
const { service, clock } = await setUpFixtures((made) => (fixture = made));

const emailOf = (user: TestUser) => `${user.username}@example.com`;
const read = (token: string, caller: CallOptions = {}) =>
  service.call<InvitationOfferPayload>("GET", `/api/invitations/${token}`, caller);

describe("an invitation that is read by its link", () => {
  it("shows who invites, and its address and teams to the invited account only", async () => {
    const guest = await service.newUser();
    const other = await service.newUser();
    const team = await fixture.newTeam("Release crew");
    const role = await fixture.newRole("Readers", { skill: ["read"] });
    const offer = { role, teamIds: [team] };
    const { token } = await fixture.invite(fixture.owner, emailOf(guest), offer);

    const [signedOut, own, foreign] = [
      await read(token),
      await read(token, { cookie: guest.cookie }),
      await read(token, { cookie: other.cookie }),
    ];

    const { organization, invitedBy, roleName, matches, canSignUp, teams } = signedOut.data;
    assert.deepEqual(
      { organization, invitedBy, roleName, matches, canSignUp, teams },
      {
        organization: { id: fixture.org.id, slug: fixture.org.slug, name: fixture.org.slug },
        invitedBy: fixture.owner.username,
        roleName: "Readers",
        matches: null,
        canSignUp: true,
        teams: undefined,
      },
    );
    assert.deepEqual([own.data.matches, own.data.email], [true, emailOf(guest)]);
    assert.deepEqual(own.data.teams, ["Release crew"]);
    assert.equal(foreign.data.matches, false);
    for (const { body } of [signedOut, foreign]) {
      assert.ok(!JSON.stringify(body).includes(emailOf(guest)), JSON.stringify(body));
      assert.ok(!JSON.stringify(body).includes("Release crew"), JSON.stringify(body));
    }
    assert.equal(await fixture.countActive(guest), 0);
  });

  it("is unknown by its id to all but the invited account", async () => {
    const [guest, other] = [await fixture.join("member"), await service.newUser()];
    const elsewhere = await service.newUser();
    await service.app.storage.users.markVerified(elsewhere.id, emailOf(elsewhere), service.app.now());
    const { id } = await fixture.invite(fixture.owner, emailOf(elsewhere));

    const mine = await read(id, { cookie: elsewhere.cookie });
    const signedOut = [await read(id), await read(service.app.newId())];
    const foreign = [await read(id, { cookie: other.cookie }), await read(id, { token: guest.token })];
    const never = await read(service.app.newId(), { cookie: other.cookie });

    assert.equal(mine.data.matches, true);
    assert.deepEqual(
      signedOut.map(({ code, error }) => [code, error]),
      signedOut.map(() => ["unauthenticated", signedOut[0]!.error]),
    );
    for (const answer of foreign) {
      assert.deepEqual([answer.status, answer.error], [404, never.error]);
    }
  });

  it("reports that it has ended, and refuses a link that was changed", async () => {
    const guest = await service.newUser();
    const { id, token } = await fixture.invite(fixture.owner, emailOf(guest));

    const forged = await read(token.slice(0, -2) + (token.endsWith("AA") ? "BB" : "AA"));
    await fixture.at(fixture.owner, "DELETE", `/invitations/${id}`);
    const ended = await read(token);

    assert.equal(forged.status, 404);
    assert.deepEqual([ended.status, ended.details?.["state"]], [422, "revoked"]);
  });
});

describe("an invitation that is sent again", () => {
  const resend = (by: TestUser, id: string) =>
    fixture.at<InvitationPayload>(by, "POST", `/invitations/${id}/resend`);

  it("gets a new expiry and a second mail after a pause, and keeps its offer", async () => {
    const guest = await service.newUser();
    const { id } = await fixture.invite(fixture.owner, emailOf(guest), { role: "viewer" });
    const early = await resend(fixture.owner, id);
    clock.aheadMs = limits.invitationMailMs + 1000;

    const again = await resend(fixture.owner, id);
    await mailInvitation(service.app, id);

    assert.equal(early.code, "rate_limited");
    assert.ok(Number(early.details?.["retryAfterSeconds"]) <= limits.invitationMailMs / 1000);
    assert.equal(again.status, 200, JSON.stringify(again.body));
    const expires = service.app.now().getTime() + limits.invitationMs;
    assert.ok(Math.abs(Date.parse(again.data.expiresAt) - expires) < 10_000, again.data.expiresAt);
    assert.deepEqual([again.data.role, again.data.mail], ["viewer", "waiting"]);
    assert.equal((await invitationMailsTo(service, emailOf(guest))).length, 2);
  });

  it("is refused for members who may not invite or hold less than it gives", async () => {
    const guest = await service.newUser();
    const { id } = await fixture.invite(fixture.owner, emailOf(guest), { role: "owner" });
    const [admin, member] = [await fixture.join("admin"), await fixture.join("member")];
    clock.aheadMs = limits.invitationMailMs + 1000;

    assert.equal((await resend(admin, id)).code, "forbidden");
    assert.equal((await resend(member, id)).code, "forbidden");
    assert.equal((await resend(fixture.owner, service.app.newId())).code, "not_found");
    await fixture.add(guest, "member");
    assert.equal((await resend(fixture.owner, id)).code, "already_exists");
  });
});
