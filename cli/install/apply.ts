/**
 * Making one version of a skill lie everywhere it is to lie: cache, tools, records. Runs with the state's lock held.
 *
 * Order: records first (with the digests of both the old and the new form), then the cache, then the tools, then the
 * final records. A run that stops anywhere in between leaves places in their old or new form, all of them known to be
 * ours, so that the next `pull` brings them to one version.
 */
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { InstallMethod } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import { CliError, hasCode, messageOf } from "../errors.ts";
import { clearLeftovers } from "../state/atomic.ts";
import {
  type CacheMeta,
  type RenderedFile,
  cacheFolder,
  cachedPackage,
  inspectCache,
  writeCache,
} from "../state/cache.ts";
import { type InstallationRecord, type InstalledSkill, profileOf } from "../state/config.ts";
import type { StateChange } from "../state/state.ts";
import { digestOfText, isThere } from "./digest.ts";
import type { FetchedVersion } from "./fetch.ts";
import {
  copyTree,
  linkTarget,
  readTextFile,
  replaceFile,
  replaceFolder,
  replaceLink,
  writeWhole,
} from "./files.ts";
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
import { handOverFile, inspectRecord, removeInstallation } from "./record.ts";
import type { ReportedPlace } from "./report.ts";
import { applySection } from "./section.ts";

interface AppliedPlace {
  record: InstallationRecord;
  /** `gone`: the project is no longer there. `edited`: left alone, because somebody changed it. */
  outcome: "written" | "unchanged" | "edited" | "gone" | "failed";
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
  const installName = freeInstallName(state.config, options.profile, fetched.skill);
  const present = profile.installed[installName];
  const cache = cacheFolder(state.paths, installName);
  const warnings: string[] = [];
  const ownName = await packageNameOf(fetched.packageText);
  const item = itemOf(fetched, installName, ownName);
  if (item.format === "package" && item.packageName === undefined && ownName !== undefined)
    warnings.push(
      `the name in its SKILL.md, "${ownName}", is no folder name: the folder is named ${installName}`,
    );
  const at: PlacingContext = { context, profile, installName, item, fetched, cache, warnings };

  const skipped: Applied["skipped"] = [];
  const plans: PlannedWrite[] = [];
  const places: AppliedPlace[] = [];
  for (const place of wanted) {
    const placed = await placeWanted(at, place);
    if ("refused" in placed) skipped.push({ platform: place.platform, reason: placed.refused });
    else plans.push(placed);
  }
  if (wanted.length > 0 && plans.length === 0)
    return { installName, skill: present, places, skipped, warnings };
  for (const record of present?.installs ?? []) {
    if (plans.some((plan) => isSamePlace(record, plan.record))) continue;
    const placed = placeAgain(at, record);
    if ("refused" in placed) places.push({ record, outcome: "failed", reason: placed.refused });
    else plans.push(placed);
  }

  const before = await inspectCache(cache);
  if (before.state === "edited" && !options.force && (present?.installs.length ?? 0) > 0)
    throw new CliError(
      "E_ALREADY_EXISTS",
      `${installName} was edited through its link in ${cache}: use --force to overwrite the edits.`,
      { kind: "installedSkill", ref: installName },
    );

  const writes: PlannedWrite[] = [];
  for (const plan of plans) {
    const left = await reasonToLeave(plan, installName, cache, options.force);
    if (left === undefined) writes.push(plan);
    else if (plan.replaces !== undefined) places.push({ record: plan.replaces, ...left });
  }

  const { skill, version } = fetched;
  const untouched = places.map((place) => place.record);
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
    installs: [...untouched, ...writes.map(announced)],
  };
  profile.installed[installName] = entry;
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

  for (const write of writes) places.push(await carryOut(write, installName, cache, options.force, warnings));
  const kept = places.filter((place) => place.outcome !== "failed" || isKnown(place.record, present));
  entry.installs = kept.map((place) => place.record);
  for (const { replaces, record } of writes)
    if (replaces !== undefined && replaces.path !== record.path) handOverFile(state.config, replaces);
  if (entry.installs.length === 0) delete profile.installed[installName];
  await state.save();
  return { installName, skill: entry, places, skipped, warnings };
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

function renderedFor(plans: readonly PlannedWrite[]): RenderedFile[] {
  const rendered = new Map<string, RenderedFile>();
  for (const { placement, record } of plans)
    if (placement.shape !== "section" && placement.content !== "package")
      rendered.set(record.platform, { target: record.platform, ...placement.content });
  return [...rendered.values()];
}

/** Why an installation stays as it is: its project is gone, or somebody edited it. */
async function reasonToLeave(
  plan: PlannedWrite,
  installName: string,
  cache: string,
  force: boolean,
): Promise<{ outcome: "gone" | "edited"; reason: string } | undefined> {
  const { replaces } = plan;
  if (replaces === undefined) return undefined;
  if (replaces.projectDir !== undefined && !(await isFolder(replaces.projectDir)))
    return { outcome: "gone", reason: `${replaces.projectDir} is no longer there` };
  if (force || (await inspectRecord(replaces, installName, cache)) !== "edited") return undefined;
  return {
    outcome: "edited",
    reason: `${replaces.path} was edited after svc installed it; use --force to overwrite it`,
  };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}

async function carryOut(
  plan: PlannedWrite,
  installName: string,
  cache: string,
  force: boolean,
  warnings: string[],
): Promise<AppliedPlace> {
  const { record, replaces, placement } = plan;
  try {
    if (
      replaces !== undefined &&
      replaces.method === record.method &&
      replaces.path === record.path &&
      replaces.digest === record.digest &&
      (await inspectRecord(record, installName, cache)) === "intact" &&
      (record.method !== "symlink" || (await leadsTo(plan, cache)))
    ) {
      if (placement.shape === "section") await advise(placement, warnings);
      return { record: { ...record, installedAt: replaces.installedAt }, outcome: "unchanged" };
    }
    await clearLeftovers(dirname(record.path));
    const method = await putThere(plan, installName, cache, record);
    if (replaces !== undefined && replaces.path !== record.path) {
      const kept = await removeInstallation(replaces, installName, cache, force);
      if (kept !== undefined) warnings.push(kept);
    }
    if (placement.shape === "section") await advise(placement, warnings);
    return { record: { ...record, method }, outcome: "written" };
  } catch (error) {
    return { record: replaces ?? record, outcome: "failed", reason: messageOf(error) };
  }
}

async function leadsTo(plan: PlannedWrite, cache: string): Promise<boolean> {
  return (await linkTarget(plan.record.path)) === linkFor(plan, cache).target;
}

function linkFor(
  { placement, record }: PlannedWrite,
  cache: string,
): { target: string; kind: "dir" | "file" } {
  if (placement.shape === "file")
    return { target: join(cache, record.platform, placement.content.file), kind: "file" };
  if (placement.shape === "folder" && placement.content === "package")
    return { target: cachedPackage(cache), kind: "dir" };
  return { target: join(cache, record.platform), kind: "dir" };
}

/** Writes and answers the method that was used, which on Windows may be another one. */
async function putThere(
  plan: PlannedWrite,
  installName: string,
  cache: string,
  record: InstallationRecord,
): Promise<InstallMethod> {
  const { placement } = plan;
  if (placement.shape === "section") {
    const present = await readTextFile(placement.path);
    const edit = applySection(present, installName, placement.block);
    if ("refused" in edit) throw new Error(`${placement.path}: ${edit.refused}`);
    if (present === undefined) record.createdFile = true;
    if (edit.text !== present) await writeWhole(placement.path, edit.text);
    return "section";
  }
  if (record.method === "symlink") {
    const { target, kind } = linkFor(plan, cache);
    try {
      await replaceLink(record.path, target, kind);
      return "symlink";
    } catch (error) {
      if (kind !== "file" || !hasCode(error, "EPERM")) throw error;
      if (placement.shape === "file") record.digest = digestOfText(placement.content.text);
    }
  }
  if (placement.shape === "file") {
    await replaceFile(record.path, placement.content.text);
    return "copy";
  }
  const { content } = placement;
  await replaceFolder(record.path, (folder) =>
    content === "package"
      ? copyTree(cachedPackage(cache), folder)
      : writeWhole(join(folder, content.file), content.text),
  );
  return "copy";
}

/** What keeps a written section from being read. */
async function advise(
  placement: Extract<PlannedWrite["placement"], { shape: "section" }>,
  warnings: string[],
): Promise<void> {
  const { advisedBytes, hiddenBy, path } = placement;
  if (advisedBytes !== undefined && (await stat(path)).size > advisedBytes.bytes)
    warnings.push(advisedBytes.warning);
  if (hiddenBy !== undefined && (await isThere(hiddenBy.path))) warnings.push(hiddenBy.warning);
}
