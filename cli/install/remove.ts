/** Removes an installed skill from all its locations. */
import { dirname } from "node:path";
import { messageOf } from "../errors.ts";
import { clearLeftovers } from "../state/atomic.ts";
import { cacheFolder } from "../state/cache.ts";
import { type InstallationRecord, profileOf } from "../state/config.ts";
import type { StateChange } from "../state/state.ts";
import { removeUnusedVersions } from "./pins/unused-versions.ts";
import { inspectRecord, leadsOut, removeInstallation } from "./records/record.ts";

export interface Removal {
  removed: InstallationRecord[];
  failed: { platform: string; path: string; error: string }[];
  /** The records of `failed`, which stay. */
  kept: InstallationRecord[];
  /** At least one entry of `failed` is a location that could not be changed, not an edited copy. */
  isBroken: boolean;
}

/**
 * Removes some of a skill's installations and, once none is left, the skill from its profile. The config is saved
 * after each one, so that an interrupted run keeps the records of the rest.
 */
export async function removeSkill(
  state: StateChange,
  profileName: string,
  installName: string,
  records: readonly InstallationRecord[],
  force: boolean,
): Promise<Removal> {
  const profile = profileOf(state.config, profileName);
  const skill = profile.installed[installName]!;
  const cache = cacheFolder(state.paths, installName);
  const removal: Removal = { removed: [], failed: [], kept: [], isBroken: false };
  for (const record of records) {
    let error: string | undefined;
    try {
      if ((await leadsOut(record)) === undefined) await clearLeftovers(dirname(record.path));
      error = await removeInstallation(state.config, record, installName, cache, force);
    } catch (thrown) {
      error = messageOf(thrown);
      removal.isBroken = true;
    }
    if (error === undefined) {
      removal.removed.push(record);
      skill.installs = skill.installs.filter((one) => one !== record);
      await state.save();
    } else {
      removal.kept.push(record);
      removal.failed.push({ platform: record.platform, path: record.path, error });
    }
  }
  if (skill.installs.length === 0) {
    delete profile.installed[installName];
    await state.save();
  }
  await removeUnusedVersions(state.config, state.paths, installName);
  return removal;
}

/** The result of a removal, without one: copies that were edited stay unless forced, and changed links stay always. */
export async function previewRemoval(
  cache: string,
  installName: string,
  records: readonly InstallationRecord[],
  force: boolean,
): Promise<Removal> {
  const removal: Removal = { removed: [], failed: [], kept: [], isBroken: false };
  for (const record of records) {
    const { platform, path, method } = record;
    const state = await inspectRecord(record, installName, cache);
    const outside = state === "missing" ? undefined : await leadsOut(record);
    const isEdited = state === "edited" && (!force || method === "symlink");
    const error = outside ?? (isEdited ? `${path} was edited after svc installed it` : undefined);
    if (error === undefined) removal.removed.push(record);
    else {
      removal.kept.push(record);
      removal.failed.push({ platform, path, error });
    }
  }
  return removal;
}
