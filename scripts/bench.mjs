// npm run bench: installs and builds what is stale, then runs the timed scenarios of bench/ one after another.
//   npm run bench [-- <scenario> ... [--<option of them>=<value> ...]]
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { requireNode } from "./node-version.mjs";

requireNode();
const { installIfStale } = await import("./install.mjs");
const { buildIfStale } = await import("./build.mjs");
const { root } = await import("./sources.mjs");

/** Scenarios that install programs of others, and run only if they are named. */
const onRequest = ["peers"];

installIfStale();
await buildIfStale();

const dir = path.join(root, "bench");
const all = fs.existsSync(dir)
  ? fs
      .readdirSync(dir)
      .filter((name) => name.endsWith(".ts"))
      .map((name) => name.slice(0, -".ts".length))
      .sort()
  : [];
const options = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const asked = process.argv.slice(2).filter((argument) => !options.includes(argument));
const unknown = asked.find((name) => !all.includes(name));
if (unknown !== undefined || all.length === 0) {
  console.error(`There is no scenario "${unknown ?? ""}". There are: ${all.join(", ") || "none"}.`);
  process.exit(1);
}
for (const name of asked.length > 0 ? asked : all.filter((each) => !onRequest.includes(each))) {
  const file = path.join(dir, `${name}.ts`);
  const { status } = spawnSync(process.execPath, ["--import", "tsx", file, ...options], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = status ?? 1;
}
