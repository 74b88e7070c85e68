// npm run pack:cli: writes the client's package as dist/svc-<version>.tgz, for `npm install --global` and `npm
// publish`.
//   node scripts/pack-cli.mjs [folder for the package]
import fs from "node:fs";
import path from "node:path";
import { buildIfStale } from "./build.mjs";
import { builds, root } from "./sources.mjs";

await buildIfStale(["cli", "package"]);

const dist = path.join(root, "dist");
const into = path.resolve(process.argv[2] ?? dist);
const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
const file = path.join(into, `svc-${version}.tgz`);
fs.mkdirSync(into, { recursive: true });
// Packages of other versions are removed, so that `./dist/svc-*.tgz` is one file.
if (into === dist)
  for (const name of fs.readdirSync(dist))
    if (/^svc-\d[\w.+-]*\.tgz$/.test(name)) fs.rmSync(path.join(dist, name));
fs.copyFileSync(path.join(root, builds.package.output), file);
console.log(file);
