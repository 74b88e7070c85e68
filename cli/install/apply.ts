/**
 * Making one version of a skill lie everywhere it is to lie: cache, tools, records. Runs with the state's lock held.
 *
 * Order: records first (with the digests of both the old and the new form), then the cache, then the tools, then the
 * final records. A run that stops anywhere in between leaves places in their old or new form, all of them known to be
 * ours, so that the next `pull` brings them to one version.
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
  type PlacingContext,
  type PlannedWrite,
  type WantedInstall,
  isSamePlace,
  itemOf,
  placeAgain,
  placeWanted,
} from "./place.ts";
import { inspectRecord, removeInstallation, removeMadeFolders } from "./record.ts";
import type { ReportedPlace } from "./report.ts";
import { type WrittenPlace, writePlace } from "./write.ts";

interface AppliedPlace {
  record: InstallationRecord;
  /** `gone`: the project is no longer there. `edited`: left alone, because somebody changed it. */
  outcome: WrittenPlace["outcome"] | "edited" | "gone";
  reason?: string;
}

export interface Applied {
  installName: string;
  skill: InstalledSkill | undefined;
  places: AppliedPlace[];
  skipped: { platform: string; reason: string }[];
  warnings: string[];
}

/** What is to be reported of a version that was applied: the places in which it lies now. */
export function reportedPlaces(applied: Applied, { skill, version }: FetchedVersion): ReportedPlace[] {
  return applied.places
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
  /** The pin to remember. */
  range: string;
  /** Overwrite what was edited. */
  force: boolean;
  /** What a project's lock calls it in the tools. */
  installName?: string;
}

/** Throws only when nothing was changed, or when the cache could not be written. */
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
  const item = itemOf(fetched, installName, ownName);
  if (item.format === "package" && item.packageName === undefined && ownName !== undefined)
    warnings.push(
      `the name in its SKILL.md, "${ownName}", is no folder name: the folder is named ${installName}`,
    );
  const plans: PlannedWrite[] = [];
  const at: PlacingContext = {
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
  const places: AppliedPlace[] = [];
  for (const place of wanted) {
    const placed = await placeWanted(at, place);
    if ("refused" in placed) skipped.push({ platform: place.platform, reason: placed.refused });
    else plans.push(placed);
  }
  if (wanted.length > 0 && plans.length === 0)
    return { installName, skill: present, places, skipped, warnings };
  /** What lies where the skill is no longer to lie: the other end of a move that was stopped half-way. */
  const abandoned: InstallationRecord[] = [];
  for (const record of present?.installs ?? []) {
    const plan = plans.find((one) => isSamePlace(record, one.record));
    if (plan !== undefined) {
      if (plan.replaces !== record) abandoned.push(record);
      continue;
    }
    const placed = await placeAgain(at, record);
    if ("refused" in placed)
      places.push({ record: outdated(record), outcome: "failed", reason: placed.refused });
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
    else places.push({ record: present!.hash === version.hash ? replaces : outdated(replaces), ...left });
  }
  if (wanted.length > 0 && writes.length === 0 && places.length === 0)
    return { installName, skill: present, places, skipped, warnings };

  const moved = writes.flatMap(({ replaces, record }) =>
    replaces === undefined || replaces.path === record.path ? [] : [replaces],
  );
  const entry: InstalledSkill = {
    publicId: skill.publicId,
    slug: skill.slug,
    name: skill.name,
    type: skill.type,
    visibility: skill.visibility,
    tenantSlug: skill.tenantSlug,
    format: version.format,
    range: options.range,
    version: version.version,
    semver: version.semver,
    hash: version.hash,
    installs: [...places.map(({ record }) => record), ...writes.map(announced), ...moved, ...abandoned],
  };
  profile.installed[installName] = entry;
  for (const write of writes) tellOthers(write, options.profile);
  await state.save();

  try {
    // Of the places that stay as they are too: a project on a disk that is away finds its link's end again.
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
    const done = await writePlace(context, write, installName, cache, warnings);
    const { replaces } = write;
    if (done.outcome !== "failed") {
      places.push(done);
      if (replaces !== undefined && replaces.path !== write.record.path) gone.push(replaces);
    } else places.push({ ...done, record: replaces === undefined ? done.record : outdated(replaces) });
  }
  const isKept = (place: AppliedPlace) => place.outcome !== "failed" || isKnown(place.record, present);
  const kept = places.filter(isKept);
  for (const { record } of places.filter((place) => !isKept(place))) await removeMadeFolders(record);
  entry.installs = kept.map((place) => place.record);
  for (const record of gone) {
    const reason = await removeInstallation(state.config, record, installName, cache, options.force).catch(
      messageOf,
    );
    if (reason !== undefined) warnings.push(reason);
  }
  if (entry.installs.length === 0) delete profile.installed[installName];
  await state.save();
  return { installName, skill: entry, places, skipped, warnings };
}

/** A record of a place that the skill's version did not come to; `pull` tries again. */
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
  return present?.installs.some((known) => isSamePlace(known, record)) ?? false;
}

/** The record while the write is under way: either form found there is ours. */
function announced(plan: PlannedWrite): InstallationRecord {
  const previous = plan.replaces?.digest;
  return previous === undefined ? plan.record : { ...plan.record, previousDigest: previous };
}

/** Other profiles know of the change too: they find it made, or half-way as we do. */
function tellOthers({ record, sharers }: PlannedWrite, own: string): void {
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

/** Why what is there stays as it is: its project is gone, or somebody edited it. */
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
