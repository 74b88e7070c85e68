// Runs the given test files on engines that they share, with everything they make in one temporary folder.
// Started by test.mjs, which has compiled them and everything that they import.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { compiledTests, root } from "./sources.mjs";
import { planTests } from "./test-plan.mjs";
import { startRedis } from "./test-redis.mjs";
import { printUsage } from "./test-usage.mjs";

const { startEmbeddedMongo } = await import(`../${compiledTests}/engines/mongo.js`);
const { startEmbeddedQueue } = await import(`../${compiledTests}/engines/queue.js`);

/** A file that takes longer hangs, even on a slow and busy machine: its process is ended and reported as failed. */
const FILE_TIMEOUT_MS = Number(process.env.SVC_TEST_FILE_TIMEOUT_MS ?? 1_800_000);
/** Three more than there are cores: a third of the time of tests is waiting for git, engines, browsers and children. */
const CONCURRENCY = Math.min(Math.max(os.availableParallelism(), 2) + 3, 8);

/** As npm test has built it. */
const JOB_PROGRAM = path.join(import.meta.dirname, "..", "dist", "workers", "job-child.js");

/** The copy of the MongoDB engine that some systems need, made once per installation. */
const ENGINE_CACHE = path.join(root, "node_modules", ".cache", "mongo-engine");

/**
 * A tmpfs on Linux. Tests make and remove half a million files, which costs a disk's file system a fifth of the run.
 */
const MEMORY_FOLDER = "/dev/shm";
const MEMORY_FOLDER_BYTES = 6 * 1024 ** 3;

const files = process.argv.slice(2);
const startedAt = Date.now();
const temp = fs.mkdtempSync(
  path.join(process.env.SVC_TEST_TMPDIR ?? memoryFolder() ?? os.tmpdir(), "svc-test-"),
);
// Also what a killed test leaves behind is then removed at the end.
process.env.TMPDIR = temp;
process.env.SVC_TEST_USAGE = path.join(temp, "usage");
// Tests call no server outside, and reading these certificates takes twice as long as the rest of a process's start.
delete process.env.NODE_EXTRA_CA_CERTS;
// Their servers are on this machine, where a proxy would not find them.
for (const name of ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"])
  for (const each of [name, name.toLowerCase()]) delete process.env[each];

const silent = { info() {}, warn() {}, error: (fields, message) => console.error(message, fields) };
const engines = [];
let isInterrupted = false;

async function cleanUp() {
  await Promise.all(engines.map((engine) => engine.stop()));
  if (!isInterrupted) printUsage(process.env.SVC_TEST_USAGE);
  fs.rmSync(temp, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, async () => {
    if (isInterrupted) return;
    isInterrupted = true;
    await cleanUp();
    process.exit(130);
  });
}

/** The folder in memory, if it has enough room and files in it can be run. */
function memoryFolder() {
  try {
    const mount = fs
      .readFileSync("/proc/self/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .findLast(([, folder]) => folder === MEMORY_FOLDER);
    const [, , type, options = ""] = mount ?? [];
    if (type !== "tmpfs" || options.split(",").includes("noexec")) return undefined;
    fs.accessSync(MEMORY_FOLDER, fs.constants.W_OK);
    const { bavail, bsize } = fs.statfsSync(MEMORY_FOLDER);
    const room = Math.min(bavail * bsize, os.freemem());
    return room >= MEMORY_FOLDER_BYTES ? MEMORY_FOLDER : undefined;
  } catch {
    return undefined;
  }
}

/** The queue of all tests but those of the embedded one: on Redis if it is installed, which starts and works faster. */
async function startQueue() {
  const redis = await startRedis(temp);
  if (redis) {
    process.env.SVC_TEST_REDIS_URL = redis.uri;
    return redis;
  }
  const dataDir = path.join(temp, "queue");
  process.env.SVC_TEST_QUEUE_DIR = dataDir;
  return startEmbeddedQueue({ dataDir, log: silent });
}

const taken = path.join(temp, "taken");
fs.mkdirSync(taken);

/** Writes the program that node:test runs as one process. */
function writeEntry(filesOfProcess, index) {
  const entry = path.join(temp, `process-${index + 1}.mjs`);
  const imported = (script) => `await import(${JSON.stringify(new URL(script, import.meta.url))})`;
  const call = `await runFiles(${JSON.stringify(filesOfProcess)}, ${FILE_TIMEOUT_MS}, ${JSON.stringify(taken)})`;
  const runner = `const { runFiles } = ${imported("./run-files.mjs")};`;
  fs.writeFileSync(entry, `${imported("./test-context.mjs")};\n${runner}\n${call};\n`);
  return entry;
}

/** node:test's own totals come before its list of failures; a last look should find them at the end. */
const totals = [];
let hasFailed = false;
/** Files that did not come to their end: a process can end in the middle of any of them. */
const unended = new Set(files);

try {
  const [mongo, queue] = await Promise.all([
    startEmbeddedMongo({ dataDir: path.join(temp, "mongodb"), cacheDir: ENGINE_CACHE, log: silent }),
    startQueue(),
  ]);
  engines.push(mongo, queue);
  process.env.SVC_TEST_MONGODB_URL = mongo.uri;
  process.env.SVC_TEST_JOB_PROGRAM = JOB_PROGRAM;
  const events = run({ files: planTests(files, CONCURRENCY).map(writeEntry), concurrency: CONCURRENCY });
  events.on("test:pass", ({ name, nesting }) => nesting === 0 && unended.delete(name));
  events.on("test:fail", ({ todo, name, nesting }) => {
    if (todo !== undefined && todo !== false) return;
    hasFailed = true;
    if (nesting === 0) unended.delete(name);
  });
  events.on("test:diagnostic", ({ message, nesting }) => {
    if (nesting === 0 && /^(tests|suites|pass|fail|cancelled|skipped|todo) \d+$/.test(message)) {
      totals.push(`# ${message}`);
    }
  });
  const report = events.compose(new spec());
  report.pipe(process.stdout, { end: false });
  await finished(report);
} catch (error) {
  hasFailed = true;
  console.error(error);
}
if (!isInterrupted) {
  await cleanUp();
  if (unended.size > 0) {
    hasFailed = true;
    console.error(`\nNot run to the end, as the process ended before:\n  ${[...unended].join("\n  ")}`);
  }
  const ran = totals.some((line) => /^# tests [1-9]/.test(line));
  if (!ran) console.error("No test was run.");
  totals.push(`# duration_ms ${Date.now() - startedAt}`);
  process.stdout.write(`\n${totals.join("\n")}\n`, () => process.exit(hasFailed || !ran ? 1 : 0));
}
