// Runs test files in this process, one after another. Each is a suite with the file's name, which its root-level hooks
// belong to, with a failing test where the file does not load.
import path from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

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
      // Before the file's own hooks: where one fails, no later one runs.
      after(() => begin[index + 1]?.());
      await import(pathToFileURL(path.resolve(file))).catch((error) =>
        it("is loaded", () => Promise.reject(error)),
      );
    }),
  );
}
