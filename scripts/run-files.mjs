// Runs test files in this process, one after another. Each is a suite with the file's name, which its root-level hooks
// belong to, with a failing test where the file does not load.
import fs from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { compiledTests, root } from "./sources.mjs";
import { recordUsage } from "./test-usage.mjs";

const compiled = (file) => pathToFileURL(path.join(root, compiledTests, file.replace(/\.ts$/, ".js")));

/**
 * Called by the file that run-tests.mjs writes for each process.
 *
 * @param {string[]} files relative to the checkout
 * @param {number} timeoutMs of one file: where it hangs, the process is ended
 * @param {string} taken folder that records which files have begun: each is run by one of the processes that share it
 */
export async function runFiles(files, timeoutMs, taken) {
  // A thread, since a file may hang in a loop. Without the loader, which it has no use for.
  const watch = new Worker(new URL("./watch-file.mjs", import.meta.url), {
    execArgv: [],
    workerData: timeoutMs,
  });
  watch.unref();
  for (const file of files) {
    if (!take(file, taken)) continue;
    watch.postMessage(file, []);
    // Support code keeps what it shares within a file by this name.
    process.env.SVC_TEST_FILE = file;
    recordUsage(file);
    await runFile(file);
  }
  // Support code ends what it keeps from file to file.
  process.emit("svc-files-ended");
  endSoon();
}

/** Whether this process is the first to ask for the file. */
function take(file, taken) {
  try {
    fs.closeSync(fs.openSync(path.join(taken, encodeURIComponent(file)), "wx"));
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** Resolves in the caller's context: node:test takes the next file for a part of this one otherwise. */
function runFile(file) {
  return new Promise((ended) => {
    describe(file, async () => {
      // Before the file's own hooks: where one fails, no later one runs.
      after(() => ended());
      await import(compiled(file)).catch((error) => it("is loaded", () => Promise.reject(error)));
    });
  });
}

/** How long a process may stay open after its last file: its clean-up, connections and children take a moment. */
const CLOSE_WITHIN_MS = 30_000;

/** Names what keeps the process open after its last file, and ends it: its tests are done, and others wait for it. */
function endSoon() {
  setTimeout(() => {
    console.error(`Open after the last test file: ${process.getActiveResourcesInfo().join(", ")}`);
    process.exit();
  }, CLOSE_WITHIN_MS).unref();
}
