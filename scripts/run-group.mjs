// Runs test files in this process, one after another. Each is a suite with the file's name, which its root-level hooks
// belong to, with a failing test where the file does not load.
import path from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

import { compiledTests, root } from "./sources.mjs";
import { recordUsage } from "./test-usage.mjs";

const compiled = (file) => pathToFileURL(path.join(root, compiledTests, file.replace(/\.ts$/, ".js")));

/**
 * Called by the file that run-tests.mjs writes for each group.
 *
 * @param {string[]} files relative to the checkout
 * @param {number} timeoutMs of one file: where it hangs, the process is ended
 */
export function runGroup(files, timeoutMs) {
  // A thread, since a file may hang in a loop. Without the loader, which it has no use for.
  const watch = new Worker(new URL("./watch-file.mjs", import.meta.url), {
    execArgv: [],
    workerData: timeoutMs,
  });
  watch.unref();
  const begin = [];
  files.forEach((file, index) =>
    describe(file, async () => {
      // Loaded in its turn, since loading holds up what runs, and tests look at the clock as their file is loaded. The
      // promise is made here because node:test takes what follows it for this suite's by that.
      await new Promise((resolve) => (index === 0 ? resolve() : (begin[index] = resolve)));
      watch.postMessage(file, []);
      // Support code keeps what it shares within a file by this name.
      process.env.SVC_TEST_FILE = file;
      recordUsage(file);
      // Before the file's own hooks: where one fails, no later one runs.
      after(() => (begin[index + 1] ?? endSoon)());
      await import(compiled(file)).catch((error) => it("is loaded", () => Promise.reject(error)));
    }),
  );
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
