/**
 * What a sync has taken in that was stopped before it could note it. What was pushed need not be as we would write it, so
 * that only reading it tells; and people may have gone on from it since.
 */
import type { SkillType } from "../../contract/vocabulary.ts";
import type { SyncBase } from "../../storage/sync-bases.ts";
import type { VersionDoc } from "../../storage/versions.ts";
import type { App } from "../app.ts";
import type { VersionSource } from "../skills/text-source.ts";
import { unnotedConflict } from "./decide.ts";
import { exportedSince, type PlacedSkill } from "./exported.ts";
import type { SyncWork } from "./work.ts";

export interface Made {
  /** Skills without a base when it began. */
  orphans: readonly PlacedSkill[];
  /** Those that a directory of this branch is, or has become since. */
  known: Set<string>;
}

/**
 * The skill that was made of a directory: an import of the same name and first content that has no base, wherever it is by
 * now. Its slug may have got a number. `there`: the skill at the directory's own place.
 */
export async function madeBefore(
  { app }: SyncWork,
  { slug, type }: { slug: string; type: SkillType },
  source: VersionSource,
  { orphans, known }: Made,
  there: PlacedSkill | undefined,
): Promise<string | undefined> {
  for (const skill of orphans) {
    const isLike =
      skill.slug === slug ||
      (skill.slug.startsWith(`${slug}-`) && /^\d+$/.test(skill.slug.slice(slug.length + 1)));
    if (!isLike || skill.type !== type || (known.has(skill.id) && skill.id !== there?.id)) continue;
    const later = await exportedSince(app, skill, 0);
    // Whatever else was imported has gone on from there, and was noted.
    const imported = later.filter(({ isImported }) => isImported);
    if (imported.length !== 1 || imported[0]!.version !== 1) continue;
    if (await isVersion(app, skill.id, 1, source)) return skill.id;
  }
  return undefined;
}

/** The version since both sides agreed that was made of this very content. */
export async function takenBefore(
  { app }: SyncWork,
  skill: PlacedSkill,
  source: VersionSource,
  base: SyncBase | undefined,
): Promise<{ taken: number; unnoted?: { winning: number; losing: number } } | undefined> {
  if (base && base.version === undefined) return undefined;
  const later = await exportedSince(app, skill, base?.version ?? 0);
  for (const [at, { version, isImported }] of later.entries()) {
    if (!isImported || !(await isVersion(app, skill.id, version, source))) continue;
    return { taken: version, ...unnotedConflict(later.slice(at), base?.contentTree ?? "") };
  }
  return undefined;
}

/** Whether a skill was a text when both sides agreed. */
export async function wasTextAt({ app }: SyncWork, base: SyncBase | undefined): Promise<boolean> {
  if (base?.version === undefined) return false;
  return (await rowOf(app, base.skillId, base.version))?.format === "markdown";
}

async function isVersion(
  app: App,
  skillId: string,
  version: number,
  source: VersionSource,
): Promise<boolean> {
  const row = await rowOf(app, skillId, version);
  return row !== undefined && source.equals({ ...row, versionId: row._id });
}

/** Those that wait in the skill's own document included; it is asked first, since they leave it for their own place. */
async function rowOf(app: App, skillId: string, version: number): Promise<VersionDoc | undefined> {
  const skill = await app.storage.skills.find(skillId);
  const waiting = skill?.pending.find((one) => one.version === version);
  return waiting ?? (await app.storage.versions.find(skillId, version)) ?? undefined;
}
