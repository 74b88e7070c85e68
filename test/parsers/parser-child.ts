/**
 * Passes generated hostile input to the parsers, in a process that may crash. Prints `at <n>` before each thousand
 * inputs and, at the end, the failures as one line of JSON.
 */
import { openRandom } from "../support/random.ts";
import { parserInputs } from "./parsers.ts";

export interface ParserReport {
  inputs: number;
  /** CPU time of the slowest input, in milliseconds, by parser. */
  slowest: Record<string, number>;
  /** Failures with other than the parser's own errors, each with the number that repeats it. */
  problems: string[];
}

const [first, count, only] = process.argv.slice(2);
const report: ParserReport = { inputs: 0, slowest: {}, problems: [] };
for (let n = Number(first); n < Number(first) + Number(count); n++) {
  if (report.inputs % 1000 === 0) process.stderr.write(`at ${n}\n`);
  report.inputs++;
  for (const [name, feed] of Object.entries(parserInputs)) {
    if (only !== undefined && only !== name) continue;
    const before = process.cpuUsage();
    try {
      await feed(openRandom(n));
    } catch (error) {
      report.problems.push(`${name} ${n}: ${String((error as Error).stack ?? error).slice(0, 600)}`);
    }
    const { user, system } = process.cpuUsage(before);
    report.slowest[name] = Math.max(report.slowest[name] ?? 0, (user + system) / 1000);
  }
}
process.stdout.write(JSON.stringify(report));
