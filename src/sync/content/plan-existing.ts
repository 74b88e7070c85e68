/** Plan for a directory that belongs to an existing skill: whether its content is known, or becomes a version. */
import { isEditOfProposal, wasProposed, type ImportSides } from "./import/import-sides.ts";
import type { ImportAction, LaterVersion, MergeBase, PlatformSkill, RemoteDirectory } from "./plan-types.ts";

/** Content of a skill's directory. `strayPath`: its path, if that is not the skill's. */
interface Found {
  path: string;
  contentTree: string;
  strayPath?: string;
  isSecond?: boolean;
}

/** Plan for a directory that both sides have agreed on before, at its path or moved. */
export async function planKnown(
  sides: ImportSides,
  { path, contentTree }: RemoteDirectory,
  base: MergeBase,
): Promise<ImportAction | undefined> {
  const { skillId } = base;
  if (contentTree === base.contentTree) return undefined;
  if (!sides.alive.has(skillId))
    return wasProposed(sides, skillId, contentTree)
      ? { kind: "adopt", skillId, path, contentTree }
      : { kind: "create", path, contentTree, after: skillId };
  const stray = path === base.path ? {} : { strayPath: path };
  return planChange(sides, { path: base.path, contentTree, ...stray }, base);
}

/** Plan for a directory whose `.svc.json` names the skill: at the skill's path, or moved. */
export async function planClaimed(
  sides: ImportSides,
  { path, contentTree }: RemoteDirectory,
  own: PlatformSkill,
): Promise<ImportAction | undefined> {
  const { baseOf, ask } = sides;
  const base = baseOf.get(own.id);
  const moved = path === own.path ? {} : { strayPath: path };
  const at = { path: base?.path ?? own.path, contentTree, ...moved };
  if (path === own.path) at.path = path;
  const adoption = { kind: "adopt", skillId: own.id, ...at } as const;
  if (base !== undefined && contentTree === base.contentTree) return adoption;
  if (base !== undefined) return planChange(sides, at, base);
  const { contentTree: platform } = await ask.exported(own.id);
  if (contentTree === platform) return adoption;
  if ((await ask.contentTreesOf(own.id)).has(contentTree)) return adoption;
  if (wasProposed(sides, own.id, contentTree)) return adoption;
  // The merge base is unknown, so neither side counts as the older one. A single version can't conflict.
  const conflict = own.head?.version !== 1 && !(await isEditOfProposal(sides, own.id, platform));
  return { kind: "version", skillId: own.id, ...at, conflict };
}

/** Plan for a second directory of the skill, which was moved concurrently: an edit there becomes a version. */
export async function planSecond(
  sides: ImportSides,
  directory: RemoteDirectory,
  base: MergeBase,
): Promise<ImportAction | undefined> {
  const { path, contentTree } = directory;
  const { skillId, lastMove } = base;
  if (path === lastMove?.second?.path && contentTree === lastMove.second.contentTree) return undefined;
  const found = { path: base.path, contentTree, strayPath: path, isSecond: true };
  const isKept =
    contentTree === base.contentTree ||
    (await sides.ask.contentTreesOf(skillId)).has(contentTree) ||
    (await sides.ask.holdsVersion(skillId, directory));
  return isKept ? { kind: "adopt", skillId, ...found } : planChange(sides, found, base);
}

/** Compares a directory that differs from its merge base with the platform's side. */
async function planChange(sides: ImportSides, found: Found, base: MergeBase): Promise<ImportAction> {
  const { skillId, contentTree: agreed } = base;
  const later = await laterThan(sides, base);
  const at = positionOf(later, found.contentTree);
  // Imported or exported by a sync that was interrupted before it recorded that; there may be later versions since.
  if (at >= 0) return { kind: "adopt", skillId, ...found, ...unrecordedConflict(later.slice(at), agreed) };
  const { contentTree: platform } = await sides.ask.exported(skillId);
  if (found.contentTree === platform || wasProposed(sides, skillId, found.contentTree))
    return { kind: "adopt", skillId, ...found };
  const rewritten = platform === agreed ? undefined : await rewrittenAs(sides, base);
  if (found.contentTree === rewritten) return { kind: "adopt", skillId, ...found };
  // A version of the second directory is an edit that the author of this one had not seen.
  const second = base.lastMove?.second?.version;
  const isTheirs = later.some(
    ({ version, contentTree, isImported }) =>
      isImported && contentTree === platform && (found.isSecond || version !== second),
  );
  const isUnchanged = platform === agreed || platform === rewritten || isTheirs;
  const conflict = !isUnchanged && !(await isEditOfProposal(sides, skillId, platform));
  return { kind: "version", skillId, ...found, conflict };
}

/** Index of the version with this content, or -1. */
function positionOf(later: readonly LaterVersion[], sought: string): number {
  return later.findIndex(({ contentTree }) => contentTree === sought);
}

async function laterThan(
  { alive, ask }: ImportSides,
  { skillId, version }: MergeBase,
): Promise<readonly LaterVersion[]> {
  const newest = alive.get(skillId)?.head?.version;
  if (version === undefined || newest === undefined || newest <= version) return [];
  return ask.since(skillId, version);
}

/**
 * Content of the version that was imported from the merge base, if the export writes it differently than it was pushed:
 * an interrupted sync may have left that in the branch.
 */
async function rewrittenAs(
  { ask }: ImportSides,
  { skillId, version, contentTree }: MergeBase,
): Promise<string | undefined> {
  if (version === undefined) return undefined;
  const imported = (await ask.since(skillId, version - 1)).find((one) => one.version === version);
  if (!imported?.isImported) return undefined;
  return (await ask.contentTreesOf(skillId)).has(contentTree) ? undefined : imported.contentTree;
}

/** Whether an import that was not recorded replaced a platform version that its author had not seen. */
export function unrecordedConflict(
  [winning, losing]: readonly LaterVersion[],
  agreed: string,
): { unrecorded?: { winning: number; losing: number } } {
  const isConflict = winning?.isImported && losing && !losing.isImported && losing.contentTree !== agreed;
  return isConflict ? { unrecorded: { winning: winning.version, losing: losing.version } } : {};
}
