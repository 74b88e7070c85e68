/** The machine's processes, as Linux lists them. */
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { until } from "./until.ts";

/** Ids of the processes that work in a folder or name it in their command line. */
export function processesIn(folder: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return (
          readlinkSync(`/proc/${pid}/cwd`).startsWith(folder) ||
          readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(folder)
        );
      } catch {
        return false;
      }
    });
}

/** Waits until no process is left in a folder; throws with those that remain. */
export async function waitForNoProcess(folder: string, withinMs = 60_000): Promise<void> {
  await until("no process is left", () => processesIn(folder).length === 0, {
    timeoutMs: withinMs,
    details: async () => processesIn(folder),
  });
}
