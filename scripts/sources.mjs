// Which files a build is made of, and whether it is still that of these files. Plain and small, because every start
// of the CLI asks.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node.js 20.19 or newer is needed, and this is ${process.versions.node}.`);
  process.exit(1);
}

// Compiled tests import scripts by a link, which Node.js 20 does not resolve if the process has just looked at a
// socket.
export const root = path.dirname(path.dirname(fs.realpathSync(fileURLToPath(import.meta.url))));

/** Folder of the compiled tests and of what they import, each at its source's path. */
export const compiledTests = "dist/tests";

const service = ["contract", "src", "storage", "repos", "engines", "workers"];
const tools = ["scripts/build.mjs", "tsconfig.json", "package-lock.json"];
const client = ["cli", "contract", "package.json", ...tools];

/** The file of each build that is run or offered, and its sources: files and folders, the first of which it needs. */
export const builds = {
  server: { output: "dist/server.js", sources: ["server.ts", ...service, "tsconfig.build.json", ...tools] },
  cli: { output: "dist/cli/main.cjs", sources: client },
  // The client's package and its installer, made from the built client, and the typed client of the API.
  package: {
    output: "dist/package/svc.tgz",
    sources: [
      ...client,
      "src",
      "storage",
      "web/api-types.ts",
      "docs/reference/cli.md",
      "LICENSE",
      "scripts/client-package.mjs",
      "scripts/client-operations.mjs",
      "scripts/generate-web.mjs",
    ],
  },
  // Its steps for identity providers are those of the guides.
  web: {
    output: "dist/web/app/index.html",
    sources: ["web", "contract", "docs/guides/sso.md", "docs/guides/scim.md", ...tools],
  },
  tests: {
    output: `${compiledTests}/engines/mongo.js`,
    sources: ["test", ...service, "cli", "scripts", ...tools],
  },
};

/** The state of the sources of a build when it was last made. */
export const stampOf = (name) => `${root}/dist/.${name}-stamp`;

/**
 * A text that is another one whenever a source is added, removed, renamed or changed: how many there are, their size
 * in all and the sum of the times of their last change, folders included (a renamed file changes its folder). Sums,
 * because hashing the names takes longer than all else here.
 */
export function stateOf(sources) {
  let count = 0;
  let size = 0;
  let changedAt = 0;
  const visit = (file) => {
    if (file.endsWith("/generated")) return; // written by the build itself
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

/**
 * Whether a build is that of the current sources.
 *
 * @param {keyof typeof builds} name
 * @param {boolean} isCopy their times of change count for nothing: a copy of a checkout has other ones
 */
export function isFresh(name, isCopy = false) {
  const { output, sources } = builds[name];
  if (!fs.existsSync(`${root}/${output}`) || !fs.existsSync(stampOf(name))) return false;
  const states = [fs.readFileSync(stampOf(name), "utf8"), stateOf(sources)];
  const [built, current] = isCopy ? states.map((state) => state.slice(0, state.lastIndexOf(" "))) : states;
  return built === current;
}
