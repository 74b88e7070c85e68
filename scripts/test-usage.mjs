// Wall and CPU time of each test file: recorded by the processes that run them, printed by the runner at the end.
import fs from "node:fs";

const SHOWN_FILES = 25;
const TICKS_PER_SECOND = 100;

/** CPU seconds of this process and of its children that have ended, theirs included. Without /proc, of it alone. */
function cpuSeconds() {
  try {
    // The name of the program, which may hold anything, ends with the last parenthesis.
    const stat = fs.readFileSync("/proc/self/stat", "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}

let current;

/** To be called as each file begins. The first one pays for the start of the process, the last one for its end. */
export function recordUsage(file) {
  if (current === undefined) {
    process.on("exit", () => recordUsage());
    current = { file, startedAt: 0, cpuBefore: 0 };
    return;
  }
  const [now, cpu] = [performance.now() / 1000, cpuSeconds()];
  const used = { file: current.file, wall: now - current.startedAt, cpu: cpu - current.cpuBefore };
  if (process.env.SVC_TEST_USAGE) fs.appendFileSync(process.env.SVC_TEST_USAGE, `${JSON.stringify(used)}\n`);
  current = { file, startedAt: now, cpuBefore: cpu };
}

/** Prints the files that took the most CPU time, and the totals, engines included. */
export function printUsage(log) {
  if (!fs.existsSync(log)) return;
  const used = fs
    .readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  const row = (wall, cpu, name) => `${wall.toFixed(1).padStart(8)} ${cpu.toFixed(1).padStart(8)}  ${name}`;
  const lines = used
    .toSorted((a, b) => b.cpu - a.cpu)
    .slice(0, SHOWN_FILES)
    .map(({ file, wall, cpu }) => row(wall, cpu, file));
  const sum = (key) => used.reduce((total, each) => total + each[key], 0);
  lines.push(row(sum("wall"), sum("cpu"), `all ${used.length} files`));
  lines.push(row(performance.now() / 1000, cpuSeconds(), "this run, with its engines"));
  process.stdout.write(`\n  wall s    CPU s  slowest files\n${lines.join("\n")}\n`);
}
