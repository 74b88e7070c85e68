/**
 * Skills of an organization that are not used, outdated installs, and cost in context, over the skills that the caller
 * may read.
 */
import type {
  TenantUsagePayload,
  UninstalledSkillsPayload,
} from "../../../contract/payloads/usage/analytics.ts";
import type { InstalledVersion, UsedSkill } from "../../../storage/lookups/usage.ts";
import type { Actor } from "../../access/actor.ts";
import { dayBefore } from "../../analytics/downloads.ts";
import type { App } from "../../app.ts";
import { idleTokens } from "./idle-tokens.ts";
import { isOutdated } from "./list-installs.ts";
import { loadReadable, type Readable } from "./organization-analytics.ts";

const unusedDays = 30;
/** Skills, and installed versions, that are looked at. */
const most = 20_000;
const shown = 20;

/** Requires `analytics:read` and `skill:read`. */
export async function readTenantUsage(app: App, actor: Actor, ref: string): Promise<TenantUsagePayload> {
  const readable = await loadReadable(app, actor, ref);
  const { usage } = app.storage;
  const [skills, used, installed] = await Promise.all([
    usage.listSkills(readable.tenantId, most),
    usage.listDownloaded(readable.tenantId, dayBefore(app, unusedDays - 1)),
    usage.listInstalled(readable.tenantId, most),
  ]);
  const visible = skills.filter(({ folderId }) => folderId === null || !readable.hidden.has(folderId));
  const counts = countInstalls(visible, installed);
  return {
    days: unusedDays,
    isComplete: skills.length < most && installed.length < most,
    unused: unusedOf(app, visible, new Set(used)),
    outdated: outdatedOf(counts),
    releases: await releasesOf(app, counts),
    cost: costOf(visible),
  };
}

const uninstalledDays = 90;
const dayMs = 24 * 3_600_000;

/** Skills that no member installed or updated lately. Requires `analytics:read` and `skill:read`. */
export async function readUninstalled(
  app: App,
  actor: Actor,
  ref: string,
): Promise<UninstalledSkillsPayload> {
  const readable = await loadReadable(app, actor, ref);
  const since = new Date(app.now().getTime() - uninstalledDays * dayMs);
  const [skills, installed] = await Promise.all([
    app.storage.usage.listSkills(readable.tenantId, most),
    app.storage.usage.listInstalledSince(readable.tenantId, since),
  ]);
  const used = new Set(installed);
  const unused = skills.filter(
    ({ _id, folderId, createdAt }) =>
      !used.has(_id) && createdAt < since && (folderId === null || !readable.hidden.has(folderId)),
  );
  return {
    days: uninstalledDays,
    isComplete: skills.length < most,
    skillIds: unused.map(({ _id }) => _id),
  };
}

/** Skills without a download, that existed before. The ones that were published longest ago come first. */
function unusedOf(
  app: App,
  skills: readonly UsedSkill[],
  used: ReadonlySet<string>,
): TenantUsagePayload["unused"] {
  const since = new Date(`${dayBefore(app, unusedDays - 1)}T00:00:00Z`);
  const unused = skills
    .filter(({ _id, createdAt }) => !used.has(_id) && createdAt < since)
    .sort((a, b) => a.updatedAt.getTime() - b.updatedAt.getTime());
  return {
    count: unused.length,
    skills: unused.slice(0, shown).map((skill) => ({
      skill: named(skill),
      downloads: skill.downloads,
      updatedAt: skill.updatedAt.toISOString(),
    })),
  };
}

type Counts = ReadonlyMap<UsedSkill, { installs: number; outdated: number }>;

function countInstalls(skills: readonly UsedSkill[], installed: readonly InstalledVersion[]): Counts {
  const byId = new Map(skills.map((skill) => [skill._id, skill]));
  const counts = new Map<UsedSkill, { installs: number; outdated: number }>();
  for (const { skillId, places, ...row } of installed) {
    const skill = byId.get(skillId);
    if (!skill) continue;
    const count = counts.get(skill) ?? { installs: 0, outdated: 0 };
    count.installs += places;
    if (isOutdated(row, skill)) count.outdated += places;
    counts.set(skill, count);
  }
  return counts;
}

/** The skills with the most outdated installs come first. */
function outdatedOf(counts: Counts): TenantUsagePayload["outdated"] {
  const outdated = [...counts]
    .filter(([, count]) => count.outdated > 0)
    .sort(([, a], [, b]) => b.outdated - a.outdated);
  return {
    installs: outdated.reduce((sum, [, count]) => sum + count.outdated, 0),
    skills: outdated.slice(0, shown).map(([skill, count]) => ({
      skill: named(skill),
      current: skill.current.semver,
      ...count,
    })),
  };
}

/** Skills that were changed last, among which the latest releases are looked for. */
const releaseCandidates = 100;

/** How many of the installs have the current version, latest release first. */
async function releasesOf(app: App, counts: Counts): Promise<TenantUsagePayload["releases"]> {
  const changed = [...counts]
    .toSorted(([a], [b]) => b.updatedAt.getTime() - a.updatedAt.getTime())
    .slice(0, releaseCandidates);
  const facts = await app.storage.versions.listFacts(
    changed.map(([{ _id: skillId, current }]) => ({ skillId, version: current.version })),
  );
  const times = new Map(facts.map(({ skillId, createdAt }) => [skillId, createdAt]));
  return changed
    .flatMap(([skill, { installs, outdated }]) => {
      const releasedAt = times.get(skill._id);
      return releasedAt ? [{ skill, releasedAt, installs, adopted: installs - outdated }] : [];
    })
    .toSorted((a, b) => b.releasedAt.getTime() - a.releasedAt.getTime())
    .slice(0, shown)
    .map(({ skill, releasedAt, ...rest }) => ({
      skill: named(skill),
      semver: skill.current.semver,
      releasedAt: releasedAt.toISOString(),
      ...rest,
    }));
}

/** Agents read the name and the description of each skill before they choose one. */
function costOf(skills: readonly UsedSkill[]): TenantUsagePayload["cost"] {
  const costs = skills.map((skill) => ({
    skill,
    idle: idleTokens(skill),
  }));
  return {
    idle: costs.reduce((sum, { idle }) => sum + idle, 0),
    skills: costs
      .sort((a, b) => b.idle - a.idle)
      .slice(0, shown)
      .map(({ skill, idle }) => ({ skill: named(skill), idle })),
  };
}

/** Skills that the caller may read: at most 20,000. */
export async function readableSkills(app: App, { tenantId, hidden }: Readable): Promise<UsedSkill[]> {
  const skills = await app.storage.usage.listSkills(tenantId, most);
  return skills.filter(({ folderId }) => folderId === null || !hidden.has(folderId));
}

export function named({ _id: id, publicId, slug, name }: UsedSkill) {
  return { id, publicId, slug, name };
}
