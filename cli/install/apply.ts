/**
 * Applies one version of a skill to its cache, install locations and records. Runs with the state's lock held.
 *
 * Order: records first (with the digests of both the old and the new form), then the cache, then the tools, then the
 * final records. An interrupted run leaves locations in their old or new form, all of them recorded, so that the next
 * `pull` updates them to one version.
 */
import { stat } from "node:fs/promises";
import type { Context } from "../context.ts";
import { CliError, hasCode, messageOf } from "../errors.ts";
import { type CacheMeta, type RenderedFile, cacheFolder, inspectCache, writeCache } from "../state/cache.ts";
import { type InstallationRecord, type InstalledSkill, profileOf } from "../state/config.ts";
import type { StateChange } from "../state/state.ts";
import type { FetchedVersion } from "./fetch.ts";
import { freeInstallName } from "./install-name.ts";
import { packageNameOf } from "../pack/frontmatter.ts";
import {
  type PlanContext,
  type PlannedWrite,
  type WantedInstall,
  isSameLocation,
  itemOf,
  planExisting,
  planRequested,
} from "./plan-location.ts";
import { inspectRecord, removeInstallation, removeMadeFolders } from "./record.ts";
import type { ReportedLocation } from "./report.ts";
import { type WrittenLocation, writeLocation } from "./write.ts";

interface AppliedLocation {
  record: InstallationRecord;
  /** `gone`: the project no longer exists. `edited`: unchanged, because a user edited it. */
  outcome: WrittenLocation["outcome"] | "edited" | "gone";
  reason?: string;
}

export interface Applied {
  installName: string;
  skill: InstalledSkill | undefined;
  locations: AppliedLocation[];
  skipped: { platform: string; reason: string }[];
  warnings: string[];
}

/** The locations that now have the applied version, for the report. */
export function reportedLocations(applied: Applied, { skill, version }: FetchedVersion): ReportedLocation[] {
  return applied.locations
    .filter(({ outcome }) => outcome === "written" || outcome === "unchanged")
    .map(({ record: { platform, scope } }) => ({
      publicId: skill.publicId,
      platform,
      scope,
      version: version.version,
    }));
}

export interface ApplyOptions {
  profile: string;
  /** The pin to store. */
  range: string;
  /** Overwrite edited copies. */
  force: boolean;
  /** The install name in a project's lock. */
  installName?: string;
}

/** Throws only if nothing was changed, or if the cache could not be written. */
export async function applyVersion(
  context: Context,
  state: StateChange,
  fetched: FetchedVersion,
  wanted: readonly WantedInstall[],
  options: ApplyOptions,
): Promise<Applied> {
  const profile = profileOf(state.config, options.profile);
  const installName = freeInstallName(state.config, options.profile, fetched.skill, options.installName);
  const present = profile.installed[installName];
  const cache = cacheFolder(state.paths, installName);
  const warnings: string[] = [];
  const ownName = await packageNameOf(fetched.packageText);
  const item = itemOf(fetched, installName, ownName, await headFor(fetched, installName));
  if (item.format === "package" && item.packageName === undefined && ownName !== undefined)
    warnings.push(
      `the name in its SKILL.md, "${ownName}", is not a valid folder name: the folder is named ${installName}`,
    );
  const plans: PlannedWrite[] = [];
  const at: PlanContext = {
    context,
    config: state.config,
    profile,
    installName,
    item,
    fetched,
    cache,
    plans,
    warnings,
  };

  const skipped: Applied["skipped"] = [];
  const locations: AppliedLocation[] = [];
  for (const location of wanted) {
    const placed = await planRequested(at, location);
    if ("refused" in placed) skipped.push({ platform: location.platform, reason: placed.refused });
    else plans.push(placed);
  }
  if (wanted.length > 0 && plans.length === 0)
    return { installName, skill: present, locations, skipped, warnings };
  /** Installations to remove: the old path of an interrupted move. */
  const abandoned: InstallationRecord[] = [];
  for (const record of present?.installs ?? []) {
    const plan = plans.find((one) => isSameLocation(record, one.record));
    if (plan !== undefined) {
      if (plan.replaces !== record) abandoned.push(record);
      continue;
    }
    const placed = await planExisting(at, record);
    if ("refused" in placed)
      locations.push({ record: outdated(record), outcome: "failed", reason: placed.refused });
    else plans.push(placed);
  }

  const before = await inspectCache(cache);
  if (before.state === "edited" && !options.force && (present?.installs.length ?? 0) > 0)
    throw new CliError(
      "E_ALREADY_EXISTS",
      `${installName} was edited through its link in ${cache}: use --force to overwrite the edits.`,
      { kind: "installedSkill", ref: installName },
    );

  const { skill, version } = fetched;
  const writes: PlannedWrite[] = [];
  for (const plan of plans) {
    const left = await reasonToLeave(plan, installName, cache, options.force);
    const { replaces } = plan;
    if (left === undefined) writes.push(plan);
    else if (replaces === undefined) skipped.push({ platform: plan.record.platform, reason: left.reason });
    else locations.push({ record: present!.hash === version.hash ? replaces : outdated(replaces), ...left });
  }
  if (wanted.length > 0 && writes.length === 0 && locations.length === 0)
    return { installName, skill: present, locations, skipped, warnings };

  const moved = writes.flatMap(({ replaces, record }) =>
    replaces === undefined || replaces.path === record.path ? [] : [replaces],
  );
  const entry: InstalledSkill = {
    publicId: skill.publicId,
    slug: skill.slug,
    name: skill.name,
    type: skill.type,
    visibility: skill.visibility,
    tenantId: skill.tenantId,
    tenantSlug: skill.tenantSlug,
    format: version.format,
    range: options.range,
    version: version.version,
    semver: version.semver,
    hash: version.hash,
    installs: [...locations.map(({ record }) => record), ...writes.map(announced), ...moved, ...abandoned],
  };
  profile.installed[installName] = entry;
  for (const write of writes) updateSharedRecords(write, options.profile);
  await state.save();

  try {
    // Also those of unchanged locations: links in a project on an unmounted disk must stay valid.
    const linked = plans.filter((plan) => plan.record.method === "symlink");
    await writeCache(cache, about(fetched), fetched.content, renderedFor(linked));
  } catch (error) {
    if (present === undefined) delete profile.installed[installName];
    else profile.installed[installName] = present;
    await state.save();
    throw error;
  }

  const gone = [...abandoned];
  for (const write of writes) {
    const done = await writeLocation(context, write, installName, cache, warnings);
    const { replaces } = write;
    if (done.outcome !== "failed") {
      locations.push(done);
      if (replaces !== undefined && replaces.path !== write.record.path) gone.push(replaces);
    } else locations.push({ ...done, record: replaces === undefined ? done.record : outdated(replaces) });
  }
  const isKept = (location: AppliedLocation) =>
    location.outcome !== "failed" || isKnown(location.record, present);
  const kept = locations.filter(isKept);
  for (const { record } of locations.filter((location) => !isKept(location))) await removeMadeFolders(record);
  entry.installs = kept.map((location) => location.record);
  for (const record of gone) {
    const reason = await removeInstallation(state.config, record, installName, cache, options.force).catch(
      messageOf,
    );
    if (reason !== undefined) warnings.push(reason);
  }
  if (entry.installs.length === 0) delete profile.installed[installName];
  await state.save();
  return { installName, skill: entry, locations, skipped, warnings };
}

/** A text's frontmatter, whose name must be that of the folder; the service has set it to the slug. */
async function headFor({ skill, content }: FetchedVersion, installName: string): Promise<string | undefined> {
  if (content.format !== "markdown" || content.frontmatter === undefined) return undefined;
  if (installName === skill.slug) return content.frontmatter;
  const { completeHead } = await import("../../contract/edit-frontmatter.ts");
  return completeHead(content.frontmatter, { name: installName, description: skill.description });
}

/** The record of a location that could not be updated; `pull` retries it. */
function outdated(record: InstallationRecord): InstallationRecord {
  return { ...record, outdated: true };
}

function about(fetched: FetchedVersion): Omit<CacheMeta, "digests" | "pending"> {
  const { skill, version } = fetched;
  return {
    publicId: skill.publicId,
    slug: skill.slug,
    name: skill.name,
    description: skill.description,
    type: skill.type,
    format: version.format,
    version: version.version,
    semver: version.semver,
    hash: version.hash,
  };
}

function isKnown(record: InstallationRecord, present: InstalledSkill | undefined): boolean {
  return present?.installs.some((known) => isSameLocation(known, record)) ?? false;
}

/** The record during the write: both the old and the new form are svc's. */
function announced(plan: PlannedWrite): InstallationRecord {
  const previous = plan.replaces?.digest;
  return previous === undefined ? plan.record : { ...plan.record, previousDigest: previous };
}

/** Records the change in other profiles as well, complete or in progress. */
function updateSharedRecords({ record, sharers }: PlannedWrite, own: string): void {
  for (const { profile, record: other } of sharers) {
    if (profile === own) continue;
    if (other.digest !== undefined) other.previousDigest = other.digest;
    other.method = record.method;
    other.format = record.format;
    if (record.digest === undefined) delete other.digest;
    else other.digest = record.digest;
  }
}

function renderedFor(plans: readonly PlannedWrite[]): RenderedFile[] {
  const rendered = new Map<string, RenderedFile>();
  for (const { placement, record } of plans)
    if (placement.shape !== "section" && placement.content !== "package")
      rendered.set(record.platform, { target: record.platform, ...placement.content });
  return [...rendered.values()];
}

/** The reason why a location stays unchanged: its project no longer exists, or a user edited it. */
async function reasonToLeave(
  plan: PlannedWrite,
  installName: string,
  cache: string,
  force: boolean,
): Promise<{ outcome: "gone" | "edited"; reason: string } | undefined> {
  const { replaces, sharers } = plan;
  if (replaces?.projectDir !== undefined && !(await isFolder(replaces.projectDir)))
    return { outcome: "gone", reason: `${replaces.projectDir} is no longer there` };
  if (force) return undefined;
  const known = [...(replaces === undefined ? [] : [replaces]), ...sharers.map(({ record }) => record)];
  for (const record of known)
    if ((await inspectRecord(record, installName, cache)) === "edited")
      return {
        outcome: "edited",
        reason: `${record.path} was edited after svc installed it; use --force to overwrite it`,
      };
  return undefined;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}
