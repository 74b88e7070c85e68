import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FollowedChangePayload } from "../../contract/payloads/organizations/following.ts";
import type { ReminderPayload } from "../../contract/payloads/usage/reminder.ts";
import { sendFollowMails } from "../../workers/mail/followed.ts";
import { takeMails } from "../support/mailbox.ts";
import { confirmAddress, newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import { assertIndexed, insertCopies, plansOf } from "../support/plans.ts";
import type { TestUser } from "../support/service.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";

const { service, clock } = await setUpService({ reportsCommands: true });
const { app } = service;
const { owner, org } = await newOrganization(service);
const dayMs = 86_400_000;

async function member(mail: "daily" | "instant" | "off" | "unconfirmed" = "instant"): Promise<TestUser> {
  const user = await newMember(service, org, "member");
  if (mail === "unconfirmed") return user;
  await confirmAddress(service, user);
  await service.call("PUT", "/api/user/follow-mails", { token: user.token, body: { mail } });
  return user;
}
async function publish(name: string, fields: object = {}): Promise<string> {
  const { id } = await publishSkill(service, org, owner, { name, visibility: "private", ...fields });
  const body = { content: `# ${name}\n\nNew.\n` };
  const made = await service.call("POST", `/api/skills/${id}/versions`, { token: owner.token, body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await service.settled();
  return id;
}
async function install(skill: string, user: TestUser, machine: string, version: number, platform = "claude") {
  const body = { platform, scope: "global", version, machine };
  const made = await service.call("PUT", `/api/skills/${skill}/installs`, { token: user.token, body });
  assert.equal(made.status, 200, JSON.stringify(made.body));
}
const remind = (skill: string, by: TestUser = owner, body: object = {}) =>
  service.call<ReminderPayload>("POST", `/api/skills/${skill}/installs/remind`, { token: by.token, body });
const reminded = async (skill: string, by = owner, body: object = {}) => {
  const answer = await remind(skill, by, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.data;
};
const mailsAfter = async (ms: number) => {
  clock.advance(ms);
  await sendFollowMails(app);
  return takeMails(app);
};
const feedOf = async (user: TestUser) =>
  (await service.call<FollowedChangePayload[]>("GET", "/api/user/followed-changes", { token: user.token }))
    .data;

describe("a reminder to update a skill", () => {
  it("is mailed to those who are behind, with their version, the current one and the command", async () => {
    const skill = await publish("Behind");
    const [behind, current] = [await member(), await member()];
    await install(skill, behind, "a", 1);
    await install(skill, behind, "b", 1, "cursor");
    await install(skill, current, "c", 2);
    await install(skill, owner, "d", 1);

    const planned = await reminded(skill, owner, { dryRun: true });
    const beforeMails = await mailsAfter(0);
    const sent = await reminded(skill);
    const mails = await mailsAfter(2 * 60_000);

    const counts = { semver: "1.0.1", people: 1, machines: 2, mails: 1, recent: 0, isComplete: true };
    assert.deepEqual([planned, sent], [counts, counts]);
    assert.equal(beforeMails.length, 0);
    assert.equal(mails.length, 1);
    const [mail] = mails;
    assert.ok(mail!.to.includes(behind.username));
    assert.match(mail!.subject, /behind needs an update to 1\.0\.1/);
    assert.match(mail!.text, /You have 1\.0\.0 in claude and 1\.0\.0 in cursor, on 2 machines\./);
    assert.ok(mail!.text.includes(`svc pull ${org.slug}/behind`));
    assert.equal(mail!.headers["list-unsubscribe-post"], "List-Unsubscribe=One-Click");
    assert.deepEqual(
      (await feedOf(behind))
        .map(({ kind, by, semver }) => [kind, by, semver])
        .filter(([kind]) => kind === "reminder"),
      [["reminder", owner.username, "1.0.1"]],
    );
  });

  it("reaches a person once in seven days, however many ask at once", async () => {
    const skill = await publish("Often");
    const behind = await member();
    await install(skill, behind, "a", 1);

    const answers = await Promise.all(Array.from({ length: 8 }, () => reminded(skill)));
    const again = await reminded(skill);
    const mails = await mailsAfter(2 * 60_000);
    clock.advance(7 * dayMs);
    const later = await reminded(skill);

    assert.equal(
      answers.reduce((sum, { people }) => sum + people, 0),
      1,
    );
    assert.deepEqual([again.people, again.recent, mails.length], [0, 1, 1]);
    assert.deepEqual([later.people, later.recent], [1, 0]);
    assert.equal((await mailsAfter(2 * 60_000)).length, 1);
  });

  it("follows the choice of mails: daily ones wait, and none goes to those who ended them", async () => {
    const skill = await publish("Chosen");
    const people = [await member("daily"), await member("off"), await member("unconfirmed")] as const;
    for (const person of people) await install(skill, person, "a", 1);

    const sent = await reminded(skill);
    const soon = await mailsAfter(2 * 60_000);
    const nextDay = await mailsAfter(dayMs);

    assert.deepEqual([sent.people, sent.mails, soon.length, nextDay.length], [3, 1, 0, 1]);
    assert.ok(nextDay[0]!.to.includes(people[0].username));
    const feeds = await Promise.all(people.map((person) => feedOf(person)));
    assert.ok(feeds.every((feed) => feed.some(({ kind }) => kind === "reminder")));
  });

  it("is not mailed to those who have updated, lost access or left since", async () => {
    const folder = await newFolder(service, org, owner, "closing");
    const skill = await publish("Closing", { folder: "closing" });
    const [updated, excluded, left] = [await member(), await member(), await member()];
    for (const person of [updated, excluded, left]) await install(skill, person, "a", 1);
    assert.equal((await reminded(skill)).people, 3);

    await install(skill, updated, "a", 2);
    await restrict(service, owner, folder.id, [{ type: "member", id: updated.id, level: "viewer" }]);
    await service.call("DELETE", `/api/tenants/${org.slug}/members/${left.id}`, owner);
    await service.settled();

    assert.deepEqual(await mailsAfter(2 * 60_000), []);
    assert.deepEqual(await feedOf(excluded), []);
    clock.advance(8 * dayMs);
    assert.equal((await reminded(skill, owner, { dryRun: true })).people, 0);
  });

  it("requires the rights to update the skill and to read its analytics", async () => {
    const skill = await publish("Guarded");
    const behind = await member();
    await install(skill, behind, "a", 1);
    const roleWith = async (name: string, permissions: object) =>
      (
        await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/roles`, {
          token: owner.token,
          body: { name, permissions },
        })
      ).data.id;
    const writer = await newMember(service, org, await roleWith("Writers", { skill: ["read", "update"] }));
    const analyst = await newMember(
      service,
      org,
      await roleWith("Analysts", { skill: ["read"], analytics: ["read"] }),
    );
    const stranger = await service.newUser();

    const answers = await Promise.all([writer, analyst, stranger].map((user) => remind(skill, user)));

    assert.deepEqual(
      answers.map(({ status }) => status),
      [403, 403, 404],
    );
    assert.equal((await remind(skill, owner, { to: "all" })).code, "invalid_request");
    assert.equal((await feedOf(behind)).length, 0);
  });

  it("is in the audit log, with the number of people", async () => {
    const skill = await publish("Logged");
    await install(skill, await member(), "a", 1);
    await reminded(skill, owner, { dryRun: true });
    await reminded(skill);
    await reminded(skill);
    await service.settled();

    const log = await service.call<{ entries: { action: string; metadata: object }[] }>(
      "GET",
      `/api/tenants/${org.slug}/audit-log?resource_id=${skill}&action=skill.reminder_sent`,
      { token: owner.token },
    );

    assert.deepEqual(
      log.data.entries.map(({ metadata }) => metadata),
      [{ slug: "logged", semver: "1.0.1", people: 1 }],
    );
  });

  it("reads and writes by index only", async () => {
    const skill = await publish("Planned");
    await install(skill, await member(), "a", 1);
    await insertCopies(service, "installs", 300, (index) => ({ skillId: `s${index}`, userId: `u${index}` }));
    await insertCopies(service, "followed_changes", 300, (index) => ({
      userId: `u${index}`,
      skillId: `s${index}`,
    }));

    const plans = await plansOf(service, async () => {
      await reminded(skill);
      await mailsAfter(2 * 60_000);
    });

    assertIndexed(plans, 100);
  });
});
