/** Updates of a project with a manifest after `pull` and `uninstall`. */
import type { ResolveResult } from "../../contract/payloads/skills/skills.ts";
import type { Context } from "../context.ts";
import { messageOf } from "../errors.ts";
import { inspectContent } from "../install/records/record.ts";
import { type InstalledInScope, findScope } from "../install/records/scopes.ts";
import { isOtherVersion } from "../install/update-skill.ts";
import { cacheFolder } from "../state/cache.ts";
import type { InstallationRecord, InstalledSkill } from "../state/config.ts";
import { changeConfig } from "../state/state.ts";
import { hasManifest, readProject } from "./files.ts";
import { forgetSkill, recordSkill } from "./record.ts";
import { refOf } from "./refs.ts";

/**
 * Writes a pulled version into the lock of the project that it was pulled in, and a new pin into its manifest, also
 * after an interrupted run. `isWritten`: the pull wrote the files; `renames`: a renamed skill gets its current name.
 * Never throws: returns what failed.
 */
export async function followPull(
  context: Context,
  profile: string,
  { installName, scope: { projectDir: folder } }: InstalledInScope,
  resolved: ResolveResult,
  { repin, isWritten, renames }: { repin: string | undefined; isWritten: boolean; renames: boolean },
): Promise<string[]> {
  if (folder === undefined || !(await hasManifest(folder))) return [];
  try {
    await changeConfig(context, async ({ config, paths }) => {
      const scope = findScope(config.profiles[profile]?.installed[installName], folder);
      const { skill, version, own } = resolved;
      if (scope === undefined || isOtherVersion(scope, resolved)) return;
      const project = await readProject(folder);
      const ref = refOf(project, skill, own);
      if (ref === undefined) return;
      const { records, current } = scope;
      const { meta } = await inspectContent(cacheFolder(paths, installName), current);
      // The tools' files have the metadata of the time when they were written.
      const locked = project.lock?.get(ref);
      const previous =
        locked?.digest === version.hash ? locked : meta?.hash === version.hash ? meta : undefined;
      const { name = skill.name, description = skill.description } = isWritten ? skill : (previous ?? {});
      const about = { ...skill, name, description };
      const request = repin === undefined ? {} : { request: { range: repin, targets: [], also: [] } };
      await recordSkill(folder, { skill: about, version, own, installName, records, renames, ...request });
    });
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

/**
 * Removes a skill from the files of the projects that it was uninstalled from, under the state's lock. Never throws.
 */
export async function followUninstall(
  skill: InstalledSkill,
  removed: readonly InstallationRecord[],
  kept: readonly InstallationRecord[],
): Promise<string[]> {
  const warnings: string[] = [];
  for (const folder of await managedFolders(removed)) {
    if (kept.some(({ projectDir }) => projectDir === folder)) continue;
    try {
      await forgetSkill(folder, skill);
    } catch (error) {
      warnings.push(messageOf(error));
    }
  }
  return warnings;
}

async function managedFolders(records: readonly InstallationRecord[]): Promise<string[]> {
  const folders = [...new Set(records.flatMap(({ projectDir }) => projectDir ?? []))];
  const managed = await Promise.all(folders.map(hasManifest));
  return folders.filter((_, i) => managed[i]);
}
