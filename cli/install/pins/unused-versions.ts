/** Removal of cached versions that no project's install refers to. */
import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { cacheFolder, inspectCache, purgeCache, versionName, versionsFolder } from "../../state/cache.ts";
import type { CachedVersion, Config } from "../../state/config.ts";
import type { StatePaths } from "../../state/paths.ts";
import { isInside, linkTarget } from "../locations/files.ts";
import { recordsOf } from "../records/scopes.ts";

/**
 * Removes the content of a skill's versions that no record needs, under the state's lock. Content that was edited
 * through a link stays until `uninstall --purge`.
 */
export async function removeUnusedVersions(
  config: Config,
  paths: StatePaths,
  installName: string,
): Promise<void> {
  const folder = versionsFolder(cacheFolder(paths, installName));
  const names = await readdir(folder).catch(() => []);
  if (names.length === 0) return;
  const used = new Set(usedVersions(config, installName).map(versionName));
  for (const name of await linkedVersions(config, installName, folder)) used.add(name);
  const unused = names.filter((name) => !used.has(name));
  for (const name of unused) {
    const { state } = await inspectCache(join(folder, name));
    if (state !== "edited") await purgeCache(join(folder, name));
  }
}

/** Removes unused versions of all skills, including those that are not installed any more. */
export async function removeAllUnusedVersions(config: Config, paths: StatePaths): Promise<void> {
  for (const installName of await readdir(paths.cache).catch(() => []))
    await removeUnusedVersions(config, paths, installName);
}

/**
 * The versions that links lead to. They differ from those of the records if a link could not be written and another
 * profile has a record of it.
 */
async function linkedVersions(config: Config, installName: string, folder: string): Promise<string[]> {
  const linked: string[] = [];
  for (const { path } of recordsOf(config, installName)) {
    const target = await linkTarget(path).catch(() => undefined);
    if (target !== undefined && isInside(target, folder))
      linked.push(relative(folder, target).split(sep)[0]!);
  }
  return linked;
}

function usedVersions(config: Config, installName: string): CachedVersion[] {
  return recordsOf(config, installName)
    .filter(({ projectDir }) => projectDir !== undefined)
    .flatMap((record) => [record, record.previousVersion ?? []].flat());
}
