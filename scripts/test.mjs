// npm test: installs and builds what is stale, then runs the tests.
//   npm test                    everything
//   npm test -- store auth      the areas test/store and test/auth
//   npm test -- store/packs     one file, test/store/packs.test.ts, also by its path
//   npm test -- --changed       those that a change since the merge base with main can affect
import { spawn } from "node:child_process";
import path from "node:path";
import { requireNode } from "./node-version.mjs";

requireNode();
const { installIfStale } = await import("./install.mjs");
const { buildIfStale } = await import("./build.mjs");
const { root } = await import("./sources.mjs");
const { selectTests } = await import("./select-tests.mjs");

const files = selectTests(process.argv.slice(2));
if (files.length === 0) {
  console.log("No test file is affected by the changes.");
  process.exit(0);
}
installIfStale();
await buildIfStale(["server", "cli", "package", "web", "tests"]);

/**
 * node:test hands these on to the process of every group of files. Failures then name lines of the sources, and young
 * objects have room for four times as long, so that fewer of them are still in use when they are collected.
 */
const options = ["--enable-source-maps", "--max-semi-space-size=64"];
const runner = path.join(root, "scripts", "run-tests.mjs");
const child = spawn(process.execPath, [...options, runner, ...files], {
  cwd: root,
  stdio: ["ignore", "inherit", "inherit"],
});
// The runner cleans up and ends, and this process with it; Ctrl-C reaches it twice, which it takes as once.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
