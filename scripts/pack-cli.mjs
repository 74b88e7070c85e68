// npm run pack:cli: packages the client as dist/svc-<version>.tgz for `npm install --global`. The package needs only
// Node: its dependencies are bundled.
//   node scripts/pack-cli.mjs [folder for the package]
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { buildIfStale } from "./build.mjs";
import { requireNode } from "./node-version.mjs";
import { root } from "./sources.mjs";

requireNode();
await buildIfStale(["cli"]);

const into = path.resolve(process.argv[2] ?? path.join(root, "dist"));
const staged = path.join(root, "dist", `.package-${process.pid}`);
const { name, version, license, engines } = JSON.parse(
  fs.readFileSync(path.join(root, "package.json"), "utf8"),
);
try {
  fs.cpSync(path.join(root, "dist", "cli"), path.join(staged, "lib"), { recursive: true });
  fs.renameSync(path.join(staged, "lib", "THIRD-PARTY-NOTICES"), path.join(staged, "THIRD-PARTY-NOTICES"));
  const bundle = fs.readFileSync(path.join(staged, "lib", "main.cjs"), "utf8");
  fs.writeFileSync(path.join(staged, "lib", "main.cjs"), `#!/usr/bin/env node\n${bundle}`, { mode: 0o755 });
  fs.copyFileSync(path.join(root, "LICENSE"), path.join(staged, "LICENSE"));
  const reference = fs.readFileSync(path.join(root, "docs", "reference", "cli.md"), "utf8");
  fs.writeFileSync(path.join(staged, "README.md"), readmeOf(reference));
  const manifest = {
    name,
    version,
    description: "Publishes agent skills and installs them into every AI coding tool",
    license,
    type: "commonjs",
    engines,
    bin: { svc: "lib/main.cjs" },
    files: ["lib", "THIRD-PARTY-NOTICES"],
    keywords: ["agent-skills", "skills", "rules", "registry", "cli"],
  };
  fs.writeFileSync(path.join(staged, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  fs.mkdirSync(into, { recursive: true });
  // On stderr, so that stdout is the package's path alone.
  const { status } = spawnSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", into], {
    cwd: staged,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error("npm pack failed.");
  console.log(path.join(into, `${name}-${version}.tgz`));
} finally {
  fs.rmSync(staged, { recursive: true, force: true });
}

/**
 * The CLI reference as the package's README. Links to other pages of the documentation, which the package doesn't
 * contain, become their text in italics.
 */
function readmeOf(reference) {
  const [title, ...rest] = reference.split("\n");
  const note =
    "Names in italics are pages in the `docs` folder of the service, which this package doesn't contain.";
  const body = rest.join("\n").replaceAll(/\[([^\]]+)\]\((?!#|https?:)[^)\s]+\)/g, "*$1*");
  return `${title}\n\n${note}\n${body}`;
}
