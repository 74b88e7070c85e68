/**
 * Leases whose holder ended without giving them back. A dead process tells nothing: whoever saw it die does it in its place,
 * so that its sync is a failure like any other, and nobody waits for the rest of its lease.
 */
import type { App } from "../../app.ts";
import { leaseMs } from "./lease.ts";
import { retryAt } from "./retry.ts";

/** So much past the end of a lease it is asked for again. */
const marginMs = 1000;

/** Of a process that was stopped, and not by its own fault: what it left to do is due at once. */
export async function releaseInterruptedLease(app: App, connectionId: string, holder: string): Promise<void> {
  await app.storage.syncRuns.closeInterrupted(connectionId, undefined, app.now());
  await app.storage.connections.releaseLease(connectionId, holder);
}

/**
 * Ends the sync of a dead process as a failure, with a sentence for people. Does nothing where it had ended its work, or where somebody else
 * is at it by now.
 */
export async function reportEndedProcess(
  app: App,
  connectionId: string,
  { holder, message }: { holder: string; message: string },
): Promise<void> {
  const { connections, syncRuns } = app.storage;
  const now = app.now();
  const found = await connections.find(connectionId);
  // One that died before it took the lease has failed as well, and would at every try that nothing slows down.
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

/** Queues a sync for when the lease runs out that somebody holds: its holder may be dead, and nobody have seen it. */
export async function requestSyncAfterLease(app: App, connectionId: string): Promise<void> {
  const connection = await app.storage.connections.find(connectionId);
  if (!connection?.lease || connection.wanted <= connection.done) return;
  const delayMs = Math.max(0, connection.lease.until.getTime() - app.now().getTime()) + marginMs;
  // By an id of its own: what is asked for meanwhile does not wait for it.
  await app.queue.enqueue("sync.run", { connectionId }, { jobId: `${connectionId}.lease`, delayMs });
}
