import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SkillAdoptionPayload } from "../../contract/payloads/usage/adoption.ts";
import { removeInstallsOfMember } from "../../src/skills/analytics/installs.ts";
import { eraseSkill } from "../../src/skills/settings/erase.ts";
import { countInstallDays } from "../../workers/maintenance/count-installs.ts";
import { newMember, publishSkill } from "../support/organization.ts";
import { assertIndexed, insertCopies, plansOf } from "../support/plans.ts";
import type { TestUser } from "../support/service.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";

const dayMs = 86_400_000;
let now = Date.parse("2026-03-01T12:00:00.000Z");
const { service } = await setUpService({ reportsCommands: true, now: () => new Date(now) });
const { owner, org } = await newOrganization(service);
const members = [await newMember(service, org, "member"), await newMember(service, org, "member")];
const [first, second] = members as [TestUser, TestUser];
const days = () => service.app.storage.database.raw.collection("install_days");

const publish = async (name: string) =>
  (await publishSkill(service, org, owner, { name, visibility: "private" })).id;
async function release(skill: string, fields: object = {}): Promise<void> {
  const body = { content: `text ${now}\n`, ...fields };
  const made = await service.call("POST", `/api/skills/${skill}/versions`, { token: owner.token, body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
}
async function install(skill: string, user: TestUser, machine: string, version: number): Promise<void> {
  const body = { platform: "claude", scope: "global", machine, version };
  const made = await service.call("PUT", `/api/skills/${skill}/installs`, { token: user.token, body });
  assert.equal(made.status, 200, JSON.stringify(made.body));
}
/** Lets days pass, after each of which the job runs. */
async function pass(count: number): Promise<void> {
  for (let day = 0; day < count; day++) {
    now += dayMs;
    await countInstallDays(service.app);
  }
}
const read = (skill: string, by: TestUser, query = "?days=7") =>
  service.call<SkillAdoptionPayload>("GET", `/api/skills/${skill}/analytics/adoption${query}`, {
    token: by.token,
  });

describe("the adoption of a skill's releases", () => {
  it("is the share of installs with each release or a higher version, by day", async () => {
    const skill = await publish("Adopted");
    await install(skill, first, "a", 1);
    await install(skill, first, "b", 1);
    await install(skill, second, "c", 1);
    await pass(2);
    await release(skill);
    await install(skill, first, "a", 2);
    await pass(1);
    await install(skill, second, "c", 2);
    await pass(2);
    await release(skill, { bump: "major" });
    await install(skill, first, "b", 3);

    const { data } = await read(skill, owner);

    assert.deepEqual(
      data.daily.map(({ date, installs, newest, onNewest }) => [date, installs, newest, onNewest]),
      [
        ["2026-03-01", 3, "1.0.0", 3],
        ["2026-03-02", 3, "1.0.0", 3],
        ["2026-03-03", 3, "1.0.1", 1],
        ["2026-03-04", 3, "1.0.1", 2],
        ["2026-03-05", 3, "1.0.1", 2],
        ["2026-03-06", 3, "2.0.0", 1],
      ],
    );
    assert.deepEqual(
      data.versions.map(({ semver }) => semver),
      ["2.0.0", "1.0.1", "1.0.0"],
    );
    assert.deepEqual(data.daily.at(-1)?.versions, [1, 2, 0]);
    const releases = data.releases.map(({ semver, daily }) => [semver, daily.map(({ adopted }) => adopted)]);
    assert.deepEqual(releases, [
      ["2.0.0", [1]],
      ["1.0.1", [1, 2, 2, 3]],
      ["1.0.0", [3, 3, 3, 3, 3, 3]],
    ]);
    // Days without a change have no document.
    assert.equal(await days().countDocuments({ skillId: skill }), 4);
  });

  it("has no days before the first one that was counted, and the current installs for one that is not yet", async () => {
    const skill = await publish("Late");
    await pass(3);
    await install(skill, first, "a", 1);
    now += dayMs;

    const before = (await read(skill, owner)).data;
    await countInstallDays(service.app);
    const after = (await read(skill, owner)).data;

    assert.deepEqual(
      before.daily.map(({ installs }) => installs),
      [1, 1],
    );
    assert.deepEqual(after, before);
  });

  it("keeps a late count under the day before it, once", async () => {
    const skill = await publish("Neglected");
    await install(skill, first, "a", 1);
    now += dayMs;
    await install(skill, first, "b", 1);
    now += 5 * dayMs;

    await countInstallDays(service.app);
    await countInstallDays(service.app);

    const stored = await days().find({ skillId: skill }).toArray();
    const yesterday = new Date(now - dayMs).toISOString().slice(0, 10);
    assert.deepEqual(
      stored.map(({ date, installs, dueAt }) => [date, installs, dueAt]),
      [[yesterday, 2, undefined]],
    );
  });

  it("counts removals by the client and with a membership", async () => {
    const skill = await publish("Left");
    await install(skill, first, "a", 1);
    await install(skill, first, "b", 1);
    await install(skill, second, "c", 1);
    await pass(1);
    const place = new URLSearchParams({ platform: "claude", scope: "global", machine: "a" }).toString();
    await service.call("DELETE", `/api/skills/${skill}/installs?${place}`, { token: first.token });
    await pass(1);
    await removeInstallsOfMember(service.app, org.id, first.id);
    await pass(1);

    const { data } = await read(skill, owner, "?days=4");

    assert.deepEqual(
      data.daily.map(({ installs }) => installs),
      [3, 2, 1, 1],
    );
  });

  it("is for those who may read the skill's analytics", async () => {
    const skill = await publish("Guarded");
    const role = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/roles`, {
      token: owner.token,
      body: { name: "Readers", permissions: { skill: ["read"] } },
    });
    const reader = await newMember(service, org, role.data.id);
    const stranger = await service.newUser();

    const answers = [await read(skill, first), await read(skill, reader), await read(skill, stranger)];

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 403, 404],
    );
    assert.equal((await read(skill, owner, "?days=366")).code, "invalid_request");
  });

  it("is erased with the skill, whose marks are dropped", async () => {
    const skill = await publish("Erased");
    await install(skill, first, "a", 1);
    await service.call("DELETE", `/api/skills/${skill}`, { token: owner.token });
    await eraseSkill(service.app, { tenantId: org.id, skillId: skill });
    assert.equal(await days().countDocuments({ skillId: skill }), 0);
    const mark = { _id: service.app.newId(), tenantId: org.id, skillId: skill };

    await service.app.storage.installDays.mark(
      [mark, { ...mark, _id: service.app.newId() }],
      service.app.now(),
    );
    await pass(1);

    assert.equal(await days().countDocuments({ skillId: skill }), 0);
  });

  it("reads and counts by index only", async () => {
    const skill = await publish("Planned");
    await install(skill, first, "a", 1);
    await pass(1);
    await insertCopies(service, "install_days", 300, (index) => ({
      skillId: `s${index}`,
      tenantId: "other",
      date: `2025-01-${index}`,
    }));
    await install(skill, first, "b", 1);
    now += dayMs;

    const plans = await plansOf(service, async () => {
      await install(skill, first, "c", 1);
      await countInstallDays(service.app);
      await read(skill, owner, "?days=365");
    });

    assertIndexed(plans, 20);
  });
});
