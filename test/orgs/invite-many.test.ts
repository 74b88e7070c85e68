import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type {
  InvitationLinkPayload,
  InvitationOutcomePayload,
  InvitationPayload,
} from "../../contract/payloads/organizations/organizations.ts";
import { confirmAddress } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { makeFixture, type Fixture, setUpFixtures } from "./fixture.ts";

let fixture: Fixture;
const { service, clock } = await setUpFixtures((made) => (fixture = made));

const emailOf = (user: TestUser) => `${user.username}@example.com`;
const inviteMany = (by: TestUser, emails: string[], offer: object = {}) =>
  fixture.at<InvitationOutcomePayload[]>(by, "POST", "/invitations/batch", { emails, ...offer });
const linkOf = (by: TestUser, id: string) =>
  fixture.at<InvitationLinkPayload>(by, "POST", `/invitations/${id}/link`);
const tokenIn = (url = "") => url.slice(url.lastIndexOf("/") + 1);
const accept = (user: TestUser, token: string) =>
  service.call("POST", `/api/invitations/${token}/accept`, { cookie: user.cookie });

describe("a batch of invitations", () => {
  it("reports the outcome of each address once, in their order, and logs each invitation", async () => {
    const team = await fixture.newTeam("Writers");
    const member = await fixture.join("viewer");

    const sent = await inviteMany(
      fixture.owner,
      ["ada@example.org", " ADA@example.org ", "not an address", emailOf(member), "bo@example.org"],
      { role: "viewer", teamIds: [team] },
    );

    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    assert.deepEqual(
      sent.data.map(({ email, outcome, error }) => [email, outcome, error?.code]),
      [
        ["ada@example.org", "invited", undefined],
        ["not an address", "failed", "invalid_request"],
        [emailOf(member), "alreadyMember", "already_exists"],
        ["bo@example.org", "invited", undefined],
      ],
    );
    const [first] = sent.data;
    assert.deepEqual(
      [first?.invitation?.roleName, first?.invitation?.teams],
      ["viewer", [{ id: team, name: "Writers" }]],
    );
    const events = await fixture.events();
    assert.equal(events.filter((name) => name === "organization.member_invited").length, 2);
    const again = await inviteMany(fixture.owner, ["ada@example.org"]);
    assert.equal(again.data[0]?.invitation?.id, first?.invitation?.id);
  });

  it("is refused as a whole where the caller may not make the offer", async () => {
    const admin = await fixture.join("admin");
    const viewer = await fixture.join("viewer");
    const emails = ["someone@example.org"];
    const tooMany = Array.from({ length: limits.invitationBatchSize + 1 }, (_, i) => `p${i}@example.org`);

    assert.equal((await inviteMany(admin, emails, { role: "owner" })).code, "forbidden");
    assert.equal((await inviteMany(viewer, emails)).code, "forbidden");
    assert.equal((await inviteMany(await service.newUser(), emails)).code, "not_found");
    assert.equal((await inviteMany(admin, tooMany)).code, "invalid_request");
    assert.equal((await inviteMany(admin, [])).code, "invalid_request");
    assert.equal((await fixture.at<unknown[]>(admin, "GET", "/invitations")).data.length, 0);
  });

  it("leaves an offer of more than the caller holds as it is, and invites the others", async () => {
    const admin = await fixture.join("admin");
    await fixture.invite(fixture.owner, "boss@example.org", { role: "owner" });

    const sent = await inviteMany(admin, ["boss@example.org", "other@example.org"]);

    assert.deepEqual(
      sent.data.map(({ outcome, error, url }) => [outcome, error?.code, url === undefined]),
      [
        ["failed", "forbidden", true],
        ["invited", undefined, false],
      ],
    );
  });

  it("continues with what needs no mail once the sender has sent too many", async () => {
    const admin = await fixture.join("admin");
    const { inviter } = limits.invitationMails;
    const budget = { limit: inviter, windowMs: 86_400_000 };
    for (let i = 1; i < inviter; i++)
      await service.app.storage.mailBudgets.take(`inviter:${admin.id}`, `m${i}`, budget, service.app.now());

    const sent = await inviteMany(admin, ["a@example.org", "b@example.org", emailOf(fixture.owner)]);

    assert.deepEqual(
      sent.data.map(({ outcome, error }) => error?.code ?? outcome),
      ["invited", "rate_limited", "already_exists"],
    );
  });

  it("counts each address as a request", async () => {
    const limited = await makeFixture((await setUpService({ rateLimits: true })).service);
    const addresses = (from: number) =>
      Array.from({ length: limits.invitationBatchSize }, (_, i) => `not an address ${from + i}`);
    const outcomes: (string | undefined)[] = [];
    for (const from of [0, 100, 200, 300]) {
      const sent = await limited.at<InvitationOutcomePayload[]>(limited.owner, "POST", "/invitations/batch", {
        emails: addresses(from),
      });
      outcomes.push(...(sent.status === 200 ? sent.data.map(({ error }) => error?.code) : [sent.code]));
    }
    assert.equal(outcomes.filter((code) => code === "invalid_request").length, 300);
    assert.equal(outcomes.at(-1), "rate_limited");
  });
});

describe("the link of an invitation, without a mail server", () => {
  it("lets its holder join, and does not confirm their address", async () => {
    const guest = await service.newUser();
    const sent = await inviteMany(fixture.owner, [emailOf(guest)]);
    const token = tokenIn(sent.data[0]?.url);

    assert.equal((await accept(guest, sent.data[0]!.invitation!.id)).code, "forbidden", "not by the id");
    const joined = await accept(guest, token);

    assert.equal(joined.status, 200, JSON.stringify(joined.body));
    assert.equal((await fixture.memberOf(guest))?.role, "member");
    const account = await service.app.storage.users.find(guest.id);
    assert.equal(account?.emailVerifiedAt, undefined);
    assert.equal((await accept(guest, token)).code, "conflict", "once");
  });

  it("works for its address only", async () => {
    const other = await service.newUser();
    const sent = await inviteMany(fixture.owner, ["someone@example.org"]);
    assert.equal((await accept(other, tokenIn(sent.data[0]?.url))).code, "forbidden");
  });

  it("is given to those who may make its offer, who become its sender", async () => {
    const [admin, viewer] = [await fixture.join("admin"), await fixture.join("viewer")];
    const boss = await fixture.invite(fixture.owner, "boss@example.org", { role: "owner" });
    const guest = await service.newUser();
    const { id } = await fixture.invite(fixture.owner, emailOf(guest));

    assert.equal((await linkOf(admin, boss.id)).code, "forbidden");
    assert.equal((await linkOf(viewer, id)).code, "forbidden");
    assert.equal((await linkOf(await service.newUser(), id)).code, "not_found");
    assert.equal((await linkOf(admin, service.app.newId())).code, "not_found");
    const own = await linkOf(admin, id);
    assert.equal((await linkOf(admin, id)).data.url, own.data.url);
    const [listed] = (await fixture.at<InvitationPayload[]>(fixture.owner, "GET", "/invitations")).data;
    assert.equal(listed?.invitedBy, admin.username);
    await fixture.at(fixture.owner, "DELETE", `/members/${admin.id}`);
    assert.equal((await accept(guest, tokenIn(own.data.url))).code, "refused");
  });

  it("ends when the invitation offers something else, is taken over, is revoked, or expires", async () => {
    const admin = await fixture.join("admin");
    const guest = await service.newUser();
    const [first] = (await inviteMany(admin, [emailOf(guest)], { role: "viewer" })).data;
    const read = async (token: string) =>
      (await service.call("GET", `/api/invitations/${token}`, { cookie: guest.cookie })).code;
    const id = first!.invitation!.id;

    await inviteMany(fixture.owner, [emailOf(guest)], { role: "owner" });
    assert.equal(await read(tokenIn(first!.url)), "not_found");
    const second = tokenIn((await linkOf(fixture.owner, id)).data.url);
    assert.equal(await read(second), undefined);
    clock.aheadMs = limits.invitationMs + 1000;
    assert.equal(await read(second), "refused");
    clock.aheadMs = 0;
    await fixture.at(fixture.owner, "DELETE", `/invitations/${id}`);
    assert.equal(await read(second), "refused");
  });

  it("needs a confirmed address where an identity provider has provisioned it", async () => {
    const guest = await service.newUser();
    const emailKey = emailOf(guest);
    const names = {
      userName: emailKey,
      userNameKey: emailKey,
      email: emailKey,
      emailKey,
      emailKeys: [emailKey],
    };
    const state = { present: true, active: false, invited: true, teamIds: [], revision: 0 };
    const provisioned = { _id: service.app.newId(), tenantId: fixture.org.id, ...names, ...state };
    const users = service.app.storage.database.raw.collection<typeof provisioned>("scim_users");
    await users.insertOne(provisioned);
    const token = tokenIn((await inviteMany(fixture.owner, [emailKey])).data[0]?.url);

    assert.equal((await accept(guest, token)).code, "forbidden");
    await confirmAddress(service, guest);
    assert.equal((await accept(guest, token)).status, 200);
  });

  it("is the page of the invitation once there is a mail server", async () => {
    const { mail } = service.app;
    const guest = await service.newUser();
    const sent = await inviteMany(fixture.owner, [emailOf(guest)]);
    service.app.mail = { ...mail, kind: "smtp" };
    try {
      assert.equal((await accept(guest, tokenIn(sent.data[0]?.url))).code, "not_found");
      const { id } = sent.data[0]!.invitation!;
      assert.equal(
        (await linkOf(fixture.owner, id)).data.url,
        `${service.app.config.baseUrl}/invitations/${id}`,
      );
    } finally {
      service.app.mail = mail;
    }
  });
});
