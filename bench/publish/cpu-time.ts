/** CPU time of a service with its engines, from the kernel's own accounting. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Server } from "../../test/support/server.ts";

/** Milliseconds of a clock tick on Linux (proc_pid_stat(5)). */
const tickMs = 10;

/** CPU milliseconds so far of a process and of its ended children. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) * tickMs;
}

export interface CpuTime {
  serviceMs: number;
  /** Both engines together. */
  enginesMs: number;
}

function cpuTimeOf(server: Server): CpuTime {
  const enginesMs = server.engines().reduce((sum, { pid }) => sum + cpuMsOf(pid), 0);
  return { serviceMs: cpuMsOf(server.pid), enginesMs };
}

const difference = (after: CpuTime, before: CpuTime): CpuTime => ({
  serviceMs: after.serviceMs - before.serviceMs,
  enginesMs: after.enginesMs - before.enginesMs,
});

/**
 * CPU time of work and of what follows it within `backgroundMs`, without that of an idle service in the same time,
 * which is measured for `idleMs`.
 */
export async function cpuTimeDuring(
  server: Server,
  { idleMs, backgroundMs }: { idleMs: number; backgroundMs: number },
  work: () => Promise<unknown>,
): Promise<CpuTime> {
  const atRest = cpuTimeOf(server);
  await sleep(idleMs);
  const start = cpuTimeOf(server);
  const idle = difference(start, atRest);
  const startedAt = performance.now();
  await work();
  await sleep(backgroundMs);
  const share = (performance.now() - startedAt) / idleMs;
  const busy = difference(cpuTimeOf(server), start);
  return {
    serviceMs: busy.serviceMs - idle.serviceMs * share,
    enginesMs: busy.enginesMs - idle.enginesMs * share,
  };
}
