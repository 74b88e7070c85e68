/**
 * Imports of a sync that was interrupted before it wrote the merge base. The pushed content may differ from the export
 * of the version that was made of it, so the content is compared with the stored versions; and users may have published
 * further versions since.
 */
import type { SkillType } from "../../../../contract/vocabulary.ts";
import type { SyncBase } from "../../../../storage/sync/bases.ts";
import type { App } from "../../../app.ts";
import type { VersionSource } from "../../../skills/publish/content/text-source.ts";
import { findVersionOf } from "../../../skills/versions/versions.ts";
import type { SyncContext } from "../context.ts";
import { exportedSince, type LocatedSkill } from "../export/exported.ts";
import { unrecordedConflict } from "../plan-existing.ts";

/** Skills that an interrupted import may have created. */
export interface ImportCandidates {
  /** Skills without a merge base when the import began. */
  withoutBase: readonly LocatedSkill[];
  /** Skills that belong to a directory of this branch, or have been created from one since. */
  identified: Set<string>;
}

/**
 * Id of the skill that an interrupted import created from a directory: an import with the same slug, possibly numbered,
 * and the same first content, wherever it is now. `there`: the skill at the directory's own path.
 */
export async function findCreatedSkill(
  { app }: SyncContext,
  { slug, type }: { slug: string; type: SkillType },
  source: VersionSource,
  { withoutBase, identified }: ImportCandidates,
  there: LocatedSkill | undefined,
): Promise<string | undefined> {
  for (const skill of withoutBase) {
    const hasSlug =
      skill.slug === slug ||
      (skill.slug.startsWith(`${slug}-`) && /^\d+$/.test(skill.slug.slice(slug.length + 1)));
    if (!hasSlug || skill.type !== type || (identified.has(skill.id) && skill.id !== there?.id)) continue;
    const versions = await exportedSince(app, skill, 0);
    // A skill with further imports had a merge base once, so its creation was recorded.
    const imported = versions.filter(({ isImported }) => isImported);
    if (imported.length !== 1 || imported[0]!.version !== 1) continue;
    if (await isVersion(app, skill, 1, source)) return skill.id;
  }
  return undefined;
}

/** The version that an interrupted import made of this content, and its conflict if that was not recorded either. */
export async function findImportedVersion(
  { app }: Pick<SyncContext, "app">,
  skill: LocatedSkill,
  source: VersionSource,
  base: SyncBase | undefined,
): Promise<{ alreadyImported: number; unrecorded?: { winning: number; losing: number } } | undefined> {
  if (base && base.version === undefined) return undefined;
  const later = await exportedSince(app, skill, base?.version ?? 0);
  for (const [at, { version, isImported }] of later.entries()) {
    if (!isImported || !(await isVersion(app, skill, version, source))) continue;
    return { alreadyImported: version, ...unrecordedConflict(later.slice(at), base?.contentTree ?? "") };
  }
  return undefined;
}

/** Whether the skill was a text when both sides last agreed. */
export async function wasText(
  { app }: Pick<SyncContext, "app">,
  base: SyncBase | undefined,
): Promise<boolean> {
  if (base?.version === undefined) return false;
  return (await findVersionOf(app, base.skillId, base.version))?.format === "markdown";
}

/** Whether a source has the content of a version. */
export async function isVersion(
  app: App,
  skill: LocatedSkill,
  version: number,
  source: VersionSource,
): Promise<boolean> {
  const row = await findVersionOf(app, skill.id, version);
  return row !== null && source.equals({ ...row, versionId: row._id }, skill);
}
