/** Runs a sync in a child process, so that no content of a repository can end the service. */
import { anySignal } from "../../repos/guard.ts";
import type { App } from "../../src/app.ts";
import type { JobPayloads } from "../../src/queue/jobs.ts";
import { releaseInterruptedLease, reportEndedProcess } from "../../src/sync/run/abandoned-lease.ts";
import type { ChildProcessError } from "../child-error.ts";
import { runInChild } from "../children.ts";
import type { ChildLimits } from "../run-on-child.ts";

const syncLimits: ChildLimits = { maxOldSpaceMb: 1024, timeoutMs: 3_600_000 };

/**
 * Time after which a sync makes way for others that wait. It is doubled each time that the same sync has made way, so
 * that one with a step that takes longer is completed as well.
 */
const firstSliceMs = 5 * 60_000;
const maxDoublings = 4;
/** Pause of a sync that has made way: those that wait begin first. */
const restMs = 30_000;

/** Interval of the checks for a disconnected connection, and the time in which its sync has to end. */
const checkMs = 500;
const graceMs = 2000;

const messages: Record<Exclude<ChildProcessError["code"], "child_cancelled">, string> = {
  child_out_of_memory: "The sync exceeded its memory limit. It is retried with increasing delays.",
  child_timeout: "The sync exceeded its time limit. It is retried with increasing delays.",
  child_ended: "The process of the sync ended unexpectedly. The sync is retried.",
};

/**
 * Runs a sync, which ends early if others wait: what it has done is kept, and a job for the rest is queued behind them.
 * Throws the error that ended the process. It is recorded on the connection as a failure of the sync. The connection
 * schedules the next attempt, so the job is not retried. If the worker is ending, the next worker runs the sync.
 */
export async function runConnectionInChild(
  app: App,
  { connectionId }: JobPayloads["sync.run"],
  limits = syncLimits,
  sliceMs = firstSliceMs,
): Promise<void> {
  const holder = app.newId();
  const ended = new AbortController();
  const yielded = new AbortController();
  const { slices = 0 } = (await app.storage.connections.find(connectionId)) ?? {};
  const ownMs = sliceMs * 2 ** Math.min(slices, maxDoublings);
  const slice = setInterval(() => {
    void app.queue.counts().then(
      ({ sync }) => sync.waiting > 0 && yielded.abort(),
      () => undefined,
    );
  }, ownMs);
  const watch = setInterval(() => {
    void isOverdue(app, connectionId).then(
      (isLate) => isLate && ended.abort(),
      () => undefined,
    );
  }, checkMs);
  const signal = anySignal(anySignal(limits.signal, ended.signal), yielded.signal)!;
  try {
    await runInChild(app, "sync.run", { connectionId, holder }, { ...limits, signal }, async (death) => {
      if (death.code === "child_cancelled") return releaseInterruptedLease(app, connectionId, holder);
      await reportEndedProcess(app, connectionId, { holder, message: messages[death.code] });
      death.retryable = false;
    });
  } catch (error) {
    // A sync that was killed because of a disconnection is complete.
    if (ended.signal.aborted) return;
    if (!yielded.signal.aborted) throw error;
    await app.storage.connections.countSlice(connectionId);
    await app.queue.enqueue("sync.run", { connectionId }, { jobId: `${connectionId}.rest`, delayMs: restMs });
  } finally {
    clearInterval(watch);
    clearInterval(slice);
  }
}

/** Whether a sync still runs long after its connection was disconnected. */
async function isOverdue(app: App, connectionId: string): Promise<boolean> {
  const connection = await app.storage.connections.find(connectionId);
  if (!connection) return true;
  const endingMs = app.now().getTime() - connection.updatedAt.getTime();
  return connection.status === "disconnecting" && endingMs >= graceMs;
}
