import { execFileSync } from "node:child_process";

/** Processes of jobs that are descendants of this one. */
export function jobProcesses(): number[] {
  return execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes("job-child"))
    .map((line) => Number.parseInt(line, 10));
}
