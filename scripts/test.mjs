// npm test: installs and builds what is stale, then runs test files on engines that they share.
//   npm test                    everything except for the area test/cluster, which needs the machine for itself
//   npm test -- store auth      the areas test/store and test/auth
//   npm test -- store/packs     one file, test/store/packs.test.ts, also by its path
//   npm test -- --changed       those that a change since the merge base with main can affect
//   npm test -- --long          those whose number of runs is `runCount(few, many)`, with many
import { setMaxListeners } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { pathToFileURL } from "node:url";
import { buildIfStale } from "./build.mjs";
import { selectTests } from "./select-tests.mjs";
import { compiledTests, root } from "./sources.mjs";

const HOUR_MS = 3_600_000;
/** Loading the sources takes about as long as the tests of a file. */
const MAX_FILES_PER_PROCESS = 10;
const MAX_MAPPED_FILES = 100;
/** Two more than there are cores: tests wait for git, engines, browsers and children. */
const CONCURRENCY = Math.min(os.availableParallelism() + 2, 8);

if (process.argv.includes("--long")) process.env.SVC_LONG = "1";
/** A file that takes longer hangs, even on a slow and busy machine. */
const FILE_TIMEOUT_MS =
  Number(process.env.SVC_TEST_FILE_TIMEOUT_MS) || (process.env.SVC_LONG ? 6 * HOUR_MS : HOUR_MS / 2);

const files = selectTests(process.argv.slice(2));
if (files.length === 0) {
  console.log("No test file is affected by the changes.");
  process.exit(0);
}
// node:test hands on the options of node. Errors then have the lines of the sources; for all tests, it takes too long.
if (files.length <= MAX_MAPPED_FILES) process.execArgv.push("--enable-source-maps");
await buildIfStale(["server", "cli", "package", "web", "tests"]);

const startedAt = Date.now();
const temp = fs.mkdtempSync(path.join(os.tmpdir(), "svc-test-"));
// Everything that tests leave behind, killed ones too, is then removed at the end.
process.env.TMPDIR = temp;
process.env.SVC_TEST_JOB_PROGRAM = path.join(root, "dist", "workers", "job-child.js");
// The servers of tests are on this machine, where a proxy would not find them.
for (const name of Object.keys(process.env)) if (/^(https?|all)_proxy$/i.test(name)) delete process.env[name];

const engines = [];
const interruption = new AbortController();
setMaxListeners(0, interruption.signal); // one of each process
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => interruption.abort());
/** Files that did not come to their end: a process can end in the middle of any of them. */
const unended = new Set(files);
/** Last lines of the output: node:test prints its totals before its list of failures. */
const totals = [];
let hasFailed = false;
try {
  await startEngines();
  await runTests();
} catch (error) {
  hasFailed = true;
  console.error(error);
} finally {
  await Promise.all(engines.map((engine) => engine.stop()));
  fs.rmSync(temp, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
if (interruption.signal.aborted) process.exit(130);
if (unended.size > 0)
  console.error(`\nNot run to the end, as the process ended before:\n  ${[...unended].join("\n  ")}`);
const isAnyRun = totals.some((line) => /^# tests [1-9]/.test(line));
if (!isAnyRun) console.error("No test was run.");
console.log(["", ...totals, `# duration_ms ${Date.now() - startedAt}`].join("\n"));
process.exitCode = hasFailed || unended.size > 0 || !isAnyRun ? 1 : 0;

/** Starts the engines of all tests whose subject is neither an engine nor its end. */
async function startEngines() {
  const load = (name) => import(pathToFileURL(path.join(root, compiledTests, name)).href);
  const { startEmbeddedMongo } = await load("engines/mongo.js");
  const { startEmbeddedQueue } = await load("engines/queue.js");
  const { startTestRedis, whyNoRedis } = await load("test/support/redis.js");
  const log = { info() {}, warn() {}, error: (fields, message) => console.error(message, fields) };
  // The copy of the engine that some systems need is made once per installation.
  const cacheDir = path.join(root, "node_modules", ".cache", "mongo-engine");
  const mongo = await startEmbeddedMongo({ dataDir: path.join(temp, "mongodb"), cacheDir, log });
  engines.push(mongo);
  // Its data ends with the run, so no write waits for the journal.
  process.env.SVC_TEST_MONGODB_URL = mongo.uri.replace("journal=true", "journal=false");
  const queueDir = path.join(temp, "queue");
  if (whyNoRedis() !== undefined) {
    engines.push(await startEmbeddedQueue({ dataDir: queueDir, log }));
    process.env.SVC_TEST_QUEUE_DIR = queueDir;
    return;
  }
  const redis = await startTestRedis(temp);
  engines.push(redis);
  process.env.SVC_TEST_REDIS_URL = redis.redisUrl;
}

async function runTests() {
  const count = Math.min(MAX_FILES_PER_PROCESS, Math.ceil(files.length / os.availableParallelism()));
  // Each a program that runs some files. The last areas are those of the browser and the sync, which take longest.
  const programs = [];
  for (let first = 0; first < files.length; first += count)
    programs.unshift(writeProgram(files.slice(first, first + count), programs.length));
  const events = run({
    files: programs,
    concurrency: CONCURRENCY,
    timeout: FILE_TIMEOUT_MS * count,
    signal: interruption.signal,
  });
  events.on("test:pass", ({ name, nesting }) => {
    if (nesting !== 0 || unended.delete(name)) return;
    hasFailed = true;
    console.error(`"${name}" is not in the suite of its file: a promise of another file was awaited.`);
  });
  events.on("test:fail", ({ todo, name, nesting }) => {
    if (todo !== undefined && todo !== false) return;
    hasFailed = true;
    if (nesting === 0) unended.delete(name);
  });
  events.on("test:diagnostic", ({ message, nesting }) => {
    if (nesting === 0 && /^(tests|suites|pass|fail|cancelled|skipped|todo) \d+$/.test(message))
      totals.push(`# ${message}`);
  });
  const report = events.compose(new spec());
  report.pipe(process.stdout, { end: false });
  await finished(report);
}

function writeProgram(filesOfProcess, index) {
  const program = path.join(temp, `process-${index + 1}.mjs`);
  const runner = new URL("./run-files.mjs", import.meta.url);
  const call = `await runFiles(${JSON.stringify(filesOfProcess)}, ${FILE_TIMEOUT_MS});`;
  fs.writeFileSync(program, `import { runFiles } from ${JSON.stringify(runner)};\n${call}\n`);
  return program;
}
