import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  InstallSummaryPayload,
  OwnInstallPayload,
  SkillAnalyticsPayload,
  TenantUsagePayload,
} from "../../contract/payloads/usage/analytics.ts";
import { flushDownloads } from "../../src/analytics/downloads.ts";
import { holdVersion } from "../support/holds.ts";
import { newMember } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { newVersionedSkill } from "../support/versioned-skill.ts";

const { service, owner, org } = await setUpOrganization();

let machines = 0;
const report = (id: string, who: TestUser, version: number, range?: string) =>
  service.call<{ recorded: boolean }>("PUT", `/api/skills/${id}/installs`, {
    token: who.token,
    body: {
      platform: "claude",
      scope: "global",
      machine: `machine-${++machines}`,
      version,
      range,
    },
  });
const get = <T>(path: string, token = owner.token) => service.call<T>("GET", path, { token });

describe("installs of a skill", () => {
  it("are counted by version, and by the releases that their pins admit", async () => {
    const skill = await newVersionedSkill({ service, user: owner, org, name: "Counted installs" });
    await skill.push({ bump: "minor" });
    const member = await newMember(service, org, "member");
    for (const [version, range] of [
      [1, "1.0.0"],
      [1, "~1.0.0"],
      [1, undefined],
      [2, "latest"],
      [2, "~1.1.0"],
      [2, "^1.0.0"],
      [2, ">=1"],
      [2, "2"],
    ] as const)
      assert.equal((await report(skill.id, member, version, range)).data.recorded, true, range);

    const { data } = await get<InstallSummaryPayload>(`/api/skills/${skill.id}/installs/summary`);

    assert.equal(data.installs, 8);
    assert.equal(data.outdated, 3);
    assert.deepEqual(
      data.versions.map(({ semver, installs, outdated }) => [semver, installs, outdated]),
      [
        ["1.1.0", 5, false],
        ["1.0.0", 3, true],
      ],
    );
    assert.deepEqual(data.reach, { unknown: 1, pinned: 2, channels: 0, patch: 4, minor: 3, major: 2 });
    assert.ok(!JSON.stringify(data).includes(member.username));
  });

  it("are outdated by the version of their channel, if they are pinned to one", async () => {
    const skill = await newVersionedSkill({ service, user: owner, org, name: "Channel installs" });
    await skill.push({ bump: "minor" });
    await service.call("PUT", `/api/skills/${skill.id}/channels/stable`, {
      token: owner.token,
      body: { version: 1 },
    });
    const member = await newMember(service, org, "member");
    for (const [version, range] of [
      [1, "stable"],
      [2, "stable"],
      [1, "gone"],
      [1, "latest"],
    ] as const)
      assert.equal((await report(skill.id, member, version, range)).data.recorded, true, range);

    const { data } = await get<InstallSummaryPayload>(`/api/skills/${skill.id}/installs/summary`);

    assert.equal(data.outdated, 2);
    assert.deepEqual(data.reach, { unknown: 0, pinned: 0, channels: 3, patch: 1, minor: 1, major: 1 });
    const own = await get<OwnInstallPayload[]>("/api/user/installs", member.token);
    assert.deepEqual(own.data.map(({ semver, updateAvailable }) => [semver, updateAvailable]).toReversed(), [
      ["1.0.0", false],
      ["1.1.0", true],
      ["1.0.0", false],
      ["1.0.0", true],
    ]);
    const usage = await get<TenantUsagePayload>(`/api/tenants/${org.id}/analytics/usage`);
    const [counted] = usage.data.outdated.skills.filter(({ skill: { id } }) => id === skill.id);
    assert.equal(counted?.outdated, 2);
  });

  it("lose their pin with a report that has none, and take no other text for one", async () => {
    const skill = await newVersionedSkill({ service, user: owner, org, name: "Unpinned installs" });
    const body = { platform: "claude", scope: "global", machine: "one", version: 1 };
    const put = (fields: object) =>
      service.call("PUT", `/api/skills/${skill.id}/installs`, {
        token: owner.token,
        body: { ...body, ...fields },
      });

    await put({ range: "^1.0.0" });
    await put({});

    const { data } = await get<InstallSummaryPayload>(`/api/skills/${skill.id}/installs/summary`);
    assert.deepEqual(data.reach, { unknown: 1, pinned: 0, channels: 0, patch: 0, minor: 0, major: 0 });
    assert.equal((await put({ range: "not a range" })).code, "invalid_request");
  });

  it("are compared with the highest release that the caller sees", async () => {
    const skill = await newVersionedSkill({ service, user: owner, org, name: "Held installs" });
    assert.equal((await report(skill.id, owner, 1, "~1.0.0")).status, 200);
    await skill.push({ semver: "2.0.0" });
    await holdVersion(service.app, skill.id, 2, "review");
    const role = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/roles`, {
      token: owner.token,
      body: { name: "Analyst", permissions: { skill: ["read"], analytics: ["read"] } },
    });
    const analyst = await newMember(service, org, role.data.id);
    const patchesFor = async ({ token }: TestUser) =>
      (await get<InstallSummaryPayload>(`/api/skills/${skill.id}/installs/summary`, token)).data.reach.patch;

    assert.deepEqual([await patchesFor(analyst), await patchesFor(owner)], [1, 0]);
  });

  it("are summarized for holders of analytics: read only", async () => {
    const skill = await newVersionedSkill({ service, user: owner, org, name: "Guarded installs" });
    await service.call("PUT", `/api/skills/${skill.id}`, {
      token: owner.token,
      body: { visibility: "public" },
    });
    const stranger = await service.newUser();
    const path = `/api/skills/${skill.id}/installs/summary`;

    assert.equal((await get(path, stranger.token)).code, "forbidden");
    assert.equal((await service.call("GET", path)).code, "unauthenticated");
  });
});

describe("downloads of a skill", () => {
  it("are counted by version, most downloaded first", async () => {
    const skill = await newVersionedSkill({ service, user: owner, org, name: "Counted downloads" });
    await skill.push();
    for (const version of [1, 2, 2]) await skill.read(`?version=${version}`);
    flushDownloads(service.app);
    await service.settled();

    const { data } = await get<SkillAnalyticsPayload>(`/api/skills/${skill.id}/analytics?days=1`);

    assert.equal(data.total, 3);
    assert.deepEqual(data.versions, [
      { version: 2, semver: "1.0.1", downloads: 2 },
      { version: 1, semver: "1.0.0", downloads: 1 },
    ]);
  });
});
