// Runs the given test files on one pair of embedded engines, with everything they make in one temporary folder.
// Started by test.mjs under `--import tsx`, which node:test hands on to the process of every file.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { spec } from "node:test/reporters";

import { startEmbeddedMongo } from "../engines/mongo.ts";
import { startEmbeddedQueue } from "../engines/queue.ts";

/** A file that takes longer hangs: it is ended and reported as failed. */
const FILE_TIMEOUT_MS = 240_000;
const CONCURRENCY = Math.min(Math.max(os.availableParallelism(), 2), 8);

const files = process.argv.slice(2);
const startedAt = Date.now();
const temp = fs.mkdtempSync(path.join(os.tmpdir(), "svc-test-"));
// Also what a killed test leaves behind is then removed at the end.
process.env.TMPDIR = temp;

const silent = { info() {}, warn() {}, error: (fields, message) => console.error(message, fields) };
const engines = [];
let isInterrupted = false;

async function cleanUp() {
  await Promise.all(engines.map((engine) => engine.stop()));
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

/** node:test's own totals come before its list of failures; a last look should find them at the end. */
const totals = [];
let hasFailed = false;

try {
  const queueDir = path.join(temp, "queue");
  const [mongo, queue] = await Promise.all([
    startEmbeddedMongo({ dataDir: path.join(temp, "mongodb"), log: silent }),
    startEmbeddedQueue({ dataDir: queueDir, log: silent }),
  ]);
  engines.push(mongo, queue);
  process.env.SVC_TEST_MONGODB_URL = mongo.uri;
  process.env.SVC_TEST_QUEUE_DIR = queueDir;
  const events = run({ files, concurrency: CONCURRENCY, timeout: FILE_TIMEOUT_MS });
  events.on("test:fail", ({ details, todo, name, nesting }) => {
    if (todo !== undefined && todo !== false) return;
    hasFailed = true;
    if (nesting === 0 && details.error?.failureType === "testTimeoutFailure") {
      console.error(`${name} did not end within ${FILE_TIMEOUT_MS / 1000} s and was stopped.`);
    }
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
  const ran = totals.some((line) => /^# tests [1-9]/.test(line));
  if (!ran) console.error("No test was run.");
  totals.push(`# duration_ms ${Date.now() - startedAt}`);
  process.stdout.write(`\n${totals.join("\n")}\n`, () => process.exit(hasFailed || !ran ? 1 : 0));
}
