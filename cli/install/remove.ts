/** Removes an installed skill from all its locations. */
import { dirname } from "node:path";
import { messageOf } from "../errors.ts";
import { clearLeftovers } from "../state/atomic.ts";
import { cacheFolder } from "../state/cache.ts";
import { type InstallationRecord, profileOf } from "../state/config.ts";
import type { StateChange } from "../state/state.ts";
import { removeInstallation } from "./record.ts";

export interface Removal {
  removed: InstallationRecord[];
  failed: { platform: string; path: string; error: string }[];
  /** The records of `failed`, which stay. */
  kept: InstallationRecord[];
  /** At least one entry of `failed` is a location that could not be changed, not an edited copy. */
  isBroken: boolean;
}

/**
 * Removes a skill's installations and, once all are removed, the skill from its profile. The config is saved
 * after each one, so that an interrupted run keeps the records of the rest.
 */
export async function removeSkill(
  state: StateChange,
  profileName: string,
  installName: string,
  force: boolean,
): Promise<Removal> {
  const profile = profileOf(state.config, profileName);
  const skill = profile.installed[installName]!;
  const cache = cacheFolder(state.paths, installName);
  const removal: Removal = { removed: [], failed: [], kept: [], isBroken: false };
  const records = [...skill.installs];
  for (const [i, record] of records.entries()) {
    let error: string | undefined;
    try {
      await clearLeftovers(dirname(record.path));
      error = await removeInstallation(state.config, record, installName, cache, force);
    } catch (thrown) {
      error = messageOf(thrown);
      removal.isBroken = true;
    }
    if (error === undefined) removal.removed.push(record);
    else {
      removal.kept.push(record);
      removal.failed.push({ platform: record.platform, path: record.path, error });
    }
    skill.installs = [...removal.kept, ...records.slice(i + 1)];
    await state.save();
  }
  if (removal.failed.length === 0) {
    delete profile.installed[installName];
    await state.save();
  }
  return removal;
}

/** Whether another profile has a skill under this name, and with it the same cache. */
export function isUsedElsewhere(state: StateChange, profileName: string, installName: string): boolean {
  return Object.entries(state.config.profiles).some(
    ([other, { installed }]) => other !== profileName && Object.hasOwn(installed, installName),
  );
}
