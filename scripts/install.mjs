// Installs the dependencies when they are missing or are not those of the lockfile.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { root } from "./sources.mjs";

const lockfile = path.join(root, "package-lock.json");
/** npm's record of its last installation. */
const installed = path.join(root, "node_modules", ".package-lock.json");

const packagesOf = (file) => JSON.parse(fs.readFileSync(file, "utf8")).packages;

/** A newer file is not yet another content: a checkout touches the lockfile, too. */
function isInstalled() {
  const done = fs.statSync(installed, { throwIfNoEntry: false });
  if (!done) return false;
  if (done.mtimeMs >= fs.statSync(lockfile).mtimeMs) return true;
  const wanted = Object.entries(packagesOf(lockfile)).filter(([folder]) => folder !== "");
  const present = packagesOf(installed);
  return wanted.every(([folder, { version, integrity, optional }]) => {
    const found = present[folder];
    return found ? found.version === version && found.integrity === integrity : optional === true;
  });
}

/** Runs `npm ci` when needed; ends the process where that fails. */
export function installIfStale() {
  if (isInstalled()) return;
  console.error("Installing the dependencies (npm ci) ...");
  const args = ["ci", "--include=dev", "--include=optional", "--loglevel=error"];
  // Under `npm start` this is the npm that runs already, wherever it is installed.
  const npm = process.env.npm_execpath;
  const [command, all] = npm?.endsWith(".js") ? [process.execPath, [npm, ...args]] : ["npm", args];
  const { status, error } = spawnSync(command, all, { cwd: root, stdio: ["ignore", 2, "inherit"] });
  if (status === 0) return;
  console.error(`npm ci failed${error ? `: ${error.message}` : ""}. Nothing was started.`);
  process.exit(status ?? 1);
}
