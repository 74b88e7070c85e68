/** A sync in a process of its own: whatever a customer's repository holds, it takes that process down and not the service. */
import type { App } from "../../src/app.ts";
import type { JobPayloads } from "../../src/queue/jobs.ts";
import { giveLeaseBack, tellProcessEnded } from "../../src/sync/left-lease.ts";
import { type ChildLimits, type ChildProcessError, runInChild } from "../children.ts";

const syncLimits: ChildLimits = { maxOldSpaceMb: 1024, timeoutMs: 3_600_000 };

const words: Record<Exclude<ChildProcessError["code"], "child_cancelled">, string> = {
  child_out_of_memory: "The sync needs more memory than it may have: it is tried again, ever more slowly.",
  child_timeout: "The sync takes longer than it may: it is tried again, ever more slowly.",
  child_ended: "The sync was cut off with its process: it is tried again.",
};

/**
 * Throws what the process died of. It is a failure of the sync, told at the connection, which has its own time for the next
 * try, so that trying the job again is no help; unless the worker is ending, which leaves the sync to the next one.
 */
export async function runConnectionApart(
  app: App,
  { connectionId }: JobPayloads["sync.run"],
  limits = syncLimits,
): Promise<void> {
  const holder = app.newId();
  await runInChild(app, "sync.run", { connectionId, holder }, limits, async (death) => {
    if (death.code === "child_cancelled") return giveLeaseBack(app, connectionId, holder);
    await tellProcessEnded(app, connectionId, { holder, message: words[death.code] });
    death.retryable = false;
  });
}
