/**
 * Versions of a skill, wherever they are stored. A version exists once the skill document contains it (`pending`);
 * a projection copies it to the collection and removes it from the document afterwards. Therefore every read takes the
 * document first: a version that is no longer pending in it is in the collection.
 */
import { LRUCache } from "lru-cache";
import { limits } from "../../../contract/limits.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionContent, VersionDoc } from "../../../storage/versions/versions.ts";
import type { App } from "../../app.ts";
import type { SeenSkill } from "../load.ts";
import { unseenVersions } from "../marks/marks.ts";

type WithPending = Pick<SkillDoc, "_id" | "pending">;
type WithStates = WithPending & Pick<SeenSkill, "marks" | "can">;

/** Version rows never change, and a caller reaches one only through its skill, so they can be cached. */
const cachedRows = new LRUCache<string, VersionDoc>({ max: 5000 });

export async function findVersion(app: App, skill: WithPending, version: number): Promise<VersionDoc | null> {
  const pending = skill.pending.find((row) => row.version === version);
  if (pending) return pending;
  const key = `${skill._id}:${version}`;
  const cached = cachedRows.get(key);
  if (cached) return cached;
  const row = await app.storage.versions.find(skill._id, version);
  if (row) cachedRows.set(key, row);
  return row;
}

/** Like `findVersion`, for a caller that has not loaded the skill document. */
export async function findVersionOf(app: App, skillId: string, version: number): Promise<VersionDoc | null> {
  const stored = await app.storage.versions.find(skillId, version);
  if (stored) return stored;
  const skill = await app.storage.skills.find(skillId);
  return skill && findVersion(app, skill, version);
}

export async function findVersionBySemver(
  app: App,
  skill: WithPending,
  semver: string,
): Promise<VersionDoc | null> {
  const pending = skill.pending.find((row) => row.semver === semver);
  if (pending) return pending;
  const key = `${skill._id}:v${semver}`;
  const cached = cachedRows.get(key);
  if (cached) return cached;
  const row = await app.storage.versions.findBySemver(skill._id, semver);
  if (row) cachedRows.set(key, row);
  return row;
}

export async function findVersionById(app: App, skill: WithPending, id: string): Promise<VersionDoc | null> {
  const pending = skill.pending.find((row) => row._id === id);
  return pending ?? app.storage.versions.findById(skill._id, id);
}

export interface VersionFilter {
  /** Only versions with a lower number. */
  below?: number;
  /** Whether prereleases are included. */
  prerelease: boolean;
  limit: number;
}

/** Newest first, without those that are hidden from the caller for whom the skill was loaded. */
export async function findVersions(
  app: Pick<App, "storage">,
  skill: WithStates,
  { below, prerelease, limit }: VersionFilter,
): Promise<VersionDoc[]> {
  const except = unseenVersions(skill);
  const matching = skill.pending.filter(
    (row) =>
      (below === undefined || row.version < below) &&
      (prerelease || !row.prerelease) &&
      !except.includes(row.version),
  );
  const stored = await app.storage.versions.list(skill._id, { below, except, prerelease, limit });
  return withPending(matching, stored).slice(0, limit);
}

interface Numbered {
  version: number;
  semver: string;
}

/** Numbers up to a skill's newest version, by both: they never change. */
const cachedNumbers = new LRUCache<string, readonly Numbered[]>({
  maxSize: 100_000,
  sizeCalculation: (numbers) => numbers.length + 1,
});

/** Number and semver of every version, newest first. */
export async function listSemvers(
  app: App,
  skill: WithPending & Pick<SkillDoc, "head">,
): Promise<readonly Numbered[]> {
  const newest = skill.head.version;
  const key = `${skill._id}:${newest}`;
  const cached = cachedNumbers.get(key);
  if (cached) return cached;
  const all = withPending<Numbered>(skill.pending, await app.storage.versions.listSemvers(skill._id))
    .filter(({ version }) => version <= newest)
    .map(({ version, semver }) => ({ version, semver }));
  cachedNumbers.set(key, all);
  return all;
}

/** Distinct content of a skill's versions; of the newest ones if there are more than `limits.refusedContents`. */
export async function listHashes(app: App, skill: WithPending): Promise<string[]> {
  const stored = await app.storage.versions.listHashes(skill._id, limits.refusedContents);
  return [...new Set([...skill.pending.map((row) => row.hash), ...stored])];
}

/** Content of the versions above a number, newest first. */
export async function listContents(app: App, skillId: string, above: number): Promise<VersionContent[]> {
  const skill = await app.storage.skills.find(skillId);
  const matching = skill ? skill.pending.filter((row) => row.version > above) : [];
  return withPending<VersionContent>(matching, await app.storage.versions.listContents(skillId, above));
}

/** Both parts without duplicates, newest first. */
function withPending<T extends { version: number }>(pending: readonly T[], stored: readonly T[]): T[] {
  const byNumber = new Map([...pending, ...stored].map((row) => [row.version, row]));
  return [...byNumber.values()].sort((a, b) => b.version - a.version);
}
