/** Installs the programs that the benchmarks compare the service with, apart from the project's own dependencies. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../test/support/root.ts";

const folder = join(root, "bench", "peers");

/** The folder that holds their `node_modules`. */
export function installPeers(): string {
  if (existsSync(join(folder, "node_modules", "skills"))) return folder;
  const { status, stderr } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`The peers can't be installed: ${stderr}`);
  return folder;
}
