/** Waits for the end of a sync that was requested, and shows its progress. */
import type {
  ConnectionPayload,
  RepositorySyncPayload,
  SyncRunPayload,
} from "../../../contract/payloads/sync.ts";
import { countText } from "../../../contract/text/count-text.ts";
import type { SyncCalls } from "../../api/calls/sync.ts";
import type { Context } from "../../context.ts";
import { notFound } from "../../errors.ts";
import { plainLine } from "../../terminal/table.ts";

const pauseMs = { first: 500, max: 3000 };
/** More runs than that don't begin while one is awaited. */
const runsRead = 20;

/** `waiting`: the time limit was reached, and the sync continues. */
export type SyncOutcome = "done" | "blocked" | "failed" | "waiting";

export interface SyncEnd {
  outcome: SyncOutcome;
  state: RepositorySyncPayload;
  connection: ConnectionPayload;
  /** The runs since the request, newest first. */
  runs: SyncRunPayload[];
}

/**
 * Returns once a full run that began after `newestRun` has ended, or nothing is pending any more. Throws `E_NOT_FOUND`
 * if the repository is disconnected in the meantime.
 */
export async function awaitSync(
  context: Context,
  calls: SyncCalls,
  requested: ConnectionPayload,
  { newestRun, timeoutMs }: { newestRun: string | undefined; timeoutMs: number },
): Promise<SyncEnd> {
  const label = `Syncing ${plainLine(requested.repository)} (${plainLine(requested.branch)})`;
  const deadline = performance.now() + timeoutMs;
  return context.output.waiting(label, async (update) => {
    for (let waitMs = pauseMs.first; ; waitMs = Math.min(pauseMs.max, waitMs * 1.5)) {
      const { state, connection } = await readState(calls, requested);
      const runs = await readRuns(calls, newestRun);
      const outcome = outcomeOf(connection, runs);
      if (outcome !== undefined) return { outcome, state, connection, runs };
      if (performance.now() >= deadline) return { outcome: "waiting", state, connection, runs };
      update(progressLabel(label, runs));
      await context.sleep(Math.max(0, Math.min(waitMs, deadline - performance.now())));
    }
  });
}

async function readState(calls: SyncCalls, { id, repository }: ConnectionPayload) {
  const state = await calls.state();
  const { connection } = state;
  if (connection === null || connection.id !== id || connection.status === "disconnecting")
    throw notFound("repository", repository, `${repository} was disconnected before the sync ended.`);
  return { state, connection };
}

async function readRuns(calls: SyncCalls, newestRun: string | undefined): Promise<SyncRunPayload[]> {
  const { items } = await calls.history({ limit: runsRead });
  const at = items.findIndex(({ id }) => id === newestRun);
  return at === -1 ? items : items.slice(0, at);
}

/** Undefined while the sync has not ended. A failed sync stays pending, since it is retried. */
function outcomeOf(
  { pending, status }: ConnectionPayload,
  runs: readonly SyncRunPayload[],
): SyncOutcome | undefined {
  for (const { full, outcome } of runs)
    if (full && (outcome === "done" || outcome === "blocked" || outcome === "failed")) return outcome;
  if (pending) return undefined;
  return status === "active" ? "done" : status === "blocked" ? "blocked" : "failed";
}

function progressLabel(label: string, [run]: readonly SyncRunPayload[]): string {
  const text = run === undefined ? "" : countsText(run);
  return text === "" ? label : `${label}: ${text}`;
}

type Counts = Pick<SyncRunPayload, "imported" | "created" | "conflicts" | "exported" | "removed" | "refused">;

/** The counts that are not 0; empty if all are. */
export function countsText({ imported, created, conflicts, exported, removed, refused }: Counts): string {
  const parts: [number, string][] = [
    [imported, `${countText(imported, "new version")} imported`],
    [created, `${countText(created, "new skill")} imported`],
    [exported, `${countText(exported, "directory", "directories")} pushed`],
    [removed, `${countText(removed, "directory", "directories")} removed`],
    [conflicts, countText(conflicts, "conflict")],
    [refused, `${refused} not synced`],
  ];
  return parts.flatMap(([count, text]) => (count === 0 ? [] : [text])).join(", ");
}

/** The sum of the counts of several runs. */
export function sumOf(runs: readonly Counts[]): Counts {
  const sum = { imported: 0, created: 0, conflicts: 0, exported: 0, removed: 0, refused: 0 };
  for (const run of runs) for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += run[name];
  return sum;
}
