/** Finds the user's own skills in the folders of tools, which `publish` offers. */
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { compareUtf8 } from "../../contract/checks/package-rules.ts";
import { reasonByNameOf } from "../../contract/package/left-out.ts";
import type { ContentFormat, InstallScope, SkillType } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import { isInside } from "../install/locations/files.ts";
import type { Config } from "../state/config.ts";
import { statePaths } from "../state/paths.ts";
import { machineOf } from "../targets/detect.ts";
import { targetDefinitions } from "../targets/index.ts";
import type { InstallLocation, SourceFiles } from "../targets/target.ts";
import { findSkills, isRuleFile } from "./skill-folders.ts";

export interface FoundSkill {
  /** Absolute path to publish: a file, or a folder with more than its SKILL.md. */
  path: string;
  /** Name of its file or folder. */
  name: string;
  /** Display name of the tool that it was found in. */
  tool: string;
  scope: InstallScope;
  type: SkillType;
  format: ContentFormat;
}

/** Skills of the current folder, then of the user, each sorted by tool. Unreadable files are skipped. */
export async function findOwnSkills(
  context: Pick<Context, "home" | "env" | "platform" | "cwd">,
  config: Config,
): Promise<FoundSkill[]> {
  const machine = machineOf(context);
  const [home, projectDir] = await Promise.all([real(context.home), real(context.cwd)]);
  const locations: InstallLocation[] = [
    ...(projectDir === undefined || projectDir === home
      ? []
      : [{ ...machine, scope: "project", projectDir } as const]),
    { ...machine, scope: "global" },
  ];
  const isNew = await newcomers(context.home, config);
  const found: FoundSkill[] = [];
  for (const location of locations)
    for (const { label: tool, sources } of targetDefinitions) {
      const { skillFolders, files, reserved = [] } = sources(location);
      const { scope } = location;
      for (const folder of skillFolders)
        for (const skill of await skillsIn(folder, reserved, isNew))
          found.push({ ...skill, tool, scope, type: "skill" });
      for (const source of files)
        for (const file of await filesIn(source, source.folder, isNew))
          found.push({ ...file, tool, scope, type: source.type, format: "markdown" });
    }
  if (projectDir !== undefined && projectDir !== home)
    found.unshift(...(await skillsOfProject(projectDir, isNew)));
  return found;
}

/** Skills in other folders of a repository, such as `skills/` and `plugins/`. */
async function skillsOfProject(folder: string, isNew: IsNew): Promise<FoundSkill[]> {
  if (!(await namesIn(folder)).includes(".git")) return [];
  const paths = (await findSkills(folder, ".").catch(() => undefined)) ?? [];
  const found: FoundSkill[] = [];
  for (const path of paths) {
    const full = join(folder, path);
    if (!(await isNew(full))) continue;
    const isRule = isRuleFile(path);
    const format = (await isFile(full)) ? "markdown" : "package";
    const name = basename(isRule ? dirname(full) : full);
    found.push({
      path: full,
      name,
      tool: "This repository's",
      scope: "project",
      type: isRule ? "rule" : "skill",
      format,
    });
  }
  return found;
}

type IsNew = (path: string) => Promise<boolean>;

/** Whether a path is neither an installation nor already found by another path. */
async function newcomers(home: string, config: Config): Promise<IsNew> {
  const installed = Object.values(config.profiles)
    .flatMap((profile) => Object.values(profile.installed))
    .flatMap((skill) => skill.installs);
  const seen = new Set(await Promise.all(installed.map(async ({ path }) => (await real(path)) ?? path)));
  const { cache } = statePaths(home);
  const realCache = (await real(cache)) ?? cache;
  return async (path) => {
    const at = await real(path);
    if (at === undefined || isInside(at, realCache) || seen.has(at)) return false;
    seen.add(at);
    return true;
  };
}

async function skillsIn(
  folder: string,
  reserved: readonly string[],
  isNew: IsNew,
): Promise<Pick<FoundSkill, "path" | "name" | "format">[]> {
  const found: Pick<FoundSkill, "path" | "name" | "format">[] = [];
  for (const name of await namesIn(folder)) {
    if (name.startsWith(".") || reserved.includes(name)) continue;
    const path = join(folder, name);
    const parts = (await namesIn(path)).filter((part) => reasonByNameOf(part) === undefined);
    const skillFile = join(path, "SKILL.md");
    if (!parts.includes("SKILL.md") || !(await isFile(skillFile)) || !(await isNew(path))) continue;
    found.push(
      parts.length > 1 ? { path, name, format: "package" } : { path: skillFile, name, format: "markdown" },
    );
  }
  return found;
}

async function filesIn(
  source: SourceFiles,
  folder: string,
  isNew: IsNew,
): Promise<Pick<FoundSkill, "path" | "name">[]> {
  const found: Pick<FoundSkill, "path" | "name">[] = [];
  for (const name of await namesIn(folder)) {
    if (name.startsWith(".") || reasonByNameOf(name) !== undefined) continue;
    const path = join(folder, name);
    const ending = source.endings.find((one) => name.endsWith(one) && name !== one);
    if (ending !== undefined && (await isFile(path))) {
      if (await isNew(path)) found.push({ path, name: name.slice(0, -ending.length) });
    } else if (source.deep && (await isOwnFolder(path, folder)))
      found.push(...(await filesIn(source, path, isNew)));
  }
  return found;
}

/** Whether the folder is really inside its parent: a link to a folder further up would loop. */
async function isOwnFolder(path: string, parent: string): Promise<boolean> {
  const [at, above] = await Promise.all([real(path), real(parent)]);
  return at !== undefined && above !== undefined && at !== above && isInside(at, above);
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  return names.toSorted(compareUtf8);
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isFile(),
    () => false,
  );
}

async function real(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}
