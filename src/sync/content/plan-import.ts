/**
 * What a repository's edits mean: which directory is which skill, what becomes a version, and who wins. By content alone:
 * a commit's author, its message and its ancestry say nothing here, so that force-pushed history, copied trailers and the
 * echo of our own pushes need no case of their own.
 *
 * Pure, but for what it asks of the platform about skills whose directories differ.
 */

import { identifyDirectories, type Identity } from "./identity.ts";
import type {
  MergeBase,
  ImportAction,
  ImportQuestions,
  LaterVersion,
  PlatformSkill,
  Proposals,
  RemoteDirectory,
} from "./plan-types.ts";

const nothingProposed: Proposals = { of: () => [], areMerged: async () => false };

/** The actions for all directories of a branch, in the order of their paths. Directories that are as they were have none. */
export async function planImport(
  directories: readonly RemoteDirectory[],
  bases: readonly MergeBase[],
  skills: readonly PlatformSkill[],
  ask: ImportQuestions,
  proposals: Proposals = nothingProposed,
): Promise<ImportAction[]> {
  const baseOf = new Map(bases.map((base) => [base.skillId, base]));
  const skillAt = new Map(skills.map((skill) => [skill.path, skill]));
  const alive = new Map(skills.map((skill) => [skill.id, skill]));
  const sorted = directories.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const named = new Set(sorted.map(({ svcId }) => svcId));
  const identities = await identifyDirectories(sorted, bases, alive, ask);

  const actions: ImportAction[] = [];
  for (const directory of sorted) {
    const identity = identities.get(directory.path)!;
    try {
      const action = await actionFor(directory, identity);
      if (action !== undefined) actions.push(action);
    } catch (error) {
      const refusal = ask.refusal?.(error, directory.path);
      if (!refusal) throw error;
      actions.push({ kind: "refuse", path: directory.path, ...refusal, ...waiting(identity) });
    }
  }
  return actions;

  async function actionFor(
    directory: RemoteDirectory,
    identity: Identity,
  ): Promise<ImportAction | undefined> {
    switch (identity.kind) {
      case "unclear": {
        const { code, message, skillId } = identity;
        return { kind: "refuse", path: directory.path, code, message, skillId };
      }
      case "known":
        return ofKnownPath(directory, identity.base);
      case "claimed":
        return planClaimed(directory, identity.skill);
      default:
        return planNew(directory, identity.after);
    }
  }

  async function ofKnownPath(
    { path, contentTree }: RemoteDirectory,
    base: MergeBase,
  ): Promise<ImportAction | undefined> {
    const { skillId } = base;
    if (contentTree === base.contentTree) return undefined;
    if (!alive.has(skillId))
      return wasProposed(skillId, contentTree)
        ? { kind: "adopt", skillId, path, contentTree }
        : { kind: "create", path, contentTree, after: skillId };
    const stray = path === base.path ? {} : { strayPath: path };
    return judge({ path: base.path, contentTree, ...stray }, base);
  }

  /** The platform's side of a directory that differs from its base. */
  async function judge(
    found: { path: string; contentTree: string; strayPath?: string },
    base: MergeBase,
  ): Promise<ImportAction> {
    const { skillId, contentTree: agreed } = base;
    const later = await laterThan(base);
    const at = later.findIndex(({ contentTree }) => contentTree === found.contentTree);
    // Taken in from there or written there by a sync that was stopped before it could note it; we may have gone on since.
    if (at >= 0) return { kind: "adopt", skillId, ...found, ...unrecordedConflict(later.slice(at), agreed) };
    const { contentTree: platform } = await ask.exported(skillId);
    if (found.contentTree === platform || wasProposed(skillId, found.contentTree))
      return { kind: "adopt", skillId, ...found };
    const rewritten = platform === agreed ? undefined : await rewrittenAs(base);
    if (found.contentTree === rewritten) return { kind: "adopt", skillId, ...found };
    const isTheirs = later.some(({ contentTree, isImported }) => isImported && contentTree === platform);
    const isUnchanged = platform === agreed || platform === rewritten || isTheirs;
    const conflict = !isUnchanged && !(await isEditOfProposal(skillId, platform));
    return { kind: "version", skillId, ...found, conflict };
  }

  async function laterThan({ skillId, version }: MergeBase): Promise<readonly LaterVersion[]> {
    const newest = alive.get(skillId)?.head?.version;
    if (version === undefined || newest === undefined || newest <= version) return [];
    return ask.since(skillId, version);
  }

  /**
   * What was pushed need not be as we write it: then our side of what was agreed on is the version made of it, and a sync
   * that was stopped may have left the branch with that.
   */
  async function rewrittenAs({ skillId, version, contentTree }: MergeBase): Promise<string | undefined> {
    if (version === undefined) return undefined;
    const taken = (await ask.since(skillId, version - 1)).find((one) => one.version === version);
    if (!taken?.isImported) return undefined;
    return (await ask.contentTreesOf(skillId)).has(contentTree) ? undefined : taken.contentTree;
  }

  function wasProposed(skillId: string, contentTree: string, path?: string): boolean {
    return proposals
      .of(skillId)
      .some((one) => one.contentTree === contentTree && (path === undefined || one.path === path));
  }

  /** Whether the edit was made on top of the proposed platform version, so that it replaces nothing unseen. */
  async function isEditOfProposal(skillId: string, platform: string): Promise<boolean> {
    return wasProposed(skillId, platform) && (await proposals.areMerged());
  }

  async function planNew(directory: RemoteDirectory, after?: string): Promise<ImportAction | undefined> {
    const { path, contentTree, svcId = "" } = directory;
    if (after !== undefined)
      return wasProposed(after, contentTree)
        ? { kind: "adopt", skillId: after, path, contentTree }
        : { kind: "create", path, contentTree, after };
    const proposed = directory.svcId === undefined ? await proposedNew(directory) : undefined;
    if (proposed) return planClaimed(directory, proposed);
    // A new skill that was deleted here while it was taken up there.
    if (!alive.has(svcId) && !baseOf.has(svcId) && wasProposed(svcId, contentTree, path))
      return { kind: "adopt", skillId: svcId, path, contentTree };
    // Made by an import whose sync state was lost, or the same skill made on both sides.
    const there = skillAt.get(path);
    // A proposed move of which the old place has stayed: the rest of it is proposed again.
    if (there && baseOf.has(there.id) && wasProposed(there.id, contentTree, path)) return undefined;
    if (there && baseOf.has(there.id))
      return findNumbered(directory) ?? { kind: "create", path, contentTree };
    if (!there) return { kind: "create", path, contentTree };
    if ((await ask.exported(there.id)).contentTree === contentTree)
      return { kind: "adopt", skillId: there.id, path, contentTree };
    return { kind: "create", path, contentTree, there: there.id };
  }

  /**
   * The skill with a numbered slug that a directory became, since its path is that of another skill, while the
   * directory could not be removed yet: it must not become a further skill with every sync.
   */
  function findNumbered({ path, contentTree }: RemoteDirectory): ImportAction | undefined {
    const made = bases.find(
      (base) =>
        base.contentTree === contentTree &&
        alive.has(base.skillId) &&
        isNumbered(alive.get(base.skillId)!.path, path),
    );
    if (!made) return undefined;
    return { kind: "adopt", skillId: made.skillId, path: made.path, contentTree, strayPath: path };
  }

  /** The directory of a skill by its `.svc.json`: at its own place, or moved. */
  async function planClaimed(
    { path, contentTree }: RemoteDirectory,
    own: PlatformSkill,
  ): Promise<ImportAction | undefined> {
    const base = baseOf.get(own.id);
    const moved = path === own.path ? {} : { strayPath: path };
    const at = { path: base?.path ?? own.path, contentTree, ...moved };
    if (path === own.path) at.path = path;
    if (base !== undefined && contentTree === base.contentTree)
      return { kind: "adopt", skillId: own.id, ...at };
    if (base !== undefined) return judge(at, base);
    const { contentTree: platform } = await ask.exported(own.id);
    if (contentTree === platform) return { kind: "adopt", skillId: own.id, ...at };
    if ((await ask.contentTreesOf(own.id)).has(contentTree)) return { kind: "adopt", skillId: own.id, ...at };
    if (wasProposed(own.id, contentTree)) return { kind: "adopt", skillId: own.id, ...at };
    // Nothing tells what both sides last agreed on, so neither is taken for the older one; but of one version there is none.
    const conflict = own.head?.version !== 1 && !(await isEditOfProposal(own.id, platform));
    return { kind: "version", skillId: own.id, ...at, conflict };
  }

  /**
   * The new skill that was proposed for this path and was merged without its `.svc.json`. If the branch has merged
   * nothing, a directory with other content is a skill of its own.
   */
  async function proposedNew({ path, contentTree }: RemoteDirectory): Promise<PlatformSkill | undefined> {
    const skill = skillAt.get(path);
    if (!skill || baseOf.has(skill.id) || named.has(skill.id)) return undefined;
    if (!proposals.of(skill.id).some((one) => one.path === path)) return undefined;
    return wasProposed(skill.id, contentTree) || (await proposals.areMerged()) ? skill : undefined;
  }
}

const isNumbered = (path: string, of: string) =>
  path.startsWith(`${of}-`) && /^\d+$/.test(path.slice(of.length + 1));

/** The skill that can't be written while the identity of a directory is unclear. */
function waiting(identity: Identity): { skillId?: string } {
  if (identity.kind === "known") return { skillId: identity.base.skillId };
  if (identity.kind === "claimed") return { skillId: identity.skill.id };
  return {};
}

/** Whether an import that was not recorded replaced a platform version that its author had not seen. */
export function unrecordedConflict(
  [winning, losing]: readonly LaterVersion[],
  agreed: string,
): { unrecorded?: { winning: number; losing: number } } {
  const isConflict = winning?.isImported && losing && !losing.isImported && losing.contentTree !== agreed;
  return isConflict ? { unrecorded: { winning: winning.version, losing: losing.version } } : {};
}
