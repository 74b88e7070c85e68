/**
 * Leases of crashed holders. The parent process reports the failure in place of the crashed process, so that the sync
 * fails like any other and the next one does not wait for the end of the lease.
 */
import type { App } from "../../app.ts";
import { leaseMs } from "./lease.ts";
import { retryAt } from "./retry.ts";

/** Time after the end of a lease at which a sync is requested again. */
const marginMs = 1000;

/** Releases the lease of a process that was interrupted by its parent: its requests are due at once. */
export async function releaseInterruptedLease(app: App, connectionId: string, holder: string): Promise<void> {
  await app.storage.syncRuns.closeInterrupted(connectionId, undefined, app.now());
  await app.storage.connections.releaseLease(connectionId, holder);
}

/**
 * Records the sync of a crashed process as failed, with a message for people. Does nothing if the process had finished,
 * or if another one has the lease by now.
 */
export async function reportEndedProcess(
  app: App,
  connectionId: string,
  { holder, message }: { holder: string; message: string },
): Promise<void> {
  const { connections, syncRuns } = app.storage;
  const now = app.now();
  const found = await connections.find(connectionId);
  // A crash before the process took the lease is a failure as well; otherwise it would be retried without a pause.
  const connection =
    found?.lease?.holder === holder
      ? found
      : await connections.takeLease(connectionId, holder, new Date(now.getTime() + leaseMs), now);
  if (!connection?.lease) return;
  if (connection.wanted <= connection.done) return connections.releaseLease(connectionId, holder);
  const problem = { code: "process_ended" as const, message, at: now };
  await syncRuns.closeInterrupted(connectionId, undefined, now, problem);
  await connections.finish(connectionId, connection.lease.fence, {
    done: connection.done,
    now,
    status: "failing",
    problem,
    retryAt: retryAt(connection, now),
  });
}

/** Queues a sync for the time at which the current lease expires, since its holder may have crashed unnoticed. */
export async function requestSyncAfterLease(app: App, connectionId: string): Promise<void> {
  const connection = await app.storage.connections.find(connectionId);
  if (!connection?.lease || connection.wanted <= connection.done) return;
  const delayMs = Math.max(0, connection.lease.until.getTime() - app.now().getTime()) + marginMs;
  // With a separate job id, so that concurrent requests do not wait for it.
  await app.queue.enqueue("sync.run", { connectionId }, { jobId: `${connectionId}.lease`, delayMs });
}
