/** Owner teams of skills: who sets and sees them, lists by them, and what happens when the team is deleted. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ChangedSkillPayload, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { cleanUpAfterTeams } from "../../workers/orgs/team-deleted.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import { watchRoundTrips } from "../support/round-trips.ts";
import type { CallOptions, TestUser } from "../support/service.ts";
import { newOrganization, setUpOrganization } from "../support/set-up.ts";

const { service, clock, owner, org } = await setUpOrganization({
  reportsCommands: true,
});
const counter = watchRoundTrips(service);
const member = await newMember(service, org, "member");
const viewer = await newMember(service, org, "viewer");
const other = await newOrganization(service);

let made = 0;
async function newTeam(by = owner, { id } = org): Promise<{ id: string; name: string }> {
  const body = { name: `Team ${++made}` };
  const answer = await service.call<{ id: string }>("POST", `/api/tenants/${id}/teams`, {
    token: by.token,
    body,
  });
  assert.equal(answer.status, 201);
  return { id: answer.data.id, name: body.name };
}
const newSkill = (fields: object = {}) =>
  publishSkill(service, org, owner, { name: `Skill ${++made}`, ...fields });
const setOwner = (skill: SkillPayload, ownerTeamId: string | null, by: CallOptions = owner, more = {}) =>
  service.call<ChangedSkillPayload>("PUT", `/api/skills/${skill.id}`, {
    ...by,
    body: { ownerTeamId, ...more },
  });
const read = (skill: SkillPayload, by: CallOptions) =>
  service.call<SkillPayload>("GET", `/api/skills/${skill.id}`, by);
const list = async (query: string, by: CallOptions = owner) => {
  const answer = await service.call<SkillPayload[]>("GET", `/api/skills?${query}`, by);
  assert.equal(answer.status, 200, query);
  return answer.data.map(({ slug }) => slug);
};
async function tokenWith(limits: object, by: TestUser = owner): Promise<CallOptions> {
  const answer = await service.call<{ token: string }>("POST", "/api/user/tokens", {
    cookie: by.cookie,
    body: { name: `Token ${++made}`, expiresInDays: 7, ...limits },
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return { token: answer.data.token };
}
async function deleteTeam(id: string): Promise<void> {
  const path = `/api/tenants/${org.id}/teams/${id}`;
  assert.equal((await service.call("DELETE", path, { token: owner.token })).status, 200);
}

describe("an owner team", () => {
  it("is set, shown to members, and removed by those who may update the skill", async () => {
    const [skill, team] = [await newSkill({ visibility: "public" }), await newTeam()];

    const set = await setOwner(skill, team.id, member);

    assert.equal(set.status, 200, JSON.stringify(set.body));
    assert.deepEqual(set.data.ownerTeam, team);
    for (const reader of [owner, member, viewer])
      assert.deepEqual((await read(skill, reader)).data.ownerTeam, team);
    assert.deepEqual(
      (await read(skill, await tokenWith({ scopes: { skill: ["read"] } }))).data.ownerTeam,
      team,
    );
    for (const stranger of [other.owner, {}]) {
      const seen = await read(skill, stranger);
      assert.equal(seen.status, 200);
      assert.equal(JSON.stringify(seen.body).includes(team.id), false);
    }
    assert.equal((await setOwner(skill, null, member)).data.ownerTeam, undefined);
    assert.equal((await read(skill, owner)).data.ownerTeam, undefined);
  });

  it("is recorded once, and a dry run changes nothing", async () => {
    const [skill, team] = [await newSkill(), await newTeam()];
    const tried = await setOwner(skill, team.id, owner, { dryRun: true });
    assert.deepEqual(tried.data.ownerTeam, team);
    assert.equal((await read(skill, owner)).data.ownerTeam, undefined);
    await setOwner(skill, team.id);
    await setOwner(skill, team.id);
    await setOwner(skill, null);
    await setOwner(skill, null);
    await service.settled();

    const changes = await service.app.storage.database.raw
      .collection<{ metadata: Record<string, unknown> }>("audit_events")
      .find({ name: "skill.updated", resourceId: skill.id })
      .sort({ createdAt: -1 })
      .toArray();

    assert.deepEqual(
      changes.map(({ metadata }) => metadata.ownerTeamId),
      [null, team.id],
    );
  });

  it("gives its members no right", async () => {
    const [folder, team] = [await newFolder(service, org, owner, `closed ${++made}`), await newTeam()];
    const skill = await newSkill({ folder: folder.path });
    const inTeam = await newMember(service, org, "viewer", [team.id]);
    await restrict(service, owner, folder.id, []);

    assert.equal((await setOwner(skill, team.id)).status, 200);

    assert.equal((await read(skill, inTeam)).status, 404);
    assert.deepEqual(await list(`owner_team=${team.id}`, inTeam), []);
    const open = await newSkill();
    await setOwner(open, team.id);
    assert.equal((await setOwner(open, null, inTeam)).code, "forbidden");
    assert.deepEqual(await list(`owner_team=${team.id}`, inTeam), [open.slug]);
  });

  it("is refused for callers who may not update the skill or read teams, whether the team exists or not", async () => {
    const folder = await newFolder(service, org, owner, `narrow ${++made}`);
    const [skill, team] = [await newSkill({ folder: folder.path }), await newTeam()];
    const missing = service.app.newId();
    const narrow = await tokenWith({ allowedFolderIds: [folder.id] });
    const updating = await tokenWith({ scopes: { skill: ["read", "update"] } });
    const reading = await tokenWith({
      scopes: { skill: ["read"] },
    });

    for (const id of [team.id, missing]) {
      for (const caller of [viewer, reading, narrow, updating])
        assert.equal((await setOwner(skill, id, caller)).code, "forbidden");
      assert.equal((await setOwner(skill, id, other.owner)).code, "not_found");
      assert.equal((await setOwner(skill, id, {})).status, 401);
    }
    assert.equal((await read(skill, owner)).data.ownerTeam, undefined);
    await setOwner(skill, team.id);
    assert.deepEqual((await read(skill, narrow)).data.ownerTeam, team);
    assert.equal((await setOwner(skill, null, narrow)).status, 200);
  });

  it("is a team of the skill's organization", async () => {
    const [skill, foreign] = [await newSkill(), await newTeam(other.owner, other.org)];

    for (const id of [foreign.id, service.app.newId(), "no id", org.id]) {
      const answer = await setOwner(skill, id);
      assert.deepEqual([answer.status, answer.code], [404, "not_found"], id);
    }
    for (const id of ["", 7, {}])
      assert.equal((await setOwner(skill, id as string)).code, "invalid_request", JSON.stringify(id));
  });

  it("is removed from all its skills when the team is deleted", async () => {
    const [team, kept] = [await newTeam(), await newTeam()];
    const [one, two, third] = [await newSkill(), await newSkill(), await newSkill()];
    for (const skill of [one, two]) await setOwner(skill, team.id);
    await setOwner(third, kept.id);

    await deleteTeam(team.id);

    assert.equal((await read(one, owner)).data.ownerTeam, undefined);
    assert.deepEqual(await list(`owner_team=${team.id}`), []);
    await service.settled();
    await cleanUpAfterTeams(service.app, clock.advance(1));
    for (const { id } of [one, two])
      assert.equal((await service.app.storage.skills.find(id))?.ownerTeamId, undefined);
    assert.deepEqual((await read(third, owner)).data.ownerTeam, kept);
  });

  it("is not kept if the team is deleted while it is set", async () => {
    for (let round = 0; round < 5; round++) {
      const [skill, team] = [await newSkill(), await newTeam()];

      const [set] = await Promise.all([setOwner(skill, team.id), deleteTeam(team.id)]);
      await service.settled();
      await cleanUpAfterTeams(service.app, clock.advance(1));

      assert.ok([200, 404].includes(set.status), String(set.status));
      assert.equal((await service.app.storage.skills.find(skill.id))?.ownerTeamId, undefined);
    }
  });

  it("does not pass to a copy", async () => {
    const [skill, team] = [await newSkill(), await newTeam()];
    await setOwner(skill, team.id);

    for (const tenant of [org, other.org]) {
      if (tenant === other.org)
        await service.app.storage.memberships.insert({
          _id: service.app.newId(),
          tenantId: tenant.id,
          tenantSlug: tenant.slug,
          tenantName: tenant.slug,
          userId: owner.id,
          role: "member",
          createdAt: clock.now(),
        });
      const copied = await service.call<{ skill: SkillPayload }>("POST", `/api/skills/${skill.id}/copy`, {
        token: owner.token,
        body: { tenantId: tenant.slug, name: `Copy ${++made}` },
      });
      assert.equal(copied.status, 201, JSON.stringify(copied.body));
      assert.equal((await read(copied.data.skill, owner)).data.ownerTeam, undefined);
    }
  });
});

describe("the list of skills", () => {
  it("has those of a team, by its id or name, with words and other filters", async () => {
    const team = await newTeam();
    const skills = [await newSkill({ tags: ["red"] }), await newSkill(), await newSkill({ tags: ["red"] })];
    for (const skill of skills.slice(0, 2)) await setOwner(skill, team.id);
    await service.settled();
    const slugs = skills.map(({ slug }) => slug);

    const named = encodeURIComponent(team.name.toUpperCase());
    assert.deepEqual((await list(`owner_team=${team.id}`)).toSorted(), slugs.slice(0, 2).toSorted());
    assert.deepEqual((await list(`owner_team=${named}`)).toSorted(), slugs.slice(0, 2).toSorted());
    assert.deepEqual(await list(`owner_team=${named}&tag=red`), slugs.slice(0, 1));
    assert.deepEqual(await list(`owner_team=${named}&query=${slugs[1]}`), slugs.slice(1, 2));
    assert.deepEqual(
      await list(`owner_team=${named}&tenant_id=${org.slug}`, viewer).then((all) => all.length),
      2,
    );
    const first = await service.call<SkillPayload[]>(
      "GET",
      `/api/skills?owner_team=${team.id}&limit=1`,
      owner,
    );
    const next = await list(`owner_team=${team.id}&limit=1&cursor=${first.nextCursor}`);
    assert.deepEqual(
      [...first.data.map(({ slug }) => slug), ...next].toSorted(),
      slugs.slice(0, 2).toSorted(),
    );
  });

  it("has none of a missing team, and none of a team of another organization", async () => {
    const [skill, team] = [await newSkill({ visibility: "public" }), await newTeam()];
    await setOwner(skill, team.id);

    assert.deepEqual(await list(`owner_team=${team.id}`, other.owner), []);
    assert.deepEqual(await list(`owner_team=${encodeURIComponent(team.name)}`, other.owner), []);
    assert.deepEqual(await list("owner_team=missing"), []);
    assert.equal((await service.call("GET", "/api/skills?owner_team=", owner)).code, "invalid_request");
  });

  it("finds the one of a team below many others with few queries", async () => {
    const { owner: founder, org: own } = await newOrganization(service);
    const team = await newTeam(founder, own);
    for (let at = 0; at < 20; at++)
      await publishSkill(service, own, founder, { name: `Needle ${++made}`, description: "Needle" });
    const last = await publishSkill(service, own, founder, { name: `Other ${++made}`, content: "needle\n" });
    await setOwner(last, team.id, founder);
    await service.settled();
    const search = (query: string) => list(`owner_team=${team.id}&query=needle&${query}`, founder);
    assert.deepEqual(await search("limit=50"), [last.slug]);

    const { commands } = await counter.during(async () =>
      assert.deepEqual(await search("limit=1"), [last.slug]),
    );

    assert.ok(commands.filter((one) => one === "find skills").length <= 4, commands.join(", "));
  });

  it("reads the teams of a page with one query, and none without owner teams", async () => {
    const { owner: founder, org: own } = await newOrganization(service);
    const teams = [await newTeam(founder, own), await newTeam(founder, own)];
    const skills = [];
    for (let at = 0; at < 4; at++)
      skills.push(await publishSkill(service, own, founder, { name: `Listed ${++made}` }));
    await service.settled();
    const trips = async () => {
      await list(`tenant_id=${own.id}`, founder);
      return (await counter.during(() => list(`tenant_id=${own.id}`, founder))).commands;
    };
    const before = await trips();
    for (const [at, skill] of skills.entries()) await setOwner(skill, teams[at % 2]!.id, founder);
    await service.settled();

    const after = await trips();

    assert.equal(after.length, before.length + 1, after.join(", "));
  });
});
