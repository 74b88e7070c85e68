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

/** @type {Record<"server" | "cli", Build>} */
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
      "tsconfig.json",
      "tsconfig.build.json",
      "package-lock.json",
    ],
  },
  cli: {
    output: "dist/cli/main.js",
    stamp: "dist/.cli-stamp",
    sources: ["cli", "contract", "tsconfig.json", "package.json", "package-lock.json"],
  },
};

/**
 * A text that is another one whenever a source is added, removed or changed: a hash (FNV-1a, twice 32 bits) over
 * names, sizes and times of change. node:crypto would take longer to load than this to run.
 *
 * @param {Build} build
 */
export function stateOf({ sources }) {
  let a = 0x811c9dc5;
  let b = 0xcbf29ce4;
  const add = (text) => {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 0x01000193);
      b = Math.imul(b ^ code, 0x01000193) + 1;
    }
  };
  const visit = (file) => {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (!stat) return;
    if (!stat.isDirectory()) {
      add(`${file}|${stat.size}|${stat.mtimeMs}\n`);
      return;
    }
    for (const name of fs.readdirSync(file).sort()) visit(`${file}/${name}`);
  };
  for (const source of sources) visit(`${root}/${source}`);
  return `${(a >>> 0).toString(16)}-${(b >>> 0).toString(16)}`;
}

/** @param {Build} build */
export function isFresh(build) {
  try {
    return (
      fs.readFileSync(`${root}/${build.stamp}`, "utf8") === stateOf(build) &&
      fs.existsSync(`${root}/${build.output}`)
    );
  } catch {
    return false;
  }
}
