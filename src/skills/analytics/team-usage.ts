/**
 * Installs by team, over the skills that the caller may read. Members are counted, never named. Teams are named, so
 * `member:read` is required besides the permissions for analytics.
 */
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import { limits } from "../../../contract/limits.ts";
import type {
  SkillTeamsPayload,
  TeamUsagePayload,
  TenantTeamsPayload,
} from "../../../contract/payloads/usage/team-usage.ts";
import { isId } from "../../../storage/database.ts";
import type { InstallScopeFilter } from "../../../storage/lookups/install-groups.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { notFound } from "../../errors.ts";
import { loadTenant } from "../../orgs/service.ts";
import { loadSkill } from "../load.ts";
import { isOutdated } from "./list-installs.ts";
import { loadReadable, type Readable } from "./organization-analytics.ts";
import { named, readableSkills } from "./organization-usage.ts";

/** Maximum number of groups of installs in a result. */
const maxGroups = 20_000;
const shownTeams = 100;
const shownSkills = 50;
const slice = 1000;
const countConcurrency = 16;

interface Counts {
  people: number;
  installs: number;
  outdated: number;
}

/** Teams whose members have a skill installed, with the most people first. */
export async function readSkillTeams(app: App, actor: Actor, ref: string): Promise<SkillTeamsPayload> {
  const skill = await loadSkill(app, actor, ref, "analytics:read");
  await loadTenant(app, actor, skill.tenantId, "member:read");
  const rows = await app.storage.installGroups.listOfSkill(skill._id, maxGroups);
  const people = new Map<string, Counts>();
  for (const { userId, installs, ...row } of rows) {
    const counts = people.get(userId) ?? { people: 1, installs: 0, outdated: 0 };
    counts.installs += installs;
    if (isOutdated(row, skill)) counts.outdated += installs;
    people.set(userId, counts);
  }
  return { isComplete: rows.length < maxGroups, ...(await countByTeam(app, skill.tenantId, people)) };
}

/** Teams whose members have installed skills, with the most people first. */
export async function readTenantTeams(app: App, actor: Actor, ref: string): Promise<TenantTeamsPayload> {
  const readable = await loadReadable(app, actor, ref);
  await loadTenant(app, actor, ref, "member:read");
  const rows = await app.storage.installGroups.listPeople(await scopeOf(app, readable), maxGroups);
  const people = new Map(rows.map(({ userId, installs }) => [userId, { people: 1, installs, outdated: 0 }]));
  const counted = await countByTeam(app, readable.tenantId, people);
  const { outdated: _none, ...withoutTeam } = counted.withoutTeam;
  return {
    ...counted,
    isComplete: rows.length < maxGroups,
    teams: counted.teams.map(({ outdated: _unknown, ...team }) => team),
    withoutTeam,
  };
}

/** Skills that members of a team have installed, most people first. */
export async function readTeamUsage(
  app: App,
  actor: Actor,
  { tenant, id }: { tenant: string; id: string },
): Promise<TeamUsagePayload> {
  const readable = await loadReadable(app, actor, tenant);
  await loadTenant(app, actor, tenant, "member:read");
  const { tenantId } = readable;
  const { installGroups, memberships, teams } = app.storage;
  const team = isId(id) ? await teams.find(tenantId, id) : null;
  if (!team) throw notFound("team", id);
  const [members, skills] = await Promise.all([
    memberships.listHolders(tenantId, { teamIds: [id] }),
    readableSkills(app, readable),
  ]);
  const userIds = members.map(({ userId }) => userId);
  const rows = await installGroups.listOfPeople({ tenantId }, userIds, maxGroups);
  const byId = new Map(skills.map((skill) => [skill._id, skill]));
  const counts = new Map<string, Counts & { users: Set<string> }>();
  for (const { skillId, userId, installs, ...row } of rows) {
    const skill = byId.get(skillId);
    if (!skill) continue;
    const count = counts.get(skillId) ?? { people: 0, installs: 0, outdated: 0, users: new Set() };
    count.users.add(userId);
    count.installs += installs;
    if (isOutdated(row, skill)) count.outdated += installs;
    counts.set(skillId, count);
  }
  const used = [...counts].map(([skillId, { users, installs, outdated }]) => ({
    skill: named(byId.get(skillId)!),
    people: users.size,
    installs,
    outdated,
  }));
  return {
    team: { id, name: team.name },
    members: members.length,
    isComplete: rows.length < maxGroups,
    count: used.length,
    skills: used
      .toSorted(
        (a, b) => b.people - a.people || b.installs - a.installs || (a.skill.slug < b.skill.slug ? -1 : 1),
      )
      .slice(0, shownSkills),
  };
}

/** The skills whose installs may be counted; a caller who may read all of them needs no list. */
export async function scopeOf(app: App, readable: Readable): Promise<InstallScopeFilter> {
  const { tenantId, hidden } = readable;
  if (hidden.size === 0) return { tenantId };
  return { tenantId, skillIds: (await readableSkills(app, readable)).map(({ _id }) => _id) };
}

/** Counts of people who are members, by their teams; a person counts in each of them. */
async function countByTeam(
  app: App,
  tenantId: string,
  people: ReadonlyMap<string, Counts>,
): Promise<Omit<SkillTeamsPayload, "isComplete">> {
  const { memberships, teams } = app.storage;
  const counts = new Map<string, Counts>();
  const withoutTeam: Counts = { people: 0, installs: 0, outdated: 0 };
  const ids = [...people.keys()];
  let counted = 0;
  for (let at = 0; at < ids.length; at += slice) {
    const members = await memberships.listByUserIds(tenantId, ids.slice(at, at + slice));
    counted += members.length;
    for (const { userId, teamIds } of members) {
      const own = people.get(userId)!;
      if (teamIds.length === 0) add(withoutTeam, own);
      for (const id of teamIds) {
        const count = counts.get(id) ?? { people: 0, installs: 0, outdated: 0 };
        add(count, own);
        counts.set(id, count);
      }
    }
  }
  const known = await teams.list(tenantId, undefined, limits.teamsPerOrganization);
  const used = known
    .flatMap(({ _id, name }) => {
      const count = counts.get(_id);
      return count ? [{ team: { id: _id, name }, ...count }] : [];
    })
    .toSorted(
      (a, b) => b.people - a.people || b.installs - a.installs || (a.team.name < b.team.name ? -1 : 1),
    );
  const shown = used.slice(0, shownTeams);
  const sizes = await mapLimit(shown, countConcurrency, ({ team }) =>
    memberships.countListed(tenantId, { teamId: team.id }),
  );
  return {
    people: counted,
    count: used.length,
    teams: shown.map((one, at) => ({ ...one, members: sizes[at]! })),
    withoutTeam,
  };
}

function add(to: Counts, one: Counts): void {
  to.people += one.people;
  to.installs += one.installs;
  to.outdated += one.outdated;
}
