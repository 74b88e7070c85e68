/** Both sides of an import, indexed for its plan (`plan-import.ts`). */
import type { ImportQuestions, MergeBase, PlatformSkill, Proposals, RemoteDirectory } from "../plan-types.ts";

export interface ImportSides {
  bases: readonly MergeBase[];
  /** Merge bases by skill id. */
  baseOf: ReadonlyMap<string, MergeBase>;
  /** Skills by the path of their directory. */
  skillAt: ReadonlyMap<string, PlatformSkill>;
  /** Skills that are not deleted, by id. */
  alive: ReadonlyMap<string, PlatformSkill>;
  /** Skill ids in the `.svc.json` files of the branch. */
  named: ReadonlySet<string | undefined>;
  ask: ImportQuestions;
  proposals: Proposals;
}

const nothingProposed: Proposals = { of: () => [], areMerged: async () => false };

export function indexSides(
  directories: readonly RemoteDirectory[],
  bases: readonly MergeBase[],
  skills: readonly PlatformSkill[],
  ask: ImportQuestions,
  proposals: Proposals = nothingProposed,
): ImportSides {
  return {
    bases,
    baseOf: new Map(bases.map((base) => [base.skillId, base])),
    skillAt: new Map(skills.map((skill) => [skill.path, skill])),
    alive: new Map(skills.map((skill) => [skill.id, skill])),
    named: new Set(directories.map(({ svcId }) => svcId)),
    ask,
    proposals,
  };
}

/** Whether a skill was proposed with this content, and at this path if one is given. */
export function wasProposed(
  { proposals }: ImportSides,
  skillId: string,
  contentTree: string,
  path?: string,
): boolean {
  return proposals
    .of(skillId)
    .some((one) => one.contentTree === contentTree && (path === undefined || one.path === path));
}

/** Whether an edit was made on top of the proposed platform version, so that its author had seen what it replaces. */
export async function isEditOfProposal(
  sides: ImportSides,
  skillId: string,
  platform: string,
): Promise<boolean> {
  return wasProposed(sides, skillId, platform) && (await sides.proposals.areMerged());
}
