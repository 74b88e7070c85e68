/** Runs a sync in a child process, so that no content of a repository can end the service. */
import { anySignal } from "../../repos/guard.ts";
import type { App } from "../../src/app.ts";
import type { JobPayloads } from "../../src/queue/jobs.ts";
import { releaseInterruptedLease, reportEndedProcess } from "../../src/sync/run/abandoned-lease.ts";
import type { ChildProcessError } from "../child-error.ts";
import { runInChild } from "../children.ts";
import type { ChildLimits } from "../run-on-child.ts";

const syncLimits: ChildLimits = { maxOldSpaceMb: 1024, timeoutMs: 3_600_000 };

/** Interval of the checks for a disconnected connection, and the time in which its sync has to end. */
const checkMs = 500;
const graceMs = 2000;

const messages: Record<Exclude<ChildProcessError["code"], "child_cancelled">, string> = {
  child_out_of_memory: "The sync exceeded its memory limit. It is retried with increasing delays.",
  child_timeout: "The sync exceeded its time limit. It is retried with increasing delays.",
  child_ended: "The process of the sync ended unexpectedly. The sync is retried.",
};

/**
 * Throws the error that ended the process. It is recorded on the connection as a failure of the sync. The connection
 * schedules the next attempt, so the job is not retried. If the worker is ending, the next worker runs the sync.
 */
export async function runConnectionInChild(
  app: App,
  { connectionId }: JobPayloads["sync.run"],
  limits = syncLimits,
): Promise<void> {
  const holder = app.newId();
  const ended = new AbortController();
  const watch = setInterval(() => {
    void isOverdue(app, connectionId).then(
      (isLate) => isLate && ended.abort(),
      () => undefined,
    );
  }, checkMs);
  const signal = anySignal(limits.signal, ended.signal)!;
  try {
    await runInChild(app, "sync.run", { connectionId, holder }, { ...limits, signal }, async (death) => {
      if (death.code === "child_cancelled") return releaseInterruptedLease(app, connectionId, holder);
      await reportEndedProcess(app, connectionId, { holder, message: messages[death.code] });
      death.retryable = false;
    });
  } catch (error) {
    // A sync that was killed because of a disconnection is complete.
    if (!ended.signal.aborted) throw error;
  } finally {
    clearInterval(watch);
  }
}

/** Whether a sync still runs long after its connection was disconnected. */
async function isOverdue(app: App, connectionId: string): Promise<boolean> {
  const connection = await app.storage.connections.find(connectionId);
  if (!connection) return true;
  const endingMs = app.now().getTime() - connection.updatedAt.getTime();
  return connection.status === "disconnecting" && endingMs >= graceMs;
}
