/**
 * A directory that was moved on both sides at the same time: the service moved it, and someone who had not fetched that
 * moved it elsewhere. A merge or rebase may keep both directories. By content, the second one is like a copy, which is
 * a new skill; it is recognized by the time of the service's move and by its name.
 */
import type { ExportedMove, MergeBase, RemoteDirectory } from "../plan-types.ts";

/** Time after a move in which another directory of the skill is not taken for a copy. */
export const concurrentMoveMs = 24 * 60 * 60_000;

/** Last move of a skill by the service. `path`: where the skill's directory is, or is put. */
export function lastMoveOf(base: MergeBase | undefined, path: string, now: Date): ExportedMove | undefined {
  if (base === undefined || base.path === path) return base?.lastMove;
  return { ...base.lastMove, from: base.path, at: now };
}

/** Whether a second directory with the skill's `.svc.json` was moved concurrently. `path`: the skill's directory. */
export function isConcurrentMove(
  directory: Pick<RemoteDirectory, "path">,
  base: MergeBase,
  path: string,
  now: Date,
): boolean {
  const move = lastMoveOf(base, path, now);
  if (!move) return false;
  if (directory.path === move.second?.path) return true;
  const isRecent = now.getTime() - move.at.getTime() < concurrentMoveMs;
  return isRecent && nameOf(directory.path) === nameOf(move.from);
}

/** The merge base with the second directory of its skill, whose content is in a version. */
export function withSecond<B extends MergeBase>(
  base: B,
  second: NonNullable<ExportedMove["second"]>,
  now: Date,
): B {
  const { from, at } = base.lastMove ?? { from: base.path, at: now };
  return { ...base, lastMove: { from, at, second } };
}

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
