// npm test: installs and builds what is stale, then runs the tests.
//   npm test                    everything
//   npm test -- store auth      the areas test/store and test/auth
//   npm test -- store/packs     one file, test/store/packs.test.ts
import { spawn } from "node:child_process";
import path from "node:path";

import { requireNode } from "./node-version.mjs";

requireNode();
const { installIfStale } = await import("./install.mjs");
const { buildIfStale } = await import("./build.mjs");
const { root } = await import("./sources.mjs");
const { selectTests } = await import("./select-tests.mjs");

const files = selectTests(process.argv.slice(2));
installIfStale();
await buildIfStale();

// Through tsx from here on: the runner starts the engine from its sources, and hands the loader on to every file.
const runner = path.join(root, "scripts", "run-tests.mjs");
const child = spawn(process.execPath, ["--import", "tsx", runner, ...files], {
  cwd: root,
  stdio: ["ignore", "inherit", "inherit"],
});
// The runner cleans up and ends, and this process with it; Ctrl-C reaches it twice, which it takes as once.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
