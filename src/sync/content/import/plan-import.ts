/**
 * Plan of an import: which directory is which skill, what becomes a version, and which side wins. It depends on content
 * only. Authors, messages and ancestry of commits are ignored, so that force-pushed history, copied trailers and the
 * echo of our own pushes need no special case.
 *
 * Pure, except for its questions about skills whose directories differ.
 */
import type { Identity } from "../identity-search.ts";
import { identifyDirectories } from "../identity.ts";
import { planClaimed, planKnown, planSecond } from "../plan-existing.ts";
import { planNew } from "../plan-new.ts";
import type {
  MergeBase,
  ImportAction,
  ImportQuestions,
  PlatformSkill,
  Proposals,
  RemoteDirectory,
} from "../plan-types.ts";
import { indexSides, type ImportSides } from "./import-sides.ts";

/**
 * Actions for the directories of a branch, in the order of their paths. Unchanged directories have none. A second
 * directory comes before the skill's own one, whose edit is then the newest version.
 */
export async function planImport(
  directories: readonly RemoteDirectory[],
  bases: readonly MergeBase[],
  skills: readonly PlatformSkill[],
  ask: ImportQuestions,
  proposals?: Proposals,
): Promise<ImportAction[]> {
  const sides = indexSides(directories, bases, skills, ask, proposals);
  const sorted = directories.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const identities = await identifyDirectories(sorted, bases, sides.alive, ask);

  const actions: ImportAction[] = [];
  const isSecond = ({ path }: RemoteDirectory) => identities.get(path)!.kind === "second";
  for (const directory of sorted.toSorted((a, b) => Number(isSecond(b)) - Number(isSecond(a)))) {
    const identity = identities.get(directory.path)!;
    try {
      const action = await planDirectory(sides, directory, identity);
      if (action !== undefined) actions.push(action);
    } catch (error) {
      const refusal = ask.refusal?.(error, directory.path);
      if (!refusal) throw error;
      actions.push({ kind: "refuse", path: directory.path, ...refusal, ...skippedWith(identity) });
    }
  }
  return actions;
}

async function planDirectory(
  sides: ImportSides,
  directory: RemoteDirectory,
  identity: Identity,
): Promise<ImportAction | undefined> {
  switch (identity.kind) {
    case "unclear": {
      const { code, message, skillId } = identity;
      return { kind: "refuse", path: directory.path, code, message, skillId };
    }
    case "known":
      return planKnown(sides, directory, identity.base);
    case "second":
      return planSecond(sides, directory, identity.base);
    case "claimed":
      return planClaimed(sides, directory, identity.skill);
    default:
      return planNew(sides, directory, identity.after);
  }
}

/** The skill of a refused directory, which is not exported either. */
function skippedWith(identity: Identity): { skillId?: string } {
  if (identity.kind === "known" || identity.kind === "second") return { skillId: identity.base.skillId };
  if (identity.kind === "claimed") return { skillId: identity.skill.id };
  return {};
}
