/**
 * Deleted branches: the deletion may be on purpose, so the service creates no such branch without a request.
 */
import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import { SyncBlocked } from "./sync-blocked.ts";

/**
 * Whether the branch has existed since it was connected; `bases`: number of skills that both sides have agreed on. If
 * it has, a repository without refs is not new: its last branch was deleted.
 */
export function hasHadBranch(
  { lastRemoteOid, headOid }: Pick<ConnectionDoc, "lastRemoteOid" | "headOid">,
  bases: number,
): boolean {
  return lastRemoteOid !== undefined || headOid !== undefined || bases > 0;
}

/**
 * Throws unless the branch is new, or a person has run a sync since its loss was reported. That permission lasts until
 * the requested sync is done: an attempt may fail for another reason, which replaces the reported problem.
 */
export function requireNewBranch(connection: ConnectionDoc, bases: number): void {
  const { branch, newBranchWanted = 0, done } = connection;
  if (!hasHadBranch(connection, bases)) return;
  if (newBranchWanted > done) return;
  throw new SyncBlocked(
    "branch_missing",
    `The branch ${branch} was deleted and the repository has no other: ` +
      "push it again, or run a sync to have the service create it.",
  );
}
