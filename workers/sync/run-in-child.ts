/** A sync in a process of its own: whatever a customer's repository holds, it takes that process down and not the service. */
import { anySignal } from "../../repos/guard.ts";
import type { App } from "../../src/app.ts";
import type { JobPayloads } from "../../src/queue/jobs.ts";
import { releaseInterruptedLease, reportEndedProcess } from "../../src/sync/run/abandoned-lease.ts";
import type { ChildProcessError } from "../child-error.ts";
import { runInChild } from "../children.ts";
import type { ChildLimits } from "../run-on-child.ts";

const syncLimits: ChildLimits = { maxOldSpaceMb: 1024, timeoutMs: 3_600_000 };

/** How often a sync is looked at whose connection may have been ended, and the time it has to stop then. */
const lookMs = 500;
const graceMs = 2000;

const words: Record<Exclude<ChildProcessError["code"], "child_cancelled">, string> = {
  child_out_of_memory: "The sync needs more memory than it may have: it is tried again, ever more slowly.",
  child_timeout: "The sync takes longer than it may: it is tried again, ever more slowly.",
  child_ended: "The sync was cut off with its process: it is tried again.",
};

/**
 * Throws what the process died of. It is a failure of the sync, told at the connection, which has its own time for the next
 * try, so that trying the job again is no help; unless the worker is ending, which leaves the sync to the next one.
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
  }, lookMs);
  const signal = anySignal(limits.signal, ended.signal)!;
  try {
    await runInChild(app, "sync.run", { connectionId, holder }, { ...limits, signal }, async (death) => {
      if (death.code === "child_cancelled") return releaseInterruptedLease(app, connectionId, holder);
      await reportEndedProcess(app, connectionId, { holder, message: words[death.code] });
      death.retryable = false;
    });
  } catch (error) {
    // A sync that was killed because its connection is being ended has nothing left to do.
    if (!ended.signal.aborted) throw error;
  } finally {
    clearInterval(watch);
  }
}

/** Whether a connection has been ending for so long that its sync can't have noticed. */
async function isOverdue(app: App, connectionId: string): Promise<boolean> {
  const connection = await app.storage.connections.find(connectionId);
  if (!connection) return true;
  const endingMs = app.now().getTime() - connection.updatedAt.getTime();
  return connection.status === "disconnecting" && endingMs >= graceMs;
}
