/**
 * What is to be written to a repository so that it holds every skill as the platform does, skill by skill: so that one
 * that the host refuses can be left out without the others. Pure, but for asking what a skill is exported as.
 */
import type { Base } from "./decide.ts";

/** A directory of the branch that is written to. */
export interface PresentDirectory {
  path: string;
  contentTree: string;
  svcBlob: string | null;
  /** The skill that its `.svc.json` names, whoever wrote that. */
  svcId: string | undefined;
}

/** What both sides agreed on, and the state of the skill that was written then. */
export interface ExportedBase extends Base {
  svcBlob?: string;
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
 * not be imported, and `held` the skills that they are: what was edited there is not overwritten.
 */
export async function planExport(given: {
  skills: readonly SkillToExport[];
  bases: readonly ExportedBase[];
  directories: readonly PresentDirectory[];
  full: boolean;
  held: ReadonlySet<string>;
  refused: ReadonlySet<string>;
  exported(skillId: string): Promise<ExportedAs>;
}): Promise<SkillExport[]> {
  const { skills, bases, full, held, refused } = given;
  const present = new Map(given.directories.map((directory) => [directory.path, directory]));
  const baseOf = new Map(bases.map((base) => [base.skillId, base]));
  const planned = new Set(skills.map(({ path }) => path));
  const alive = new Set(skills.map(({ id }) => id));
  const exports: SkillExport[] = [];

  for (const skill of skills) {
    const base = baseOf.get(skill.id);
    const there = present.get(skill.path);
    const isNews =
      !base ||
      base.skillRevision !== skill.revision ||
      base.path !== skill.path ||
      (there !== undefined && there.svcId !== skill.id);
    if (held.has(skill.id) || refused.has(skill.path) || (!isNews && !full)) continue;
    const step = await ofSkill(skill, base);
    if (step) exports.push(step);
  }
  for (const base of bases)
    if (!alive.has(base.skillId))
      exports.push({ skillId: base.skillId, remove: removable(base, undefined), after: undefined });
  return exports;

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

  /** Places that the skill has left, as long as they hold what we know of it and are nobody else's. */
  function removable(base: ExportedBase, path: string | undefined): string[] {
    return [base.path, ...(base.strayPath === undefined ? [] : [base.strayPath])].filter(
      (place) =>
        place !== path && !planned.has(place) && present.get(place)?.contentTree === base.contentTree,
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
