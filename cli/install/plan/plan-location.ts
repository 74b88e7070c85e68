/** Plans the install location of a skill on one target: destination, method and record. */
import { basename, dirname } from "node:path";
import type { InstallMethod } from "../../../contract/vocabulary.ts";
import type { InstallationRecord } from "../../state/config.ts";
import { isInSharedFolder } from "../../targets/locate.ts";
import { lossOf } from "../../targets/lost-keys.ts";
import type { Hint, Placement, Refusal } from "../../targets/target.ts";
import { isThere } from "../locations/digest.ts";
import { firstMissing, readTextFile } from "../locations/files.ts";
import { recordsAt } from "../locations/same-location.ts";
import { readSection, sectionContent } from "../locations/section.ts";
import { checkInsideProject, checkSection } from "./destination.ts";
import {
  type PlanContext,
  type PlannedWrite,
  type WantedInstall,
  digestOfPlacement,
  freePlacement,
  isSameLocation,
  placementFor,
} from "./placement.ts";

export type PlannedInstall = PlannedWrite | Refusal;

/** A location that the user requested. */
export async function planRequested(at: PlanContext, wanted: WantedInstall): Promise<PlannedInstall> {
  const placement = await freePlacement(at, wanted);
  if ("refused" in placement) return placement;
  const replaces = at.profile.installed[at.installName]?.installs.find((record) =>
    isSameLocation(record, wanted),
  );
  if (placement.shape === "file" && placement.hint !== undefined && (await isNeeded(placement.hint)))
    at.warnings.push(placement.hint.text);
  const loss = wanted.also === undefined ? lossOf(at.item, wanted.platform, placement) : undefined;
  if (loss !== undefined) at.warnings.push(loss);
  return plan(at, placement, wanted, chooseMethod(at, placement, wanted, replaces?.method), replaces);
}

/** A location that has the skill already; it keeps its path and method if possible. */
export async function planExisting(at: PlanContext, record: InstallationRecord): Promise<PlannedInstall> {
  const { method: _, ...unplaced } = record;
  const placement = placementFor(at, record);
  if ("refused" in placement) return placement;
  const possible: readonly InstallMethod[] = placement.methods;
  if (
    record.format === at.item.format &&
    (record.shared === true) === isInSharedFolder({ ...record, isShared: at.isShared }, at.item) &&
    possible.includes(record.method) &&
    isNamed(record, placement, at)
  ) {
    // An install stays in its folder if a variable has changed the tool's folder.
    const same = { ...placement, path: record.path };
    const refusal =
      (await checkInsideProject(same, record.projectDir)) ?? (await checkSection(same, at.installName));
    return refusal ?? plan(at, same, record, record.method, record);
  }
  const free = await freePlacement(at, unplaced);
  return "refused" in free
    ? free
    : plan(at, free, unplaced, chooseMethod(at, free, unplaced, undefined), record);
}

/** Whether a record's path is still the item's path: a text that became a rule has another one. */
function isNamed(record: InstallationRecord, placement: Placement, { installName }: PlanContext): boolean {
  const name = basename(record.path);
  if (name === basename(placement.path)) return true;
  return placement.shape === "folder" && placement.content === "package" && name === installName;
}

/**
 * The requested method, or that of the current install. Otherwise a link if the tool follows links, except for texts on
 * Windows, where links need a privilege, and in a project that records its skills: its files are committed.
 */
function chooseMethod(
  at: PlanContext,
  placement: Placement,
  wanted: WantedInstall,
  present: InstallMethod | undefined,
): InstallMethod {
  const possible: readonly InstallMethod[] = placement.methods;
  const prefersCopies = at.isRecorded || (at.context.platform === "win32" && at.item.format === "markdown");
  const defaultMethod: InstallMethod = prefersCopies && possible.includes("copy") ? "copy" : possible[0]!;
  const chosen = wanted.method ?? present ?? defaultMethod;
  if (possible.includes(chosen)) return chosen;
  if (wanted.method !== undefined)
    at.warnings.push(`${wanted.platform} takes this as a ${defaultMethod}, not as a ${wanted.method}`);
  return defaultMethod;
}

async function plan(
  at: PlanContext,
  placement: Placement,
  wanted: WantedInstall,
  method: InstallMethod,
  replaces: InstallationRecord | undefined,
): Promise<PlannedInstall> {
  const { path } = placement;
  const { hash } = at.fetched.version;
  const digest = digestOfPlacement(placement, at.fetched);
  const known = replaces?.path === path ? replaces : undefined;
  const neighbours = await recordsAt(at.config, path, placement.shape === "section" ? "section" : "whole");
  const sharers = neighbours.filter(
    (each) => each.record !== replaces && each.installName === at.installName,
  );
  const other = sharers.find(({ record }) => record.projectDir !== at.projectDir && record.hash !== hash);
  if (other !== undefined) {
    const { projectDir, semver } = other.record;
    const scope = projectDir === undefined ? "at the user level" : `for ${projectDir}`;
    return { refused: `${path} is also installed ${scope} in version ${semver}: uninstall it there first` };
  }
  if (placement.shape === "section" && known === undefined && sharers.length === 0)
    await warnOfUnrecorded(at, path, placement.block);
  const isOneCopy =
    sharers.some(({ record }) => record.shared === true) ||
    at.plans.some(({ record }) => record.shared === true && record.path === path);
  const createdFile =
    placement.shape === "section" && (known?.createdFile === true || !(await isThere(path)));
  const createdFolder = known?.createdFolder ?? (await firstMissing(dirname(path)));
  return {
    placement,
    digest,
    replaces,
    sharers,
    record: {
      ...recordOf(at, placement, wanted, isOneCopy && method === "symlink" ? "copy" : method),
      createdFile: createdFile || undefined,
      createdFolder,
    },
  };
}

/** The record of a location in the planned version. */
export function recordOf(
  { fetched, item, range, context, isShared }: PlanContext,
  placement: Placement,
  { platform, scope, projectDir, also }: WantedInstall,
  method: InstallMethod,
): InstallationRecord {
  const { version, semver, hash } = fetched.version;
  return {
    platform,
    scope,
    method,
    path: placement.path,
    projectDir,
    range,
    version,
    semver,
    hash,
    format: item.format,
    installedAt: context.now().toISOString(),
    shared: isInSharedFolder({ platform, isShared, also }, item) ? true : undefined,
    also,
    digest: method === "symlink" ? undefined : digestOfPlacement(placement, fetched),
  };
}

/** Warns about a section without a record, such as one that svc wrote on another machine: it is replaced. */
async function warnOfUnrecorded(at: PlanContext, path: string, block: string): Promise<void> {
  const unrecorded = readSection((await readTextFile(path)) ?? "", at.installName);
  if (unrecorded !== undefined && unrecorded !== sectionContent(block))
    at.warnings.push(`${path} held another section for ${at.installName}, which is replaced`);
}

async function isNeeded({ unless }: Hint): Promise<boolean> {
  const texts = await Promise.all(unless.files.map((file) => readTextFile(file).catch(() => undefined)));
  return !texts.some((text) => text !== undefined && unless.says.test(text));
}
