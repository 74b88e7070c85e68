// The client as an npm package (svc.tgz), which the service offers and `npm run pack:cli` copies, and the installer
// that fetches it. Name, version, license, engines and, if set, repository, homepage, bugs and author are those of
// package.json: the name of the package is set there and nowhere else. It needs only Node: its dependencies are
// bundled.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { root } from "./sources.mjs";

/** Fields that the package has in common with the checkout, where the checkout has them. */
const shared = ["license", "author", "homepage", "repository", "bugs", "engines"];

/**
 * Writes `svc.tgz` and `install.sh`, made from the built client.
 *
 * @param {string} folder an empty one
 */
export function writeClientPackage(folder) {
  const staged = path.join(folder, "staged");
  const own = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  try {
    stage(staged, own);
    const { status } = spawnSync(
      "npm",
      ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder],
      {
        cwd: staged,
        stdio: ["ignore", "ignore", 2],
        shell: process.platform === "win32",
      },
    );
    if (status !== 0) throw new Error("npm pack failed.");
    const packed = fs.readdirSync(folder).find((name) => name.endsWith(".tgz"));
    fs.renameSync(path.join(folder, packed), path.join(folder, "svc.tgz"));
    const installer = fs.readFileSync(path.join(root, "cli", "installer.sh"), "utf8");
    const node = own.engines.node.replace(/^>=/, "");
    fs.writeFileSync(path.join(folder, "install.sh"), installer.replaceAll("@NODE_VERSION@", node));
  } finally {
    fs.rmSync(staged, { recursive: true, force: true });
  }
}

function stage(staged, own) {
  fs.cpSync(path.join(root, "dist", "cli"), path.join(staged, "lib"), { recursive: true });
  fs.renameSync(path.join(staged, "lib", "THIRD-PARTY-NOTICES"), path.join(staged, "THIRD-PARTY-NOTICES"));
  const bundle = fs.readFileSync(path.join(staged, "lib", "main.cjs"), "utf8");
  fs.writeFileSync(path.join(staged, "lib", "main.cjs"), `#!/usr/bin/env node\n${bundle}`, { mode: 0o755 });
  fs.copyFileSync(path.join(root, "LICENSE"), path.join(staged, "LICENSE"));
  const reference = fs.readFileSync(path.join(root, "docs", "reference", "cli.md"), "utf8");
  fs.writeFileSync(path.join(staged, "README.md"), readmeOf(reference));
  const manifest = {
    name: own.name,
    version: own.version,
    description: "Publishes agent skills and installs them into every AI coding tool",
    ...Object.fromEntries(shared.filter((field) => field in own).map((field) => [field, own[field]])),
    type: "commonjs",
    bin: { svc: "lib/main.cjs" },
    files: ["lib", "THIRD-PARTY-NOTICES"],
    keywords: ["agent-skills", "skills", "rules", "registry", "cli"],
    publishConfig: { access: "public" },
  };
  fs.writeFileSync(path.join(staged, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
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
