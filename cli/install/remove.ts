/** Taking an installed skill out of every place that it is in. */
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
  /** What `failed` is about; still recorded. */
  kept: InstallationRecord[];
  /** Something in `failed` is no edit that was spared, but a place that could not be changed. */
  isBroken: boolean;
}

/**
 * Removes a skill's installations and, where all of them are gone, the skill from its profile. The config is saved
 * after each one: a run that stops in between has not forgotten what is still there.
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
