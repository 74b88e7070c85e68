// Installs the dependencies when they are missing or are not those of the lockfile. An installation without the
// development packages is one for production: it is checked, and never changed.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { root } from "./sources.mjs";

const lockfile = path.join(root, "package-lock.json");
/** npm's record of its last installation. */
const installed = path.join(root, "node_modules", ".package-lock.json");

const packagesOf = (file) => JSON.parse(fs.readFileSync(file, "utf8")).packages;

/** Whether the packages that build the service were left out, as `npm prune --omit=dev` does. */
export function isProduction() {
  return fs.existsSync(installed) && !fs.existsSync(path.join(root, "node_modules", "typescript"));
}

/** A newer file may have the same content: a checkout touches the lockfile, too. */
function isInstalled() {
  const done = fs.statSync(installed, { throwIfNoEntry: false });
  if (!done) return false;
  if (done.mtimeMs >= fs.statSync(lockfile).mtimeMs) return true;
  const present = packagesOf(installed);
  return Object.entries(packagesOf(lockfile)).every(([folder, { version, integrity, optional, dev }]) => {
    const found = present[folder];
    if (found) return found.version === version && found.integrity === integrity;
    return folder === "" || optional === true || (dev === true && isProduction());
  });
}

/** Runs `npm ci` when needed; ends the process where that fails, or would change an installation for production. */
export function installIfStale() {
  if (isInstalled()) return;
  if (isProduction()) endStale("node_modules/ does not have the packages of package-lock.json");
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

/**
 * Ends the process of an installation without development packages, which can't be built here.
 *
 * @param {string} problem a clause without a full stop
 */
export function endStale(problem) {
  console.error(
    `${problem}, and this installation was made without the packages that build the service. ` +
      "Nothing was changed or started. Run: npm ci && npm run build && npm prune --omit=dev",
  );
  process.exit(1);
}
