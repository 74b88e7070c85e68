// npm run package:check: checks the content and the size of the client's npm package, and runs publint on it.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { buildIfStale } from "./build.mjs";
import { builds, root } from "./sources.mjs";

/** `npx` downloads all of it. The parsers for the files of AI tools (TOML, JSON with comments) are 20 kB of it. */
const MAX_BYTES = 340_000;
/** Every file of the package, below `package/`. */
const allowed = /^(package\.json|README\.md|LICENSE|THIRD-PARTY-NOTICES|lib\/[\w-]+\.cjs)$/;
const required = ["package.json", "README.md", "LICENSE", "THIRD-PARTY-NOTICES", "lib/main.cjs"];

await buildIfStale(["cli", "package"]);
const file = path.join(root, builds.package.output);
const bytes = fs.readFileSync(file);
const listed = spawnSync("tar", ["-tzf", file], { encoding: "utf8" });
const manifest = spawnSync("tar", ["-xzOf", file, "package/package.json"], { encoding: "utf8" });
if (listed.status !== 0 || manifest.status !== 0) throw new Error(`${file} can't be read by tar.`);
const names = listed.stdout
  .trim()
  .split("\n")
  .map((name) => name.replace(/^package\//, ""));
const { scripts, dependencies, name, version, license, engines } = JSON.parse(manifest.stdout);
const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true });

const problems = [
  ...names.filter((one) => !allowed.test(one)).map((one) => `It contains ${one}.`),
  ...required.filter((one) => !names.includes(one)).map((one) => `It lacks ${one}.`),
  ...(bytes.length > MAX_BYTES ? [`It has ${bytes.length} bytes; the limit is ${MAX_BYTES}.`] : []),
  ...(scripts === undefined ? [] : ["It has npm scripts."]),
  ...(dependencies === undefined ? [] : ["It has dependencies, which must be bundled."]),
  ...Object.entries({ name, version, license, engines })
    .filter(([, value]) => !value)
    .map(([field]) => `Its package.json lacks "${field}".`),
  ...messages.map((message) => `publint: ${formatMessage(message, pkg)}`),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${name} ${version}: ${names.length} files, ${bytes.length} bytes packed`);
