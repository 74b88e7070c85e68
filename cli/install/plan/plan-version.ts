/** Plans one version of a skill on all of its locations: those to write, and those that stay unchanged. */
import { CliError, isSystemError, messageOf } from "../../errors.ts";
import { packageFieldsOf } from "../../pack/frontmatter.ts";
import { contentFolder, inspectCache } from "../../state/cache.ts";
import type { InstallationRecord } from "../../state/config.ts";
import { isSkillFolderName } from "../../targets/render.ts";
import type { InstallItem } from "../../targets/target.ts";
import type { FetchedVersion } from "../fetch.ts";
import { headFor } from "../locations/text-head.ts";
import { findEditedContent } from "../records/record.ts";
import { installsIn, recordsOf } from "../records/scopes.ts";
import {
  type PlanContext,
  type PlannedWrite,
  type WantedInstall,
  isSameLocation,
  placementFor,
} from "./placement.ts";
import { planExisting, planRequested, recordOf } from "./plan-location.ts";
import { reasonToLeave } from "./reason-to-leave.ts";

/** A location that stays unchanged; its record is marked if it has an earlier version. */
export interface UnchangedLocation {
  record: InstallationRecord;
  /**
   * `gone`: the project no longer exists. `edited`: a user edited it. `refused`: the target can't have the version.
   * `failed`: its path can't be read.
   */
  outcome: "gone" | "edited" | "refused" | "failed";
  reason: string;
}

export interface SkippedTarget {
  platform: string;
  reason: string;
}

/** A target whose path could not be written. */
export interface FailedTarget {
  platform: string;
  path: string;
  error: string;
}

export interface VersionPlan {
  /** All locations that are to have the version. */
  plans: readonly PlannedWrite[];
  /** Locations that may be written. */
  writes: PlannedWrite[];
  unchanged: UnchangedLocation[];
  /** Installations to remove: the old path of an interrupted move. */
  abandoned: InstallationRecord[];
  /** Requested targets that are not installed. */
  skipped: SkippedTarget[];
}

/** The item to install, with a warning if a package's own name can't be that of its folder. */
export async function itemOf(
  fetched: FetchedVersion,
  installName: string,
  warnings: string[],
): Promise<InstallItem> {
  const { skill, content } = fetched;
  const own = await packageFieldsOf(fetched.packageText);
  const ownName = own.name;
  const frontmatter = content.format === "markdown" ? content.frontmatter : undefined;
  const head = await headFor({ ...skill, frontmatter }, installName);
  const isValid = ownName !== undefined && isSkillFolderName(ownName);
  if (content.format === "package" && ownName !== undefined && !isValid)
    warnings.push(
      `the name in its SKILL.md, "${ownName}", is not a valid folder name: the folder is named ${installName}`,
    );
  return {
    head,
    installName,
    name: skill.name,
    description: skill.description,
    type: skill.type,
    format: content.format,
    body: content.format === "markdown" ? content.body : "",
    packageName: isValid ? ownName : undefined,
    ...(await onlyTextOf(fetched)),
    missing: own.missing,
  };
}

/** The text of a package without other files than its SKILL.md. */
async function onlyTextOf({ content, packageText }: FetchedVersion): Promise<Pick<InstallItem, "onlyText">> {
  if (content.format !== "package" || content.manifest.files.length > 1 || packageText === undefined)
    return {};
  const { cutFences } = await import("../../../contract/document/frontmatter.ts");
  return { onlyText: cutFences(packageText)?.body ?? packageText.replace(/^\uFEFF/, "") };
}

/** If all requested targets are refused, nothing else is planned. */
export async function planVersion(
  at: PlanContext,
  wanted: readonly WantedInstall[],
  force: boolean,
): Promise<VersionPlan> {
  const plan: VersionPlan = {
    plans: at.plans,
    writes: [],
    unchanged: [],
    abandoned: [],
    skipped: [],
  };
  for (const location of wanted) await planWanted(at, plan, location);
  if (wanted.length > 0 && at.plans.length === 0) return plan;
  const present = installsIn(at.profile.installed[at.installName], at.projectDir);
  await planPresent(at, plan, present);
  if (!force) await refuseEditedCache(at, present);
  await selectWrites(at, plan, force);
  return plan;
}

async function planWanted(at: PlanContext, plan: VersionPlan, location: WantedInstall): Promise<void> {
  const { platform } = location;
  try {
    const planned = await planRequested(at, location);
    if (!("refused" in planned)) at.plans.push(planned);
    else if (location.isImplied !== true) plan.skipped.push({ platform, reason: planned.refused });
  } catch (error) {
    const placement = placementFor(at, location);
    if (!isSystemError(error) || "refused" in placement) throw error;
    const record = recordOf(at, placement, location, placement.methods[0]);
    plan.unchanged.push({ record, outcome: "failed", reason: messageOf(error) });
  }
}

/** Plans the locations of the scope that have the skill already and were not requested. */
async function planPresent(
  at: PlanContext,
  { unchanged, abandoned }: VersionPlan,
  installs: readonly InstallationRecord[],
): Promise<void> {
  for (const record of installs) {
    const requested = at.plans.find((one) => isSameLocation(record, one.record));
    if (requested !== undefined) {
      if (requested.replaces !== record) abandoned.push(record);
      continue;
    }
    const planned = await planExisting(at, record);
    if ("refused" in planned)
      unchanged.push({ record: leave(at, record), outcome: "refused", reason: planned.refused });
    else at.plans.push(planned);
  }
}

/** Refuses to change content that was edited through a link, or to leave it without a link. */
async function refuseEditedCache(
  { config, cache, content, installName }: PlanContext,
  present: readonly InstallationRecord[],
): Promise<void> {
  const users = recordsOf(config, installName).filter(
    (record) => contentFolder(cache, record).path === content.path,
  );
  // Without an install, edits of a previous one may be left.
  const isLeft = users.length === 0 && (await inspectCache(content.path)).state === "edited";
  const folder = isLeft ? content.path : await findEditedContent(cache, [...present, ...users]);
  if (folder === undefined) return;
  throw new CliError(
    "E_ALREADY_EXISTS",
    `${installName} was edited through its link in ${folder}: use --force to overwrite the edits.`,
    { kind: "installedSkill", ref: installName },
  );
}

async function selectWrites(
  at: PlanContext,
  { plans, writes, unchanged, skipped }: VersionPlan,
  force: boolean,
): Promise<void> {
  for (const plan of plans) {
    const left = await reasonToLeave(plan, at.installName, at.cache, force);
    const { replaces } = plan;
    if (left === undefined) writes.push(plan);
    else if (replaces === undefined) skipped.push({ platform: plan.record.platform, reason: left.reason });
    else unchanged.push({ record: leave(at, replaces), ...left });
  }
}

/** The record of a location that stays as it is, with the new pin; `pull` retries one of another version. */
function leave({ fetched, range }: PlanContext, record: InstallationRecord): InstallationRecord {
  const isSame = record.version === fetched.version.version && record.hash === fetched.version.hash;
  return isSame ? { ...record, range } : outdated({ ...record, range });
}

/** The record of a location that could not be updated; `pull` retries it. */
export function outdated(record: InstallationRecord): InstallationRecord {
  return { ...record, outdated: true };
}
