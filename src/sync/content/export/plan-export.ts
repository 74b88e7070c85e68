/**
 * Plan of an export: the steps after which the repository has every skill as the platform has it. There is a step per
 * skill, so that one that the host refuses can be left out without the others. Pure, except for reading the exports.
 */
import { lastMoveOf } from "../import/concurrent-move.ts";
import type { MergeBase } from "../plan-types.ts";

/** A directory of the branch that is written to. */
export interface PresentDirectory {
  path: string;
  contentTree: string;
  svcBlob: string | null;
  /** Skill id in its `.svc.json`, which anyone with write access to the branch can edit. */
  svcId: string | undefined;
}

/** Merge base of a skill, and the revision of the skill that was exported. */
export interface ExportedBase extends MergeBase {
  skillRevision: number;
}

export interface SkillToExport {
  id: string;
  path: string;
  /** Increases with every change of the skill. */
  revision: number;
  /** Its newest version. */
  head?: { version: number };
}

/** Ids of the directory's tree without `.svc.json`, and of that blob. */
export interface ExportedAs {
  contentTree: string;
  svcBlob: string;
}

export interface SkillExport {
  skillId: string;
  /** `from`: current path of the skill in the branch, if another. */
  put?: { path: string; from?: string };
  remove: string[];
  /** Merge base once the step is in the branch; undefined if the skill is deleted. */
  after: ExportedBase | undefined;
}

/**
 * Input of the plan. Without `full`, only skills are written that changed here since the last export, and those whose
 * directory has the `.svc.json` of another skill: a directory that the repository has deleted or moved stays so.
 */
interface ExportQuestion {
  skills: readonly SkillToExport[];
  bases: readonly ExportedBase[];
  directories: readonly PresentDirectory[];
  full: boolean;
  now: Date;
  /** Skills whose directories could not be imported: edits there are not overwritten. */
  skipped: ReadonlySet<string>;
  /** Paths of directories that could not be imported. */
  refused: ReadonlySet<string>;
  exported(skillId: string): Promise<ExportedAs>;
  /** Whether a failure to read a skill concerns that skill only, which is then left out. */
  contain?(skill: SkillToExport, error: unknown): boolean;
}

/** The input, indexed. */
interface ExportSides extends ExportQuestion {
  /** Directories of the branch by path. */
  present: ReadonlyMap<string, PresentDirectory>;
  baseOf: ReadonlyMap<string, ExportedBase>;
  skillAt: ReadonlyMap<string, SkillToExport>;
}

export async function planExport(given: ExportQuestion): Promise<SkillExport[]> {
  const { skills, bases } = given;
  const sides: ExportSides = {
    ...given,
    present: new Map(given.directories.map((directory) => [directory.path, directory])),
    baseOf: new Map(bases.map((base) => [base.skillId, base])),
    skillAt: new Map(skills.map((skill) => [skill.path, skill])),
  };
  const exports: SkillExport[] = [];
  for (const skill of skills) {
    const base = sides.baseOf.get(skill.id);
    if (isHeldBack(sides, skill) || !isDue(sides, skill, base)) continue;
    try {
      const step = await planSkill(sides, skill, base);
      if (step) exports.push(step);
    } catch (error) {
      if (!given.contain?.(skill, error)) throw error;
    }
  }
  const alive = new Set(skills.map(({ id }) => id));
  for (const base of bases)
    if (!alive.has(base.skillId))
      exports.push({ skillId: base.skillId, remove: removable(sides, base, undefined), after: undefined });
  return exports;
}

/** Whether the skill's directory has an edit that could not be imported. */
function isHeldBack({ skipped, refused }: ExportSides, { id, path }: SkillToExport): boolean {
  return skipped.has(id) || refused.has(path);
}

/** Whether the skill is compared with the branch: each one in a full sync. */
function isDue(sides: ExportSides, skill: SkillToExport, base: ExportedBase | undefined): boolean {
  return sides.full || isOutdated(sides, skill, base);
}

/** Whether a skill has changed since its last export, or its directory is not its own. */
function isOutdated(sides: ExportSides, skill: SkillToExport, base: ExportedBase | undefined): boolean {
  const there = sides.present.get(skill.path);
  return (
    !base ||
    base.skillRevision !== skill.revision ||
    base.path !== skill.path ||
    base.lastMove?.second !== undefined ||
    isDisplaced(sides, skill, base) ||
    (there !== undefined && there.svcId !== skill.id)
  );
}

/** Whether the skill was moved to the path of another skill: that one is written there, and this one moves back. */
function isDisplaced(
  { skillAt, present }: ExportSides,
  { path }: SkillToExport,
  { strayPath }: ExportedBase,
): boolean {
  return strayPath !== undefined && strayPath !== path && skillAt.has(strayPath) && present.has(strayPath);
}

async function planSkill(
  sides: ExportSides,
  skill: SkillToExport,
  base: ExportedBase | undefined,
): Promise<SkillExport | undefined> {
  const { contentTree, svcBlob } = await sides.exported(skill.id);
  const after: ExportedBase = {
    skillId: skill.id,
    path: skill.path,
    contentTree,
    svcBlob,
    skillRevision: skill.revision,
    version: skill.head?.version,
    ...moveAfter(base, skill, sides.now),
  };
  const there = sides.present.get(skill.path);
  const remove = base === undefined ? [] : removable(sides, base, skill.path);
  const isWritten = there?.contentTree === contentTree && there.svcBlob === svcBlob;
  if (isWritten && remove.length === 0) {
    const isRecorded =
      base?.skillRevision === skill.revision &&
      base.path === skill.path &&
      base.contentTree === contentTree &&
      base.svcBlob === svcBlob &&
      base.strayPath === undefined &&
      base.lastMove?.second === undefined;
    return isRecorded ? undefined : { skillId: skill.id, remove, after };
  }
  const [from] = remove;
  const put = isWritten ? {} : { put: { path: skill.path, from } };
  return { skillId: skill.id, ...put, remove, after };
}

/** Paths that the skill has left, if they have its known content and are not another skill's. */
function removable(sides: ExportSides, base: ExportedBase, path: string | undefined): string[] {
  const { contentTree, lastMove } = base;
  const left = [base.path, base.strayPath].flatMap((place) => (place ? { path: place, contentTree } : []));
  return [...left, ...(lastMove?.second ? [lastMove.second] : [])]
    .filter(
      (one) =>
        one.path !== path &&
        !isOthers(sides, one.path, base.skillId) &&
        !sides.refused.has(one.path) &&
        sides.present.get(one.path)?.contentTree === one.contentTree,
    )
    .map((one) => one.path);
}

/** The skill's last move, without the second directory, which the export removes. */
function moveAfter(
  base: ExportedBase | undefined,
  { path }: SkillToExport,
  now: Date,
): Pick<MergeBase, "lastMove"> {
  const move = lastMoveOf(base, path, now);
  return move ? { lastMove: { from: move.from, at: move.at } } : {};
}

/** Whether another skill is or will be at the path. The path of a skipped skill may be cleared. */
function isOthers(
  { skillAt, baseOf, skipped, present }: ExportSides,
  place: string,
  skillId: string,
): boolean {
  const other = skillAt.get(place);
  if (!other || other.id === skillId) return false;
  const base = baseOf.get(other.id);
  return (
    !skipped.has(other.id) || (base?.path === place && base.contentTree === present.get(place)?.contentTree)
  );
}

/** Whether a step changes the branch, not only the sync state. */
export function isPush({ put, remove }: SkillExport): boolean {
  return put !== undefined || remove.length > 0;
}

/** One-line summary of steps, for a commit or pull request. */
export function titleOf(steps: readonly SkillExport[]): string {
  const [only, ...others] = steps;
  if (only === undefined) return "Refresh the list of skills";
  if (others.length > 0) return `Sync ${steps.length} skills`;
  return only.put ? `Sync ${only.put.path}` : `Remove ${only.remove[0]}`;
}
