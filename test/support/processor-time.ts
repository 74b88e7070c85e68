import assert from "node:assert/strict";

/** Microseconds of this process's time on a processor: other processes of the machine don't count. */
export async function processorTime(work: () => unknown): Promise<number> {
  const from = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(from);
  return user + system;
}

/**
 * Fails if the work takes more seconds of processor time. Choose a limit of at least 20 times what the work takes on a
 * fast machine, and below what it would take without the rule under test.
 */
export async function assertProcessorSeconds(limit: number, work: () => unknown): Promise<void> {
  const seconds = (await processorTime(work)) / 1e6;
  assert.ok(seconds < limit, `took ${seconds.toFixed(2)} s of processor time`);
}
