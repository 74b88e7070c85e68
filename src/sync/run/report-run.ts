import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import type { SyncRunDoc } from "../../../storage/sync/runs.ts";
import type { App } from "../../app.ts";
import { recordMessages, syncActor } from "../../webhooks/record-messages.ts";

/**
 * Reports a sync to webhooks: one that changed something or has ended a problem, and the beginning of a problem.
 * `connection`: as it was before the sync.
 */
export async function reportRun(
  app: App,
  connection: ConnectionDoc,
  runId: string,
  { outcome, problem, counts, at }: Pick<SyncRunDoc, "outcome" | "problem" | "counts"> & { at: Date },
): Promise<void> {
  const { imported, created, conflicts, exported, removed, refused } = counts;
  const changes = imported + created + exported + removed;
  const isDone = outcome === "done";
  const isNews = isDone
    ? changes > 0 || connection.problem !== undefined
    : problem !== undefined && problem.code !== connection.problem?.code;
  if (!isNews) return;
  await recordMessages(app, [
    {
      id: `sync_${runId}`,
      type: isDone ? "sync.succeeded" : "sync.failed",
      tenantId: connection.tenantId,
      at,
      actor: syncActor,
      resourceType: "repository",
      resourceId: connection._id,
      facts: {
        imported,
        created,
        conflicts,
        exported,
        removed,
        refused,
        ...(problem && { problem: problem.code }),
      },
    },
  ]);
}
