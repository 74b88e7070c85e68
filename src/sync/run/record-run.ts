/** Records a sync in the history: its counts, and the reason for its end. */
import { limits } from "../../../contract/limits.ts";
import { noteCount } from "../../../contract/observation.ts";
import type { Mirrors } from "../../../repos/mirror/types.ts";
import type { ConnectionDoc, RequestCause } from "../../../storage/connections/connections.ts";
import { isDatabaseOutage } from "../../../storage/database.ts";
import type { SyncCounts } from "../../../storage/sync/runs.ts";
import type { App } from "../../app.ts";
import { actorOfSync } from "../../skills/publish/import/import-skill.ts";
import { watchConnectingMember } from "../connection/connecting-member.ts";
import { reportedRefusals, type SyncContext } from "../content/context.ts";
import type { SyncLease, SyncResult } from "./lease.ts";
import { reportRun } from "./report-run.ts";
import { problemOf, waitOf } from "./retry.ts";

/** Interval at which the counts of a running sync are stored. */
const progressMs = 2000;

/** Runs `sync`, which returns the branch's commit, and records its counts and its end. */
export async function recordRun(
  app: App,
  mirrors: Mirrors,
  lease: SyncLease,
  sync: (context: SyncContext) => Promise<string | null>,
): Promise<SyncResult> {
  const { syncRuns } = app.storage;
  const { connection, full } = lease;
  const { _id: connectionId, tenantId } = connection;
  const startedAt = app.now();
  const counts = { imported: 0, created: 0, conflicts: 0, exported: 0, removed: 0, refused: 0, retries: 0 };
  const runId = app.newId();
  const cause = causeOf(connection);
  const run = { connectionId, tenantId, full, startedAt, cause };
  await syncRuns.start({ _id: runId, ...run, outcome: "running", counts });
  await syncRuns.closeInterrupted(connectionId, runId, startedAt);
  const context = openContext(app, mirrors, lease, counts);
  const progress = setInterval(
    () => void syncRuns.updateCounts(runId, counts).catch(() => undefined),
    progressMs,
  );
  const ended = await endOf(app, context, sync).finally(() => clearInterval(progress));

  const result = { ...ended, endedAt: app.now(), refusals: reportedRefusals(context) };
  const { outcome, endedAt, commit, problem, refusals } = result;
  noteCount("syncs", { outcome });
  await reportRun(app, connection, runId, { outcome, problem, counts, at: endedAt });
  if (isNews(connection, result, counts))
    await syncRuns.finish(runId, {
      endedAt,
      outcome,
      counts,
      folders: [...context.folderCounts.values()],
      refusals: [...refusals, ...context.undone],
      commit: commit || undefined,
      problem,
    });
  else await syncRuns.remove(runId);
  await syncRuns.trim(tenantId, limits.syncRunsKept);
  return result;
}

/** A sync without an open request, or after a failure, repeats an earlier one. */
function causeOf({ wanted, done, failures, cause }: ConnectionDoc): RequestCause | undefined {
  if (wanted <= done || (failures > 0 && !cause?.by)) return { kind: "retry" };
  return cause;
}

function openContext(
  app: App,
  mirrors: Mirrors,
  { connection, tenant, full, access }: SyncLease,
  counts: SyncCounts,
): SyncContext {
  return {
    app,
    actor: actorOfSync(connection, tenant),
    connection,
    mirror: mirrors.open({ tenantId: connection.tenantId, connectionId: connection._id }),
    remote: { kind: "directory", path: "" },
    pulls: undefined,
    full,
    counts,
    folderCounts: new Map(),
    refusals: [],
    skipped: [],
    undone: [],
    guard: access,
    mayImport: watchConnectingMember(app, connection),
    signal: access.signal,
  };
}

async function endOf(
  app: App,
  context: SyncContext,
  sync: (context: SyncContext) => Promise<string | null>,
): Promise<Pick<SyncResult, "outcome" | "commit" | "problem" | "waitMs">> {
  const none = { commit: undefined, problem: undefined, waitMs: undefined };
  try {
    return { ...none, outcome: "done", commit: await sync(context) };
  } catch (error) {
    // The lease was lost or the connection was ended: that is not a problem of the connection.
    if (context.signal.aborted) return { ...none, outcome: "failed" };
    // Nor is an outage of the database: the job runs again once it is over.
    if (isDatabaseOutage(error)) throw error;
    return { ...none, ...problemOf(app, error), waitMs: waitOf(error) };
  }
}

/** Whether a run is kept in the history. One that is blocked is full each time, and is reported once. */
function isNews(
  connection: ConnectionDoc,
  { outcome, problem }: Pick<SyncResult, "outcome" | "problem">,
  counts: SyncCounts,
): boolean {
  const isSame = outcome === "blocked" && problem?.code === connection.problem?.code;
  const isChange = Object.values(counts).some((count) => count > 0);
  return isChange || (outcome !== "done" && !isSame) || connection.fullWanted > connection.done;
}
