// Which files a build is made of, and whether it is still that of these files. Plain and small, because every start
// of the CLI asks.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/**
 * @typedef {object} Build
 * @property {string} output the file that is run
 * @property {string} stamp where the state of the sources at the last build is kept
 * @property {string[]} sources files and folders
 */

/** Folder of the compiled tests and of what they import, each at its source's path. */
export const compiledTests = "dist/tests";

/** @type {Record<"server" | "cli" | "package" | "web" | "tests", Build>} */
export const builds = {
  server: {
    output: "dist/server.js",
    stamp: "dist/.server-stamp",
    sources: [
      "server.ts",
      "contract",
      "src",
      "storage",
      "repos",
      "engines",
      "workers",
      "scripts/build.mjs",
      "tsconfig.json",
      "tsconfig.build.json",
      "package-lock.json",
    ],
  },
  cli: {
    output: "dist/cli/main.cjs",
    stamp: "dist/.cli-stamp",
    sources: ["cli", "contract", "scripts/build.mjs", "tsconfig.json", "package.json", "package-lock.json"],
  },
  // The client's package and its installer; made from the built client.
  package: {
    output: "dist/package/svc.tgz",
    stamp: "dist/.package-stamp",
    sources: [
      "cli",
      "contract",
      "docs/reference/cli.md",
      "LICENSE",
      "scripts/build.mjs",
      "scripts/client-package.mjs",
      "tsconfig.json",
      "package.json",
      "package-lock.json",
    ],
  },
  web: {
    output: "dist/web/app/index.html",
    stamp: "dist/.web-stamp",
    sources: ["web", "contract", "scripts/build.mjs", "tsconfig.json", "package-lock.json"],
  },
  tests: {
    output: `${compiledTests}/engines/mongo.js`,
    stamp: "dist/.tests-stamp",
    sources: [
      "test",
      "contract",
      "src",
      "storage",
      "repos",
      "engines",
      "workers",
      "cli",
      "scripts",
      "tsconfig.json",
      "package-lock.json",
    ],
  },
};

/**
 * A text that is another one whenever a source is added, removed, renamed or changed: how many there are, their size
 * in all and the sum of the times of their last change, folders included (a renamed file changes its folder). Sums,
 * because hashing the names takes longer than all else here.
 *
 * @param {Build} build
 */
export function stateOf({ sources }) {
  let count = 0;
  let size = 0;
  let changedAt = 0;
  const visit = (file) => {
    if (file.endsWith("/web/generated")) return; // written by the build itself
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (!stat) return;
    count += 1;
    changedAt += stat.mtimeMs;
    if (stat.isDirectory()) for (const name of fs.readdirSync(file)) visit(`${file}/${name}`);
    else size += stat.size;
  };
  for (const source of sources) visit(`${root}/${source}`);
  return `${count} ${size} ${changedAt}`;
}

/** @param {Build} build */
export function isFresh(build) {
  return isBuilt(build, (state) => state);
}

/**
 * Whether a build is that of the present sources by their number and size: a copy of a checkout has other times.
 *
 * @param {Build} build
 */
export function isOfSources(build) {
  return isBuilt(build, (state) => state.slice(0, state.lastIndexOf(" ")));
}

/**
 * @param {Build} build
 * @param {(state: string) => string} compared
 */
function isBuilt(build, compared) {
  try {
    return (
      compared(fs.readFileSync(`${root}/${build.stamp}`, "utf8")) === compared(stateOf(build)) &&
      fs.existsSync(`${root}/${build.output}`)
    );
  } catch {
    return false;
  }
}
