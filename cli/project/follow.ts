/** Updates of projects with a manifest after `pull` and `uninstall`. */
import type { ResolveResult } from "../../contract/payloads/skills.ts";
import type { Context } from "../context.ts";
import { messageOf } from "../errors.ts";
import { cacheFolder, inspectCache } from "../state/cache.ts";
import type { InstallationRecord, InstalledSkill } from "../state/config.ts";
import { statePaths } from "../state/paths.ts";
import { changeConfig, readConfig } from "../state/state.ts";
import { hasManifest, readProject } from "./files.ts";
import { forgetSkill, recordSkill } from "./record.ts";
import { refOf } from "./refs.ts";

/**
 * Writes a pulled version into the locks of the projects that have the skill, and a new pin into their
 * manifests, also after an interrupted run. Never throws: returns what failed.
 */
export async function followPull(
  context: Context,
  profile: string,
  installName: string,
  resolved: ResolveResult,
  repin: string | undefined,
): Promise<string[]> {
  const installed = async () => (await readConfig(context)).profiles[profile]?.installed[installName];
  const folders = await managedFolders((await installed())?.installs ?? []);
  if (folders.length === 0) return [];
  const warnings: string[] = [];
  try {
    await changeConfig(context, async ({ config }) => {
      const skill = config.profiles[profile]?.installed[installName];
      const { version } = resolved;
      if (skill === undefined || skill.version !== version.version || skill.hash !== version.hash) return;
      // The tools' files have the metadata of the time when they were written.
      const { meta } = await inspectCache(cacheFolder(statePaths(context.home), installName));
      const cached = meta?.hash === skill.hash ? { name: meta.name, description: meta.description } : {};
      for (const folder of folders) {
        const records = skill.installs.filter(({ projectDir }) => projectDir === folder);
        const request = repin === undefined ? {} : { request: { range: repin, targets: [] } };
        try {
          if (refOf(await readProject(folder), resolved.skill, resolved.own) === undefined) continue;
          const about = { ...resolved.skill, ...cached };
          const { own } = resolved;
          await recordSkill(folder, { skill: about, version, own, installName, records, ...request });
        } catch (error) {
          warnings.push(messageOf(error));
        }
      }
    });
  } catch (error) {
    warnings.push(messageOf(error));
  }
  return warnings;
}

/** Removes a skill from the files of the projects that it was uninstalled from, under the state's lock. Never throws. */
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
