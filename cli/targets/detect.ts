/** Detection of installed tools. */
import { access, constants, readdir, stat } from "node:fs/promises";
import path from "node:path";
import type { Context } from "../context.ts";
import type { Machine, Signs, TargetDefinition } from "./target.ts";

const defaultEndings = ".COM;.EXE;.BAT;.CMD";

export function machineOf({ home, env, platform }: Pick<Context, "home" | "env" | "platform">): Machine {
  return { home, env, platform, paths: path };
}

/** Whether the tool seems to be installed on this machine. */
export async function isInstalled(definition: TargetDefinition, machine: Machine): Promise<boolean> {
  const { paths, programs, extensions } = definition.signs(machine);
  const found = await Promise.all([
    ...paths.map(isThere),
    ...programPaths(programs, machine).map((file) => isProgram(file, machine)),
    ...(extensions === undefined ? [] : extensions.folders.map((folder) => holds(folder, extensions))),
  ]);
  return found.includes(true);
}

/** Whether a project contains files of the tool, which preselects it there. */
export async function isUsedIn(definition: TargetDefinition, projectDir: string): Promise<boolean> {
  const found = await Promise.all(
    definition.projectSigns.map((sign) => isThere(path.join(projectDir, ...sign.split("/")))),
  );
  return found.includes(true);
}

/** Possible paths of the programs, by PATH and, on Windows, PATHEXT. */
export function programPaths(programs: readonly string[], machine: Machine): string[] {
  const { paths, platform } = machine;
  const folders = (variable(machine, "PATH") ?? "")
    .split(paths.delimiter)
    .map((folder) => folder.replace(/^"(.*)"$/, "$1"))
    .filter((folder) => paths.isAbsolute(folder));
  const endings =
    platform === "win32"
      ? (variable(machine, "PATHEXT") ?? defaultEndings).split(";").filter((ending) => ending !== "")
      : [""];
  return programs.flatMap((program) =>
    folders.flatMap((folder) => endings.map((ending) => paths.join(folder, program + ending))),
  );
}

/** Windows names the variable "Path". */
function variable({ env, platform }: Machine, name: string): string | undefined {
  if (platform !== "win32" || env[name] !== undefined) return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}

async function isProgram(file: string, { platform }: Machine): Promise<boolean> {
  try {
    if (platform !== "win32") await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function holds(folder: string, { prefix }: NonNullable<Signs["extensions"]>): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => name.startsWith(prefix));
}
