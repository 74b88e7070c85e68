import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JoinedPayload } from "../../contract/payloads/organizations/organizations.ts";
import type { TestUser } from "../support/service.ts";
import { type Fixture, setUpFixtures } from "./fixture.ts";

const dayMs = 86_400_000;
let fixture: Fixture;
const { service, clock } = await setUpFixtures((made) => (fixture = made));

const emailOf = (user: TestUser) => `${user.username}@example.com`;
const accept = (user: TestUser, token: string) =>
  service.call<JoinedPayload>("POST", `/api/invitations/${token}/accept`, { token: user.token });
const memberships = (user: TestUser) => fixture.countActive(user);

describe("an invitation's permissions", () => {
  it("include no more than its sender has", async () => {
    const [admin, member] = [await fixture.join("admin"), await fixture.join("member")];
    const recruiter = await fixture.join(await fixture.newRole("Recruiter", { member: ["read", "invite"] }));
    const strong = await fixture.newTeam("Strong", ["admin"]);
    const invited = await fixture.invite(fixture.owner, "boss@example.org", { role: "owner" });
    const cases: [TestUser, object, string | undefined][] = [
      [admin, { role: "owner" }, "forbidden"],
      [admin, { role: "admin", teamIds: [strong] }, undefined],
      [recruiter, { role: "member" }, "forbidden"],
      [recruiter, { role: "viewer" }, "forbidden"],
      [recruiter, { teamIds: [strong] }, "forbidden"],
      [member, { role: "viewer" }, "forbidden"],
      [admin, { role: "nothing" }, "not_found"],
      [admin, { teamIds: [service.app.newId()] }, "not_found"],
    ];
    for (const [by, offer, code] of cases) {
      const made = await fixture.at(by, "POST", "/invitations", { email: "someone@example.org", ...offer });
      assert.equal(made.code, code, `${JSON.stringify(offer)}: ${JSON.stringify(made.body)}`);
    }
    const lowered = await fixture.at(admin, "POST", "/invitations", { email: "boss@example.org" });
    const revoked = await fixture.at(admin, "DELETE", `/invitations/${invited.id}`);
    assert.deepEqual([lowered.code, revoked.code], ["forbidden", "forbidden"]);
  });

  it("are those that its sender has when it is accepted, and none once they have fewer", async () => {
    const admin = await fixture.join("admin");
    const early = await service.newUser();
    const late = await service.newUser();
    const last = await service.newUser();
    const sent = [];
    for (const guest of [early, late, last]) sent.push(await fixture.invite(admin, emailOf(guest)));

    const first = await accept(early, sent[0]!.token);
    await fixture.at(fixture.owner, "PATCH", `/members/${admin.id}`, { role: "viewer" });
    const second = await accept(late, sent[1]!.token);
    await fixture.at(fixture.owner, "DELETE", `/members/${admin.id}`);
    const third = await accept(last, sent[2]!.token);

    assert.equal(first.status, 200);
    for (const refused of [second, third])
      assert.deepEqual([refused.code, refused.details?.["state"]], ["refused", "lapsed"]);
    assert.deepEqual([await memberships(late), await memberships(last)], [0, 0]);
    const again = await fixture.invite(fixture.owner, emailOf(late));
    assert.equal((await accept(late, again.token)).status, 200);
  });

  it("end with the organization's token that sent it: revoked, expired or older than the organization allows", async () => {
    const { owner } = fixture;
    const mint = async (fields: object = {}) => {
      const minted = await fixture.at<{ id: string; token: string }>(owner, "POST", "/tokens", {
        name: "inviter",
        ...fields,
      });
      assert.equal(minted.status, 201, JSON.stringify(minted.body));
      return { ...owner, token: minted.data.token, id: minted.data.id };
    };
    const [lasting, revoked, expiring] = [await mint(), await mint(), await mint({ expiresInDays: 1 })];
    const send = async (by: TestUser) => {
      const guest = await service.newUser();
      return { guest, ...(await fixture.invite(by, emailOf(guest))) };
    };
    type Sent = Awaited<ReturnType<typeof send>>;
    const [first, second] = [await send(lasting), await send(lasting)];
    const [third, fourth] = [await send(revoked), await send(expiring)];
    const acceptSent = ({ guest, token }: Sent) => accept(guest, token);

    const ended = await fixture.at(owner, "DELETE", `/tokens/${revoked.id}`);
    assert.equal(ended.status, 200, JSON.stringify(ended.body));
    const byRevoked = await acceptSent(third);
    clock.aheadMs = 2 * dayMs;
    const [byLasting, byExpired] = [await acceptSent(first), await acceptSent(fourth)];
    await fixture.at(owner, "PATCH", "", { maxTokenDays: 2 });
    const byTooOld = await acceptSent(second);

    assert.equal(byLasting.status, 200, JSON.stringify(byLasting.body));
    for (const [why, refused] of Object.entries({ byRevoked, byExpired, byTooOld }))
      assert.deepEqual([refused.code, refused.details?.["state"]], ["refused", "lapsed"], why);
    for (const { guest } of [second, third, fourth]) assert.equal(await memberships(guest), 0);
  });
});
