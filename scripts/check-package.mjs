// npm run package:check: checks the content and the size of the client's npm package, and runs publint on it.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { buildIfStale } from "./build.mjs";
import { builds, root } from "./sources.mjs";

/** `npx` downloads all of it. The parsers for the files of AI tools (TOML, JSON with comments) are 20 kB of it. */
const MAX_BYTES = 340_000;
const allowed = /^package\/(package\.json|README\.md|LICENSE|THIRD-PARTY-NOTICES|lib\/[\w-]+\.cjs)$/;

await buildIfStale(["cli", "package"]);
const file = path.join(root, builds.package.output);
const bytes = fs.readFileSync(file);
const names = execFileSync("tar", ["-tzf", file], { encoding: "utf8" }).trim().split("\n");
const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true });

const problems = [
  ...names.filter((name) => !allowed.test(name)).map((name) => `It contains ${name}.`),
  ...(bytes.length > MAX_BYTES ? [`It has ${bytes.length} bytes; the limit is ${MAX_BYTES}.`] : []),
  ...messages.map((message) => `publint: ${formatMessage(message, pkg)}`),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${pkg.name} ${pkg.version}: ${names.length} files, ${bytes.length} bytes packed`);
