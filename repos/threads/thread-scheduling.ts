/** Priority and processor time of a thread, by its id in the system. */
import { readFileSync } from "node:fs";
import os from "node:os";

/** A system that refuses runs them at the same priority. */
export function lowerPriority(threadId: number): void {
  try {
    os.setPriority(threadId, os.constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {}
}

/** Time for which a thread has had a processor. Undefined where the system does not report it. */
export function processorMs(threadId: number | undefined): number | undefined {
  if (threadId === undefined) return undefined;
  try {
    const [ranNs] = readFileSync(`/proc/self/task/${threadId}/schedstat`, "utf8").split(" ");
    return Number(ranNs) / 1e6;
  } catch {
    return undefined;
  }
}
