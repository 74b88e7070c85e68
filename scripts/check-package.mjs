// npm run package:check: checks the content and the size of the npm packages that the service offers, and runs publint
// on them.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { buildIfStale } from "./build.mjs";
import { builds, root } from "./sources.mjs";

const packages = [
  {
    name: "svc.tgz",
    /** `npx` downloads all of it. The parsers for the files of AI tools (TOML, JSON with comments) are 20 kB of it. */
    maxBytes: 370_000,
    allowed: /^package\/(package\.json|README\.md|LICENSE|THIRD-PARTY-NOTICES|lib\/[\w-]+\.cjs)$/,
  },
  {
    name: "svc-client.tgz",
    maxBytes: 20_000,
    allowed: /^package\/(package\.json|README\.md|LICENSE|lib\/(generated\/)?[\w-]+\.(js|d\.ts))$/,
  },
];

await buildIfStale(["cli", "package"]);
const reports = await Promise.all(packages.map(inspect));
for (const problem of reports.flatMap(({ problems }) => problems)) console.error(problem);
if (reports.some(({ problems }) => problems.length > 0)) process.exit(1);
for (const { summary } of reports) console.log(summary);

async function inspect({ name, maxBytes, allowed }) {
  const file = path.join(root, path.dirname(builds.package.output), name);
  const bytes = fs.readFileSync(file);
  const names = execFileSync("tar", ["-tzf", file], { encoding: "utf8" }).trim().split("\n");
  // A copy, since the bytes of a small file share their buffer with others.
  const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(bytes).buffer }, strict: true });
  const problems = [
    ...names.filter((one) => !allowed.test(one)).map((one) => `${name} contains ${one}.`),
    ...(bytes.length > maxBytes ? [`${name} has ${bytes.length} bytes; the limit is ${maxBytes}.`] : []),
    ...messages.map((message) => `${name}: publint: ${formatMessage(message, pkg)}`),
  ];
  return {
    problems,
    summary: `${pkg.name} ${pkg.version}: ${names.length} files, ${bytes.length} bytes packed`,
  };
}
