import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CommandStartedEvent } from "mongodb";
import type { SkillPayload } from "../../contract/payloads/skills/skills.ts";
import type { TenantAnalyticsPayload } from "../../contract/payloads/usage/analytics.ts";
import type { DownloadSource } from "../../contract/vocabulary.ts";
import { countDownloads } from "../../src/analytics/count.ts";
import { newFolder, newMember, restrict, publishSkill } from "../support/organization.ts";
import { assertIndexed, plansOf } from "../support/plans.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

const dayMs = 86_400_000;
const now = new Date("2026-03-31T12:00:00.000Z");

const { service, owner, org } = await setUpOrganization({ reportsCommands: true, now: () => now });
const member = await newMember(service, org, "member");
const granted = await newMember(service, org, "viewer");
await newFolder(service, org, owner, "plain");
const vault = await newFolder(service, org, owner, "vault");
await newFolder(service, org, owner, "vault/deep");
const vaultId = vault.id;
const skills = {
  open: await publish("Open"),
  filed: await publish("Filed", "plain"),
  secret: await publish("Secret", "vault"),
  deep: await publish("Deep", "vault/deep"),
};
await service.settled();
await download("open", 5);
await download("open", 1, 20, "web");
await download("filed", 2, 3, "api");
await download("secret", 40);
await download("deep", 7, 50);
for (const [user, skill] of [
  [owner, skills.open],
  [owner, skills.secret],
  [member, skills.filed],
] as const) {
  const answer = await service.call<{ recorded: boolean }>("PUT", `/api/skills/${skill.id}/installs`, {
    token: user.token,
    body: { platform: "claude", scope: "global", version: 1, machine: user.username },
  });
  assert.equal(answer.data.recorded, true);
}
await restrict(service, owner, vaultId, [{ type: "member", id: granted.id, level: "viewer" }]);

function publish(name: string, folder?: string): Promise<SkillPayload> {
  return publishSkill(service, org, owner, { name, visibility: "public", folder });
}

async function download(
  skill: keyof typeof skills,
  times: number,
  daysAgo = 0,
  source: DownloadSource = "cli",
): Promise<void> {
  const row = {
    skillId: skills[skill].id,
    tenantId: org.id,
    versionId: "v",
    source,
    createdAt: new Date(now.getTime() - daysAgo * dayMs),
  };
  const rows = Array.from({ length: times }, () => row);
  await service.app.storage.downloads.insert({ _id: service.app.newId(), rows, createdAt: now });
  await countDownloads(service.app);
}

async function read(user: TestUser, query = ""): Promise<TenantAnalyticsPayload> {
  const target = `/api/tenants/${org.slug}/analytics${query}`;
  const answer = await service.call<TenantAnalyticsPayload>("GET", target, { token: user.token });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.data;
}

/** The days with downloads or installs, and all counts. */
function figuresOf({ daily, top, ...numbers }: TenantAnalyticsPayload) {
  return {
    ...numbers,
    daily: daily.filter((day) => day.cli + day.web + day.api > 0),
    top: top.map(({ skill, downloads }) => [skill.slug, downloads]),
  };
}

describe("the analytics of an organization", () => {
  it("show everything to an owner", async () => {
    const answer = await read(owner);

    assert.equal(answer.daily.length, 30);
    assert.deepEqual(answer.top[0]!.skill, {
      id: skills.secret.id,
      publicId: skills.secret.publicId,
      slug: "secret",
      name: "Secret",
    });
    assert.deepEqual(figuresOf(answer), {
      total: 55,
      last7Days: 47,
      last30Days: 48,
      previous: 7,
      skills: 4,
      installs: 3,
      daily: [
        { date: "2026-03-11", cli: 0, web: 1, api: 0 },
        { date: "2026-03-28", cli: 0, web: 0, api: 2 },
        { date: "2026-03-31", cli: 45, web: 0, api: 0 },
      ],
      top: [
        ["secret", 40],
        ["open", 6],
        ["filed", 2],
      ],
    });
  });

  it("exclude a restricted folder from every figure shown to a member, as soon as it is restricted", async () => {
    const answer = await read(member);
    const longer = await read(member, "?days=90");

    assert.deepEqual(figuresOf(answer), {
      total: 8,
      last7Days: 7,
      last30Days: 8,
      previous: 0,
      skills: 2,
      installs: 2,
      daily: [
        { date: "2026-03-11", cli: 0, web: 1, api: 0 },
        { date: "2026-03-28", cli: 0, web: 0, api: 2 },
        { date: "2026-03-31", cli: 5, web: 0, api: 0 },
      ],
      top: [
        ["open", 6],
        ["filed", 2],
      ],
    });
    assert.deepEqual({ ...longer, daily: [] }, { ...answer, daily: [] });
    assert.equal(longer.daily.length, 90);
  });

  it("include a restricted folder for a member with a grant", async () => {
    const answer = await read(granted, "?days=90&limit=2");

    assert.deepEqual([answer.total, answer.last30Days, answer.skills, answer.installs], [55, 48, 4, 3]);
    assert.deepEqual(figuresOf(answer).top, [
      ["secret", 40],
      ["deep", 7],
    ]);
  });

  it("include the folder again when the restriction ends, and deleted skills for owners only", async () => {
    await restrict(service, owner, vaultId, [], false);
    const opened = await read(member);
    const gone = await publish("Gone");
    Object.assign(skills, { gone });
    await download("gone" as "open", 9);
    await service.call("DELETE", `/api/skills/${gone.id}`, { token: owner.token });
    const [byOwner, byMember] = [await read(owner), await read(member)];
    await restrict(service, owner, vaultId, [{ type: "member", id: granted.id, level: "viewer" }]);

    assert.deepEqual([opened.total, opened.skills, opened.installs], [55, 4, 3]);
    assert.deepEqual([byOwner.total, byOwner.skills], [64, 4]);
    assert.ok(!byOwner.top.some(({ skill }) => skill.slug === "gone"));
    assert.equal(byMember.total, 55);
    assert.equal((await read(member)).total, 8);
  });

  it("require a role with the permission, and reject narrowed tokens", async () => {
    const target = `/api/tenants/${org.slug}/analytics`;
    const stranger = await service.newUser();
    const role = await service.call<{ id: string }>("POST", `/api/tenants/${org.slug}/roles`, {
      token: owner.token,
      body: { name: "Counting only", permissions: { analytics: ["read"] } },
    });
    assert.equal(role.status, 201, JSON.stringify(role.body));
    const counting = await newMember(service, org, role.data.id);
    const scoped = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: owner.cookie,
      body: { name: "skills only", scopes: { skill: ["read"] } },
    });

    const statusOf = async (token: string | undefined, query = "") =>
      (await service.call("GET", target + query, { token })).status;

    assert.equal(await statusOf(undefined), 401);
    assert.equal(await statusOf(stranger.token), 404);
    assert.equal(await statusOf(counting.token), 403);
    assert.equal(await statusOf(scoped.data.token), 403);
    for (const query of ["?days=0", "?days=366", "?limit=0", "?limit=101", "?days=x", "?days=1&days=2"])
      assert.equal(await statusOf(owner.token, query), 400, query);
    assert.equal((await service.call("GET", `/api/tenants/${stranger.id}/analytics`, owner)).status, 404);
  });

  it("are read by index only, and write nothing", async () => {
    const { raw } = service.app.storage.database;
    const tenants = Array.from({ length: 20 }, (_, index) => `other${index}`);
    await raw.collection("daily_downloads").insertMany(
      tenants.flatMap((tenantId) =>
        Array.from({ length: 30 }, (_, index) => ({
          _id: `${tenantId}:${index}` as never,
          skillId: `${tenantId}s`,
          tenantId,
          date: `2026-03-${String(index + 1).padStart(2, "0")}`,
          cli: 1,
          web: 0,
          api: 0,
        })),
      ),
    );
    const written: string[] = [];
    const note = ({ commandName, command }: CommandStartedEvent) => {
      // Every call also updates the time at which its token was last used.
      const collection = String(command[commandName]);
      if (/insert|update|delete|findAndModify/.test(commandName) && collection !== "tokens")
        written.push(`${commandName} ${collection}`);
    };
    await service.settled();
    raw.client.on("commandStarted", note);

    const plans = await plansOf(service, async () => {
      for (const user of [owner, member, granted]) await read(user, "?days=90");
    });
    raw.client.off("commandStarted", note);

    assertIndexed(plans, 20);
    assert.deepEqual(written, []);
  });
});
