/** Installs the programs that the benchmarks compare the service with, apart from the project's own dependencies. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../test/support/root.ts";

const folder = join(root, "bench", "peers");
const programs = ["skills", "verdaccio"];

/** The folder that holds their `node_modules`. */
export function installPeers(): string {
  if (programs.every((name) => existsSync(join(folder, "node_modules", name)))) return folder;
  // npm run hands the project's settings on. Verdaccio runs with a Node of its own, which npm does not know.
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--engine-strict=false"];
  const { status, stderr } = spawnSync("npm", ["ci", ...options], { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`The peers can't be installed: ${stderr}`);
  return folder;
}

/** A Node of at least version 22 for peers that need one: the one that runs this program, or the installed one. */
export function nodeForPeers(): string {
  if (Number(process.versions.node.split(".")[0]) >= 22) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const program = join(installPeers(), "node_modules", name, "bin", "node");
  if (!existsSync(program)) throw new Error(`The peers need Node 22, and the package "${name}" is not here.`);
  return program;
}
