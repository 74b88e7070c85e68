/** Uninstalls the skills and MCP servers of a profile that is about to be deleted. */
import { readdir } from "node:fs/promises";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import { isSameLocation } from "../install/plan/placement.ts";
import { type InstalledInScope, recordsOf } from "../install/records/scopes.ts";
import { removeSkill } from "../install/remove.ts";
import type { ReportedLocation } from "../install/report.ts";
import type { ReportedEntry } from "../mcp/report.ts";
import { cacheFolder, inspectCache, purgeCache, versionsFolder } from "../state/cache.ts";
import { type Profile, profileOf } from "../state/config.ts";
import type { StateChange } from "../state/state.ts";
import { changeReach, divideScopes } from "./change-reach.ts";

/**
 * Removes the installs, so that no tool keeps a skill that is no longer updated. Edited copies stay, with a warning.
 * Other projects that have an `svc.json` stay as they are, and their installs pass to the profile `heir`. Throws if a
 * location can't be changed: the profile stays, with the rest of its installs.
 */
export async function uninstallProfile(
  context: Context,
  state: StateChange,
  name: string,
  heir: string,
): Promise<{ gone: ReportedLocation[]; goneServers: ReportedEntry[]; warnings: string[] }> {
  const gone: ReportedLocation[] = [];
  const warnings: string[] = [];
  const broken: string[] = [];
  const profile = profileOf(state.config, name);
  const skills = Object.entries(profile.installed);
  const reach = await changeReach(context, profile, { project: undefined, global: false, everywhere: false });
  const { chosen, kept } = await divideScopes(skills, reach);
  for (const [installName, { publicId }] of skills) {
    const records = chosen
      .filter((one) => one.installName === installName)
      .flatMap(({ scope }) => scope.records);
    const { removed, failed, isBroken } = await removeSkill(state, name, installName, records, false);
    gone.push(...removed.map(({ platform, scope }) => ({ publicId, platform, scope })));
    if (isBroken) broken.push(...failed.map(({ error }) => error));
    else warnings.push(...failed.map(({ path }) => `${path} was edited and stays, with no skill behind it.`));
  }
  const goneServers: ReportedEntry[] = [];
  if (profile.mcpServers !== undefined) {
    const { removeAllEntries } = await import("../mcp/entries/remove.ts");
    const entries = await removeAllEntries(state, profile);
    broken.push(...entries.failed);
    warnings.push(...entries.warnings);
    goneServers.push(...entries.gone);
  }
  if (broken.length > 0)
    throw new CliError(
      "E_INTERNAL",
      `Profile "${name}" stays, with what cannot be removed: ${broken.join("; ")}.`,
      { kind: "profile", ref: name },
    );
  warnings.push(...passOn(profileOf(state.config, heir), kept, heir));
  delete state.config.profiles[name];
  for (const [installName] of skills) warnings.push(...(await purgeUnused(state, installName)));
  return { gone, goneServers, warnings };
}

/** Gives the installs of other projects to another profile. */
function passOn(profile: Profile, kept: readonly InstalledInScope[], name: string): string[] {
  return kept.map(({ installName, skill, scope: { projectDir, records } }) => {
    const own = (profile.installed[installName] ??= { ...skill, installs: [] });
    own.installs.push(...records.filter((one) => !own.installs.some((known) => isSameLocation(known, one))));
    return `${projectDir} has an svc.json and keeps ${installName}, which profile ${name} has now.`;
  });
}

/** Deletes the cached copy of a skill that no profile has any more. */
async function purgeUnused({ config, paths }: StateChange, installName: string): Promise<string[]> {
  if (recordsOf(config, installName).length > 0) return [];
  const cache = cacheFolder(paths, installName);
  const { state } = await inspectCache(cache);
  // Unused versions are removed already, except edited ones.
  const editedVersions = await readdir(versionsFolder(cache)).catch(() => []);
  if (state === "edited" || editedVersions.length > 0)
    return [`${installName} was edited through its link; it is kept in ${cache}.`];
  await purgeCache(cache);
  return [];
}
