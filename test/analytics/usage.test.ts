import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  TenantUsagePayload,
  UninstalledSkillsPayload,
} from "../../contract/payloads/usage/analytics.ts";
import { flushDownloads } from "../../src/analytics/downloads.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService, newOrganization } from "../support/set-up.ts";

const { service, clock } = await setUpService();

const usage = (by: TestUser) =>
  service.call<TenantUsagePayload>("GET", `/api/tenants/${org.slug}/analytics/usage`, { token: by.token });
const unusedOf = ({ unused }: TenantUsagePayload) => unused.skills.map(({ skill }) => skill.name).sort();

const { owner, org } = await newOrganization(service);
const member = await newMember(service, org, "member");
const vault = await newFolder(service, org, owner, "vault");
await restrict(service, owner, vault.id, []);
const publish = async (name: string, folder = "/") =>
  (await publishSkill(service, org, owner, { name, folder, visibility: "private" })).id;
const [used, , secret] = [await publish("Used"), await publish("Idle"), await publish("Secret", "vault")];
const install = async (skill: string, user: TestUser, machine: string) => {
  const body = { platform: "claude", scope: "global", version: 1, machine };
  await service.call("PUT", `/api/skills/${skill}/installs`, { token: user.token, body });
};
await install(used, owner, "a");
await install(used, member, "b");
await install(secret, owner, "a");
for (const id of [used, secret])
  await service.call("POST", `/api/skills/${id}/versions`, {
    token: owner.token,
    body: { content: "2\n" },
  });
const body = { platform: "claude", scope: "global", version: 2, machine: "b" };
await service.call("PUT", `/api/skills/${used}/installs`, { token: member.token, body });
clock.aheadMs = 40 * 86_400_000;
await service.call("GET", `/api/skills/${used}/content`, { token: owner.token });
await publish("Fresh");
flushDownloads(service.app);
await service.settled();

describe("the usage of an organization's skills", () => {
  it("lists those without a download for 30 days, and counts outdated installs", async () => {
    const { data } = await usage(owner);

    assert.deepEqual(unusedOf(data), ["Idle", "Secret"]);
    assert.deepEqual([data.days, data.isComplete, data.unused.count], [30, true, 2]);
    assert.equal(data.outdated.installs, 2);
    const counts = data.outdated.skills.map(({ skill, current, installs, outdated }) => [
      skill.name,
      current,
      installs,
      outdated,
    ]);
    assert.deepEqual(
      counts.sort((a, b) => String(a[0]).localeCompare(String(b[0]))),
      [
        ["Secret", "1.0.1", 1, 1],
        ["Used", "1.0.1", 2, 1],
      ],
    );
  });

  it("is about skills that the caller may read, and for readers of analytics only", async () => {
    const { data } = await usage(member);
    const stranger = await service.newUser();
    const role = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/roles`, {
      token: owner.token,
      body: { name: "Readers", permissions: { skill: ["read"] } },
    });
    const reader = await newMember(service, org, role.data.id);

    assert.deepEqual(unusedOf(data), ["Idle"]);
    assert.equal(data.outdated.installs, 1);
    assert.equal(data.cost.skills.length, 3);
    assert.equal(
      data.cost.idle,
      data.cost.skills.reduce((sum, { idle }) => sum + idle, 0),
    );
    assert.ok(data.cost.idle > 0 && (await usage(owner)).data.cost.idle > data.cost.idle);
    assert.ok(!JSON.stringify(data).includes("Secret"));
    assert.deepEqual([(await usage(reader)).code, (await usage(stranger)).code], ["forbidden", "not_found"]);
  });
});

describe("skills that no member installed for 90 days", () => {
  const uninstalled = (by: TestUser) =>
    service.call<UninstalledSkillsPayload>("GET", `/api/tenants/${org.slug}/analytics/uninstalled`, {
      token: by.token,
    });

  it("are those that existed before and that the caller may read", async () => {
    clock.aheadMs = 200 * 86_400_000;
    await install(used, owner, "c");
    const published = await publish("Published lately");

    const [all, some] = [(await uninstalled(owner)).data, (await uninstalled(member)).data];

    assert.deepEqual([all.days, all.isComplete], [90, true]);
    assert.ok(all.skillIds.includes(secret) && !some.skillIds.includes(secret));
    assert.ok(some.skillIds.length > 0);
    for (const id of [used, published]) assert.ok(!all.skillIds.includes(id));
  });

  it("are for those who may read analytics", async () => {
    const stranger = await service.newUser();

    assert.equal((await uninstalled(stranger)).status, 404);
  });
});
