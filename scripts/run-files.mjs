// Runs test files in this process, one after another. Each is a suite with the file's name, which its root-level hooks
// belong to, with a failing test where the file does not load.
import path from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { compiledTests, root } from "./sources.mjs";

/** How long a process may stay open after its last file: its clean-up, connections and children take a moment. */
const CLOSE_WITHIN_MS = 30_000;

/**
 * @param {string[]} files relative to the checkout
 * @param {number} timeout milliseconds of one file
 */
export async function runFiles(files, timeout) {
  for (const file of files) {
    // Support code keeps what it shares within a file by this name.
    process.env.SVC_TEST_FILE = file;
    const compiled = path.join(root, compiledTests, file.replace(/\.ts$/, ".js"));
    await new Promise((ended) => {
      void describe(file, { timeout }, async () => {
        // Before the file's own hooks: where one fails, no later one runs.
        after(() => ended());
        await import(pathToFileURL(compiled)).catch((error) => it("is loaded", () => Promise.reject(error)));
      });
    });
  }
  // Support code ends what it keeps from file to file.
  process.emit("svc-files-ended");
  setTimeout(() => {
    console.error(`Open after the last test file: ${process.getActiveResourcesInfo().join(", ")}`);
    process.exit();
  }, CLOSE_WITHIN_MS).unref();
}
