// The client as an npm package (svc.tgz), which the service offers and `npm run pack:cli` copies, the installer that
// fetches it, and the typed client of the API (svc-client.tgz). Version, license, engines and, if set, repository,
// homepage, bugs and author are those of package.json, and so is the name of the first: it is set there and nowhere
// else. The packages need only Node: dependencies are bundled.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { root } from "./sources.mjs";

/** Fields that the package has in common with the checkout, where the checkout has them. */
const shared = ["license", "author", "homepage", "repository", "bugs", "engines"];
const readText = (...names) => fs.readFileSync(path.join(root, ...names), "utf8");

/**
 * Writes `svc.tgz` and `install.sh`, made from the built client, and `svc-client.tgz`, made from the API description.
 *
 * @param {string} folder an empty one
 */
export function writeClientPackage(folder) {
  const own = JSON.parse(readText("package.json"));
  pack(folder, "svc-client.tgz", (staged) => stageApiClient(staged, own));
  pack(folder, "svc.tgz", (staged) => stage(staged, own));
  const node = own.engines.node.replace(/^>=/, "");
  const installer = readText("cli", "installer.sh").replaceAll("@NODE_VERSION@", node);
  fs.writeFileSync(path.join(folder, "install.sh"), installer);
}

/** Packs what `stageInto` writes into an empty folder. */
function pack(folder, name, stageInto) {
  const staged = path.join(folder, "staged");
  const packed = path.join(folder, "packed");
  for (const empty of [staged, packed]) fs.mkdirSync(empty);
  stageInto(staged);
  const args = ["pack", "--silent", "--ignore-scripts", "--pack-destination", packed];
  execFileSync("npm", args, { cwd: staged, stdio: ["ignore", "ignore", 2] });
  fs.renameSync(path.join(packed, fs.readdirSync(packed)[0]), path.join(folder, name));
  for (const done of [staged, packed]) fs.rmSync(done, { recursive: true });
}

/** The package @svc/client: ES modules with declarations, without dependencies. */
function stageApiClient(staged, own) {
  const inStaged = (...names) => path.join(staged, ...names);
  execFileSync(process.execPath, [path.join(root, "scripts", "generate-web.mjs")], { stdio: "inherit" });
  const options = "--module nodenext --target es2022 --lib es2023 --types node --strict --skipLibCheck";
  const outputs = "--declaration --rewriteRelativeImportExtensions --ignoreConfig --rootDir cli/client";
  const tsc = path.join(root, "node_modules", "typescript", "bin", "tsc");
  const args = [...`${options} ${outputs}`.split(" "), "--outDir", inStaged("lib"), "cli/client/index.ts"];
  execFileSync(process.execPath, [tsc, ...args], { cwd: root, stdio: ["ignore", 2, "inherit"] });
  // The compiler would lay the types out over three times as many lines.
  const [types] = readText("cli", "client", "generated", "operations.ts").split("export const routes");
  const declaration = `${types}export declare const routes: string;\n`;
  fs.writeFileSync(inStaged("lib", "generated", "operations.d.ts"), declaration);
  for (const [from, to] of [
    ["cli/client/LICENSE", "LICENSE"],
    ["cli/client/README.md", "README.md"],
  ])
    fs.copyFileSync(path.join(root, from), inStaged(to));
  const manifest = {
    name: "@svc/client",
    version: own.version,
    description: "Typed client of a registry for agent skills",
    ...ownFields(own),
    type: "module",
    exports: { ".": { types: "./lib/index.d.ts", default: "./lib/index.js" } },
    sideEffects: false,
    files: ["lib"],
    keywords: ["agent-skills", "skills", "registry", "api"],
    publishConfig: { access: "public" },
  };
  fs.writeFileSync(inStaged("package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

const ownFields = (own) =>
  Object.fromEntries(shared.filter((field) => field in own).map((field) => [field, own[field]]));

function stage(staged, own) {
  const inStaged = (...names) => path.join(staged, ...names);
  fs.cpSync(path.join(root, "dist", "cli"), inStaged("lib"), { recursive: true });
  fs.renameSync(inStaged("lib", "THIRD-PARTY-NOTICES"), inStaged("THIRD-PARTY-NOTICES"));
  const bundle = fs.readFileSync(inStaged("lib", "main.cjs"), "utf8");
  fs.writeFileSync(inStaged("lib", "main.cjs"), `#!/usr/bin/env node\n${bundle}`, { mode: 0o755 });
  fs.copyFileSync(path.join(root, "LICENSE"), inStaged("LICENSE"));
  fs.writeFileSync(inStaged("README.md"), readmeOf(readText("docs", "reference", "cli.md")));
  const manifest = {
    name: own.name,
    version: own.version,
    description: "Publishes agent skills and installs them into every AI coding tool",
    ...ownFields(own),
    type: "commonjs",
    bin: { svc: "lib/main.cjs" },
    files: ["lib", "THIRD-PARTY-NOTICES"],
    keywords: ["agent-skills", "skills", "rules", "registry", "cli"],
    publishConfig: { access: "public" },
  };
  fs.writeFileSync(inStaged("package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
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

/**
 * The licences of what is bundled, which ask to go along with every copy.
 *
 * @param {string[]} modules the files of a bundle
 * @returns {string} name, version, licence and its text, package by package
 */
export function noticesOf(modules) {
  const folders = modules.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
  const notices = [...new Set(folders)].map((folder) => {
    const { name, version, license } = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
    const file = fs.readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? fs.readFileSync(path.join(folder, file), "utf8").trim() : `Licence: ${license}`;
    return { name, text: `${name} ${version} (${license})\n\n${text}\n` };
  });
  notices.sort((a, b) => (a.name < b.name ? -1 : 1));
  return notices.map(({ text }) => text).join(`\n${"-".repeat(80)}\n\n`);
}
