/** Context of one sync: its inputs, its counts, and the problems that it reports. */
import type { HostGuard } from "../../../repos/guard.ts";
import type { PullRequests } from "../../../repos/hosts/host.ts";
import type { Mirror, Remote, ScanProblem } from "../../../repos/mirror/types.ts";
import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import type { FolderCounts, SyncCounts, SyncRefusal } from "../../../storage/sync/runs.ts";
import type { SyncActor } from "../../access/actor.ts";
import type { App } from "../../app.ts";

export interface SyncContext {
  app: App;
  actor: SyncActor;
  /** The connection as it was when the lease was taken. */
  connection: ConnectionDoc;
  mirror: Mirror;
  remote: Remote;
  /** Pull requests of the host; undefined if it has none. */
  pulls: PullRequests | undefined;
  full: boolean;
  counts: SyncCounts;
  /** Counts by the folder of the skills. */
  folderCounts: Map<string | null, FolderCounts>;
  /** Directories and skills that could not be synced, of the last round. */
  refusals: SyncRefusal[];
  /** Entries below `skills/` that are not skills, found in the last round. */
  skipped: SyncRefusal[];
  /** Edits that were undone: reported with the run only, since nothing is left to do about them. */
  undone: SyncRefusal[];
  /** Checked before each request to the host and each import: the lease may be lost, or the connection ended. */
  guard: HostGuard;
  /** Whether the member who connected the repository may import now. */
  mayImport(): Promise<boolean>;
  /** Signal of the guard. */
  signal: AbortSignal;
}

/** Maximum number of refusals that a run stores; their total number is in its counts. */
const refusalsKept = 100;
const pathShown = 1000;
export const messageShown = 1000;

/** The refusals and skipped entries that are reported. */
export function reportedRefusals({ refusals, skipped }: SyncContext): SyncRefusal[] {
  return [...refusals, ...skipped].slice(0, refusalsKept);
}

/** Reports entries that are not skills. They may stay in the repository, and the sync does not fail. */
export function skipProblems(context: SyncContext, problems: readonly ScanProblem[]): void {
  context.skipped = problems.slice(0, refusalsKept).map(toRefusal);
}

/** A problem as it is reported; paths of any length are cut. */
export function toRefusal({ path, why, message }: ScanProblem): SyncRefusal {
  return { path: path.slice(0, pathShown), code: why, message: message.slice(0, messageShown) };
}

/** Reports a generated file that is not written; the skills are synced without it. */
export function skipGenerated(context: SyncContext, { path, why }: { path: string; why: string }): void {
  if (context.skipped.some((known) => known.path === path && known.code === why)) return;
  context.skipped = [{ path, code: why, message: generatedProblemMessage(why) }, ...context.skipped];
}

/** Message about a generated file that is not written. */
export function generatedProblemMessage(why: string): string {
  if (why === "index_edited")
    return (
      "It holds text that the service did not write, so it is left as it is: " +
      "move that text elsewhere and delete the file."
    );
  if (why === "marketplace_foreign")
    return (
      "It is a marketplace that the service did not write, so it is left as it is: " +
      "delete it, or turn the marketplace files of the connection off."
    );
  return "Something else has the path of a generated file, which is not written: rename what is there.";
}

/** Maximum number of folders whose counts a run stores. */
const foldersKept = 1000;

/** Counts a change of a skill. `folderId` is undefined for a deleted skill. */
export function tally(
  { counts, folderCounts }: Pick<SyncContext, "counts" | "folderCounts">,
  what: Exclude<keyof FolderCounts, "folderId">,
  folderId: string | null | undefined,
): void {
  counts[what]++;
  if (folderId === undefined) return;
  let own = folderCounts.get(folderId);
  if (!own) {
    if (folderCounts.size >= foldersKept) return;
    own = { folderId, imported: 0, created: 0, conflicts: 0, exported: 0, removed: 0 };
    folderCounts.set(folderId, own);
  }
  own[what]++;
}

/** The problem of a directory whose edit creates no version, because the service sets what was edited. */
export function undoneEdit(path: string): SyncRefusal {
  const message =
    "Only the name in the frontmatter or the managed header was edited. " +
    "The service sets both, so the edit is undone: rename the skill in the service.";
  return { path: path.slice(0, pathShown), code: "name_put_back", message };
}

export function reportUndone({ undone }: SyncContext, path: string): void {
  if (undone.length < refusalsKept) undone.push(undoneEdit(path));
}

/** Reports a second directory of a skill, which is removed because the service moved the skill at the same time. */
export function reportMoveUndone({ undone }: SyncContext, path: string): void {
  const message =
    "The skill was moved in the service at the same time, so this directory is removed; an edit in it becomes a " +
    "version. To make a copy a new skill, leave out its .svc.json.";
  if (undone.length < refusalsKept)
    undone.push({ path: path.slice(0, pathShown), code: "move_undone", message });
}

export function refuse(context: SyncContext, path: string, code: string, message: string): void {
  context.counts.refused++;
  if (context.refusals.length < refusalsKept)
    context.refusals.push({ path: path.slice(0, pathShown), code, message: message.slice(0, messageShown) });
}
