/** One version of a skill: its records with the planned locations, and then the cache and the locations themselves. */
import { relative, sep } from "node:path";
import type { Context } from "../context.ts";
import { messageOf } from "../errors.ts";
import { cacheFolder, contentFolder } from "../state/cache.ts";
import {
  type Config,
  type InstallationRecord,
  type InstalledSkill,
  type Profile,
  profileOf,
} from "../state/config.ts";
import type { StateChange } from "../state/state.ts";
import { writeCache } from "../state/write-cache.ts";
import type { FetchedVersion } from "./fetch.ts";
import { isInside, linkTarget } from "./locations/files.ts";
import { type AppliedLocation, keepKnown, writeLocations } from "./locations/write-locations.ts";
import type { PlanContext, WantedInstall } from "./plan/placement.ts";
import { type SkippedTarget, type VersionPlan, itemOf, planVersion } from "./plan/plan-version.ts";
import { freeInstallName } from "./records/install-name.ts";
import {
  announced,
  cacheMeta,
  installedSkill,
  renderedFor,
  updateSharedRecords,
} from "./records/installed-skill.ts";
import { removeInstallation } from "./records/record.ts";
import { installsIn } from "./records/scopes.ts";

export interface Applied {
  installName: string;
  skill: InstalledSkill | undefined;
  locations: AppliedLocation[];
  skipped: SkippedTarget[];
  warnings: string[];
}

export interface ApplyOptions {
  profile: string;
  /** The project to change, or undefined for the user level; installs elsewhere stay as they are. */
  projectDir: string | undefined;
  /** The project records its skills in `svc.json`. */
  isRecorded?: boolean;
  /** Whether the skill is in the shared folder of tools; without it, as it is now. */
  shared?: boolean;
  /** The pin to store. */
  range: string;
  /** Overwrite edited copies. */
  force: boolean;
  /** The install name in a project's lock. */
  installName?: string;
  /** Only plans: planned writes are returned as written. */
  dryRun?: boolean;
}

/** A version with its records in the config, which must be saved before and after it is completed. */
export interface AnnouncedVersion {
  complete: () => Promise<Applied>;
}

/**
 * Plans a version and records it in the config, before anything is written. Returns the result if nothing is to be
 * written.
 */
export async function announceVersion(
  context: Context,
  state: StateChange,
  fetched: FetchedVersion,
  wanted: readonly WantedInstall[],
  options: ApplyOptions,
): Promise<Applied | AnnouncedVersion> {
  const { config } = state;
  const profile = profileOf(config, options.profile);
  const installName = freeInstallName(config, options.profile, fetched.skill, options.installName);
  const present = profile.installed[installName];
  const cache = cacheFolder(state.paths, installName);
  const { range, projectDir, isRecorded = false } = options;
  const { version, hash } = fetched.version;
  const warnings: string[] = [];
  const item = await itemOf(fetched, installName, warnings);
  const at: PlanContext = {
    context,
    config,
    profile,
    installName,
    item,
    fetched,
    range,
    projectDir,
    isRecorded,
    isShared: options.shared ?? installsIn(present, projectDir).some(({ shared }) => shared === true),
    cache,
    content: contentFolder(cache, { projectDir, version, hash }),
    plans: [],
    written: new Set(),
    warnings,
  };
  const plan = await planVersion(at, wanted, options.force);
  const { skipped } = plan;
  if (wanted.length > 0 && plan.writes.length === 0 && plan.unchanged.length === 0)
    return { installName, skill: present, locations: [], skipped, warnings };

  if (options.dryRun === true) return { installName, skill: present, ...previewOf(plan), warnings };

  const elsewhere = (present?.installs ?? []).filter((record) => record.projectDir !== projectDir);
  const skill = announce(at, plan, elsewhere);
  return { complete: () => completeVersion(at, plan, { skill, elsewhere, present, force: options.force }) };
}

async function completeVersion(
  at: PlanContext,
  plan: VersionPlan,
  {
    skill,
    elsewhere,
    present,
    force,
  }: {
    skill: InstalledSkill;
    elsewhere: readonly InstallationRecord[];
    present: InstalledSkill | undefined;
    force: boolean;
  },
): Promise<Applied> {
  const { config, profile, installName, cache, warnings } = at;
  await writeCacheOrRevert(at, plan, present);
  const { locations, gone } = await writeLocations(at, plan);
  const kept = await keepKnown(locations, present);
  skill.installs = [...elsewhere, ...kept.map(({ record }) => record)];
  for (const record of gone) {
    const removal = removeInstallation(config, record, installName, cache, force);
    const reason = await removal.catch(messageOf);
    if (reason !== undefined) warnings.push(reason);
  }
  if (skill.installs.length === 0) delete profile.installed[installName];
  return { installName, skill, locations, skipped: plan.skipped, warnings };
}

function previewOf({ writes, unchanged, skipped }: VersionPlan) {
  const planned = writes.map(({ record }): AppliedLocation => ({ record, outcome: "written" }));
  return { locations: [...unchanged, ...planned], skipped };
}

/** Records the skill with all of its old and new locations, before anything is written. */
function announce(
  at: PlanContext,
  { writes, unchanged, abandoned }: VersionPlan,
  elsewhere: readonly InstallationRecord[],
): InstalledSkill {
  const moved = writes.flatMap(({ replaces, record }) =>
    replaces === undefined || replaces.path === record.path ? [] : [replaces],
  );
  const left = unchanged.map(({ record }) => record);
  const installs = [...elsewhere, ...left, ...writes.map(announced), ...moved, ...abandoned];
  const skill = installedSkill(at.fetched, installs);
  at.profile.installed[at.installName] = skill;
  for (const write of writes) updateSharedRecords(write, at);
  return skill;
}

/** If the cache can't be written, the skill's previous record is restored. */
async function writeCacheOrRevert(
  { config, profile, installName, fetched, cache, content }: PlanContext,
  { plans }: VersionPlan,
  present: InstalledSkill | undefined,
): Promise<void> {
  try {
    // Also those of unchanged locations: links in a project on an unmounted disk must stay valid.
    const linked = plans.filter((plan) => plan.record.method === "symlink");
    const others = await entriesOfOthers(config, profile, installName, cache);
    await writeCache(content, cacheMeta(fetched), fetched.content, renderedFor(linked), others);
  } catch (error) {
    if (present === undefined) delete profile.installed[installName];
    else profile.installed[installName] = present;
    throw error;
  }
}

/** The entries of the cache folder that the links of other profiles at the user level lead to. */
async function entriesOfOthers(
  { profiles }: Config,
  own: Profile,
  installName: string,
  cache: string,
): Promise<string[]> {
  const entries: string[] = [];
  for (const profile of Object.values(profiles))
    for (const { path } of profile === own ? [] : installsIn(profile.installed[installName], undefined)) {
      const target = await linkTarget(path).catch(() => undefined);
      if (target !== undefined && isInside(target, cache))
        entries.push(relative(cache, target).split(sep)[0]!);
    }
  return entries;
}
