/** Finds out how the running client was installed. */
import { access, readFile, realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import type { installationKinds } from "../../contract/payloads/cli/upgrade.ts";
import { packageName } from "../version.ts";

export type Installation =
  | { kind: "npm"; /** npm's prefix. */ prefix: string; /** The package below it. */ folder: string }
  | { kind: Exclude<(typeof installationKinds)[number], "npm"> };

/**
 * @param program path of the running program, as in `process.argv[1]`
 */
export async function findInstallation(
  program: string | undefined,
  platform: NodeJS.Platform,
): Promise<Installation> {
  const real = await realpath(program ?? "").catch(() => undefined);
  if (real === undefined) return { kind: "other" };
  if (basename(dirname(real)) === "bin" && (await exists(join(dirname(dirname(real)), "cli", "main.ts"))))
    return { kind: "checkout" };
  const folder = dirname(dirname(real));
  // A package's name may have a scope: node_modules/@scope/name.
  const modules = folder.slice(0, -packageName.length - 1);
  if (basename(modules) !== "node_modules" || join(modules, packageName) !== folder) return { kind: "other" };
  if ((await nameOf(folder)) !== packageName) return { kind: "other" };
  if (modules.includes(`${sep}_npx${sep}`)) return { kind: "npx" };

  const prefix = platform === "win32" ? dirname(modules) : dirname(dirname(modules));
  if (platform === "win32") {
    if (await exists(join(prefix, "svc.cmd"))) return { kind: "npm", prefix, folder };
    return { kind: "other" };
  }
  // Not a project's node_modules, nor the layout of another package manager.
  const command = await realpath(join(prefix, "bin", "svc")).catch(() => undefined);
  if (basename(dirname(modules)) !== "lib" || command !== real) return { kind: "other" };
  return { kind: "npm", prefix, folder };
}

async function nameOf(folder: string): Promise<unknown> {
  try {
    const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { name?: unknown };
    return manifest.name;
  } catch {
    return undefined;
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
