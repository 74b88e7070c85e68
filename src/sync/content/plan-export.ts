/**
 * What is to be written to a repository so that it holds every skill as the platform does, skill by skill: so that one
 * that the host refuses can be left out without the others. Pure, but for asking what a skill is exported as.
 */
import type { MergeBase } from "./plan-types.ts";

/** A directory of the branch that is written to. */
export interface PresentDirectory {
  path: string;
  contentTree: string;
  svcBlob: string | null;
  /** Skill id in its `.svc.json`, which anyone with write access to the branch can edit. */
  svcId: string | undefined;
}

/** What both sides agreed on, and the state of the skill that was written then. */
export interface ExportedBase extends MergeBase {
  skillRevision: number;
}

export interface SkillToExport {
  id: string;
  path: string;
  /** Grows with every change of the skill. */
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
  /** `from`: where the same skill lies in the branch, if elsewhere. */
  put?: { path: string; from?: string };
  remove: string[];
  /** The base once this is in the branch; undefined where the skill is deleted. */
  after: ExportedBase | undefined;
}

/**
 * Without `full`, only skills that changed here since they were written, and those whose directory says that it is another
 * one's: one that the repository has deleted or moved stays as it left it until then. `refused` are directories that could
 * not be imported, and `skipped` the skills that they are: what was edited there is not overwritten.
 */
export async function planExport(given: {
  skills: readonly SkillToExport[];
  bases: readonly ExportedBase[];
  directories: readonly PresentDirectory[];
  full: boolean;
  skipped: ReadonlySet<string>;
  refused: ReadonlySet<string>;
  exported(skillId: string): Promise<ExportedAs>;
  /** Whether a failure to read a skill concerns that skill only, which is then left out. */
  contain?(skill: SkillToExport, error: unknown): boolean;
}): Promise<SkillExport[]> {
  const { skills, bases, full, skipped, refused } = given;
  const present = new Map(given.directories.map((directory) => [directory.path, directory]));
  const baseOf = new Map(bases.map((base) => [base.skillId, base]));
  const skillAt = new Map(skills.map((skill) => [skill.path, skill]));
  const alive = new Set(skills.map(({ id }) => id));
  const exports: SkillExport[] = [];

  for (const skill of skills) {
    const base = baseOf.get(skill.id);
    const there = present.get(skill.path);
    const isNews =
      !base ||
      base.skillRevision !== skill.revision ||
      base.path !== skill.path ||
      isDisplaced(skill, base) ||
      (there !== undefined && there.svcId !== skill.id);
    if (skipped.has(skill.id) || refused.has(skill.path) || (!isNews && !full)) continue;
    try {
      const step = await ofSkill(skill, base);
      if (step) exports.push(step);
    } catch (error) {
      if (!given.contain?.(skill, error)) throw error;
    }
  }
  for (const base of bases)
    if (!alive.has(base.skillId))
      exports.push({ skillId: base.skillId, remove: removable(base, undefined), after: undefined });
  return exports;

  /** Whether the skill was moved to the path of another skill: that one is written there, and this one moves back. */
  function isDisplaced({ path }: SkillToExport, { strayPath }: ExportedBase): boolean {
    return strayPath !== undefined && strayPath !== path && skillAt.has(strayPath) && present.has(strayPath);
  }

  async function ofSkill(
    skill: SkillToExport,
    base: ExportedBase | undefined,
  ): Promise<SkillExport | undefined> {
    const { contentTree, svcBlob } = await given.exported(skill.id);
    const after: ExportedBase = {
      skillId: skill.id,
      path: skill.path,
      contentTree,
      svcBlob,
      skillRevision: skill.revision,
      ...(skill.head ? { version: skill.head.version } : {}),
    };
    const there = present.get(skill.path);
    const remove = base === undefined ? [] : removable(base, skill.path);
    const isWritten = there?.contentTree === contentTree && there.svcBlob === svcBlob;
    if (isWritten && remove.length === 0) {
      const isKnown =
        base?.skillRevision === skill.revision &&
        base.path === skill.path &&
        base.contentTree === contentTree &&
        base.svcBlob === svcBlob &&
        base.strayPath === undefined;
      return isKnown ? undefined : { skillId: skill.id, remove, after };
    }
    const [from] = remove;
    const put = isWritten ? {} : { put: { path: skill.path, ...(from === undefined ? {} : { from }) } };
    return { skillId: skill.id, ...put, remove, after };
  }

  /** Whether another skill is or will be at the path. The path of a skipped skill may be cleared. */
  function isOthers(place: string, skillId: string): boolean {
    const other = skillAt.get(place);
    if (!other || other.id === skillId) return false;
    const base = baseOf.get(other.id);
    return (
      !skipped.has(other.id) || (base?.path === place && base.contentTree === present.get(place)?.contentTree)
    );
  }

  /** Paths that the skill has left, if they have its known content and are not another skill's. */
  function removable(base: ExportedBase, path: string | undefined): string[] {
    return [base.path, ...(base.strayPath === undefined ? [] : [base.strayPath])].filter(
      (place) =>
        place !== path &&
        !isOthers(place, base.skillId) &&
        !refused.has(place) &&
        present.get(place)?.contentTree === base.contentTree,
    );
  }
}

/** Whether anything is to be pushed, beside what only the books have to note. */
export function isPush({ put, remove }: SkillExport): boolean {
  return put !== undefined || remove.length > 0;
}

/** What steps do, in a line: of a commit, or of a pull request. */
export function titleOf(steps: readonly SkillExport[]): string {
  const [only, ...others] = steps;
  if (only === undefined) return "Refresh the list of skills";
  if (others.length > 0) return `Sync ${steps.length} skills`;
  return only.put ? `Sync ${only.put.path}` : `Remove ${only.remove[0]}`;
}
