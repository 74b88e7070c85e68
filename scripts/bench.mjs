// npm run bench: installs and builds what is stale, then runs the timed scenarios of bench/ one after another.
//   npm run bench [-- <scenario> ... [--<option of them>=<value> ...]]
//   npm run bench -- --smallest     each with the least work, two at a time, to see that none stopped working
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { buildIfStale } from "./build.mjs";
import { root } from "./sources.mjs";

/** Scenarios that install programs of others, and run only if they are named. */
const onRequest = ["peers"];
/** Nothing is measured at the smallest size, so that scenarios may share the processors. */
const SMALLEST_CONCURRENCY = 2;

await buildIfStale();

const dir = path.join(root, "bench");
const all = fs
  .readdirSync(dir)
  .filter((name) => name.endsWith(".ts"))
  .map((name) => name.slice(0, -".ts".length))
  .sort();
const options = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const asked = process.argv.slice(2).filter((argument) => !options.includes(argument));
const unknown = asked.find((name) => !all.includes(name));
if (unknown !== undefined) {
  console.error(`There is no scenario "${unknown}". There are: ${all.join(", ")}.`);
  process.exit(1);
}
const left = (asked.length > 0 ? asked : all.filter((each) => !onRequest.includes(each))).values();
const isSmallest = options.includes("--smallest");

/** Runs the scenarios that are left, until none is. */
async function runLeft() {
  for (const name of left) {
    const started = performance.now();
    const args = ["--import", "tsx", path.join(dir, `${name}.ts`), ...options];
    const stdio = isSmallest ? ["ignore", "pipe", "pipe"] : "inherit";
    const child = spawn(process.execPath, args, { cwd: root, stdio });
    // The output of each comes as a whole.
    const output = isSmallest ? Promise.all([text(child.stdout), text(child.stderr)]) : undefined;
    const status = await new Promise((resolve) => child.once("close", resolve));
    if (status !== 0) process.exitCode = status ?? 1;
    if (output === undefined) continue;
    const [figures, rest] = await output;
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(`${name}: ${status === 0 ? figures.trimEnd().split("\n").at(-1) : "FAILED"}, ${seconds} s`);
    if (status !== 0) console.log(figures + rest);
  }
}

await Promise.all(Array.from({ length: isSmallest ? SMALLEST_CONCURRENCY : 1 }, runLeft));
