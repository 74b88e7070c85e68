/** What people keep in the folders of their tools and `svc` did not put there: what `publish` can offer them. */
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { compareUtf8 } from "../../contract/package-rules.ts";
import type { ContentFormat, InstallScope, SkillType } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import { isInside } from "../install/files.ts";
import type { Config } from "../state/config.ts";
import { statePaths } from "../state/paths.ts";
import { machineOf } from "../targets/detect.ts";
import { targetDefinitions } from "../targets/index.ts";
import type { InstallPlace, SourceFiles } from "../targets/target.ts";
import { isLeftOut } from "./folder.ts";

export interface FoundSkill {
  /** What to publish: a file, or a folder with more than its SKILL.md. Absolute. */
  path: string;
  /** Of its file or folder. */
  name: string;
  /** The tool that it was found in, as people call it. */
  tool: string;
  scope: InstallScope;
  type: SkillType;
  format: ContentFormat;
}

/** Of the current folder first, then of the user; in each, tool by tool. What cannot be read is not there. */
export async function findOwnSkills(
  context: Pick<Context, "home" | "env" | "platform" | "cwd">,
  config: Config,
): Promise<FoundSkill[]> {
  const machine = machineOf(context);
  const [home, projectDir] = await Promise.all([real(context.home), real(context.cwd)]);
  const places: InstallPlace[] = [
    ...(projectDir === undefined || projectDir === home
      ? []
      : [{ ...machine, scope: "project", projectDir } as const]),
    { ...machine, scope: "global" },
  ];
  const isNew = await newcomers(context.home, config);
  const found: FoundSkill[] = [];
  for (const place of places)
    for (const { label: tool, sources } of targetDefinitions) {
      const { skillFolders, files, reserved = [] } = sources(place);
      const { scope } = place;
      for (const folder of skillFolders)
        for (const skill of await skillsIn(folder, reserved, isNew))
          found.push({ ...skill, tool, scope, type: "skill" });
      for (const source of files)
        for (const file of await filesIn(source, source.folder, isNew))
          found.push({ ...file, tool, scope, type: source.type, format: "markdown" });
    }
  return found;
}

type IsNew = (path: string) => Promise<boolean>;

/** Tells what no installation is about and what was not found before, by whatever path it was reached. */
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
    const parts = (await namesIn(path)).filter((part) => !isLeftOut(part));
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
    if (name.startsWith(".") || isLeftOut(name)) continue;
    const path = join(folder, name);
    const ending = source.endings.find((one) => name.endsWith(one) && name !== one);
    if (ending !== undefined && (await isFile(path))) {
      if (await isNew(path)) found.push({ path, name: name.slice(0, -ending.length) });
    } else if (source.deep && (await isOwnFolder(path, folder)))
      found.push(...(await filesIn(source, path, isNew)));
  }
  return found;
}

/** A link to a folder further up would go round for ever. */
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
