/** Plans the install location of a skill on one target: destination, method, and whether it is free. */
import { basename, dirname } from "node:path";
import type { InstallMethod, InstallScope, Target } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import type { Config, InstallationRecord, Profile } from "../state/config.ts";
import { machineOf } from "../targets/detect.ts";
import { findTarget } from "../targets/index.ts";
import { isSkillFolderName } from "../targets/render.ts";
import type { Hint, InstallItem, InstallLocation, Placement, Refusal } from "../targets/target.ts";
import { checkInsideProject, checkSection, findBlockingFile } from "./destination.ts";
import { digestOfFiles, digestOfPath, digestOfText, isThere } from "./digest.ts";
import { firstMissing, isInside, linkTarget, readTextFile } from "./files.ts";
import { readSection, sectionContent } from "./section.ts";
import { type Neighbour, realLocation, recordsAt } from "./same-location.ts";
import type { FetchedVersion } from "./fetch.ts";

export interface WantedInstall {
  platform: Target;
  scope: InstallScope;
  projectDir?: string;
  method?: InstallMethod;
}

/** A planned write; `record` is its installation record. */
export interface PlannedWrite {
  placement: Placement;
  record: InstallationRecord;
  /** Digest of a copy or section. */
  digest: string;
  /** The record of the installation that it replaces. */
  replaces: InstallationRecord | undefined;
  /** Other records of the same file, folder or section. */
  sharers: Neighbour[];
}

export interface PlanContext {
  context: Context;
  config: Config;
  profile: Profile;
  installName: string;
  item: InstallItem;
  fetched: FetchedVersion;
  /** The skill's cache folder. */
  cache: string;
  /** Writes that are planned already. */
  plans: PlannedWrite[];
  warnings: string[];
}

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
  return plan(at, placement, wanted, chooseMethod(at, placement, wanted), replaces);
}

/** A location that has the skill already; it keeps its path and method if possible. */
export async function planExisting(at: PlanContext, record: InstallationRecord): Promise<PlannedInstall> {
  const { method: _, ...anew } = record;
  const placement = placementFor(at.item, at.context, record);
  if ("refused" in placement) return placement;
  const possible: readonly InstallMethod[] = placement.methods;
  if (
    record.format === at.item.format &&
    possible.includes(record.method) &&
    isNamed(record, placement, at)
  ) {
    // An install stays in its folder if a variable has changed the tool's folder.
    const same = { ...placement, path: record.path };
    const trouble =
      (await checkInsideProject(same, record.projectDir)) ?? (await checkSection(same, at.installName));
    return trouble ?? plan(at, same, record, record.method, record);
  }
  const free = await freePlacement(at, anew);
  return "refused" in free ? free : plan(at, free, anew, chooseMethod(at, free, anew), record);
}

export function isSameLocation(record: InstallationRecord, wanted: WantedInstall): boolean {
  return (
    record.platform === wanted.platform &&
    record.scope === wanted.scope &&
    record.projectDir === wanted.projectDir
  );
}

/** The item to install. A package's own name is the name of its folder if it is valid and free. */
export function itemOf(
  fetched: FetchedVersion,
  installName: string,
  ownName: string | undefined,
  head: string | undefined,
): InstallItem {
  const { skill, content } = fetched;
  return {
    ...(head === undefined ? {} : { head }),
    installName,
    name: skill.name,
    description: skill.description,
    type: skill.type,
    format: content.format,
    body: content.format === "markdown" ? content.body : "",
    ...(ownName !== undefined && isSkillFolderName(ownName) ? { packageName: ownName } : {}),
  };
}

function placementFor(item: InstallItem, context: Context, where: WantedInstall): Placement | Refusal {
  const definition = findTarget(where.platform);
  if (definition === undefined) return { refused: `this version of svc does not know ${where.platform}` };
  const location: InstallLocation = {
    ...machineOf(context),
    scope: where.scope,
    ...(where.projectDir === undefined ? {} : { projectDir: where.projectDir }),
  };
  return definition.place(item, location);
}

/** The placement, if its destination can be written. */
async function freePlacement(at: PlanContext, wanted: WantedInstall): Promise<Placement | Refusal> {
  let placement = placementFor(at.item, at.context, wanted);
  if ("refused" in placement) return placement;
  let taken = await occupant(at, placement, wanted);
  if (taken !== undefined && at.item.packageName !== undefined && at.item.packageName !== at.installName) {
    const { packageName, ...plain } = at.item;
    const other = placementFor(plain, at.context, wanted);
    if (!("refused" in other) && (await occupant(at, other, wanted)) === undefined) {
      at.warnings.push(
        `${wanted.platform}: the folder is named ${at.installName}, because ${packageName} is taken`,
      );
      placement = other;
      taken = undefined;
    }
  }
  if (taken !== undefined) return { refused: taken };
  const blocked = await findBlockingFile(placement.path);
  if (blocked !== undefined) return { refused: blocked };
  return (
    (await checkInsideProject(placement, wanted.projectDir)) ??
    (await checkSection(placement, at.installName)) ??
    placement
  );
}

/** Whether a record's path is still the item's path: a text that became a rule has another one. */
function isNamed(record: InstallationRecord, placement: Placement, { installName }: PlanContext): boolean {
  const name = basename(record.path);
  if (name === basename(placement.path)) return true;
  return placement.shape === "folder" && placement.content === "package" && name === installName;
}

/** A link if the tool follows links, except for texts on Windows, where links need a privilege. */
function chooseMethod(at: PlanContext, placement: Placement, wanted: WantedInstall): InstallMethod {
  const possible: readonly InstallMethod[] = placement.methods;
  const usual: InstallMethod =
    at.context.platform === "win32" && at.item.format === "markdown" && possible.includes("copy")
      ? "copy"
      : possible[0]!;
  if (wanted.method === undefined || possible.includes(wanted.method)) return wanted.method ?? usual;
  at.warnings.push(`${wanted.platform} takes this as a ${usual}, not as a ${wanted.method}`);
  return usual;
}

async function plan(
  at: PlanContext,
  placement: Placement,
  wanted: WantedInstall,
  method: InstallMethod,
  replaces: InstallationRecord | undefined,
): Promise<PlannedWrite> {
  const { path } = placement;
  const digest = digestOfPlacement(placement, at.fetched);
  const known = replaces?.path === path ? replaces : undefined;
  const neighbours = await recordsAt(at.config, path, placement.shape === "section" ? "section" : "whole");
  const sharers = neighbours.filter(
    (each) => each.record !== replaces && each.installName === at.installName,
  );
  if (placement.shape === "section" && known === undefined && sharers.length === 0)
    await warnOfUnrecorded(at, path, placement.block);
  const createdFile =
    placement.shape === "section" && (known?.createdFile === true || !(await isThere(path)));
  const createdFolder = known?.createdFolder ?? (await firstMissing(dirname(path)));
  return {
    placement,
    digest,
    replaces,
    sharers,
    record: {
      platform: wanted.platform,
      scope: wanted.scope,
      method,
      path,
      ...(wanted.projectDir === undefined ? {} : { projectDir: wanted.projectDir }),
      format: at.item.format,
      installedAt: at.context.now().toISOString(),
      ...(method === "symlink" ? {} : { digest }),
      ...(createdFile ? { createdFile } : {}),
      ...(createdFolder === undefined ? {} : { createdFolder }),
    },
  };
}

/** The reason why svc must not write to a destination. */
async function occupant(
  at: PlanContext,
  placement: Placement,
  wanted: WantedInstall,
): Promise<string | undefined> {
  // A section is identified by its markers inside the shared file.
  if (placement.shape === "section") return undefined;
  const { path } = placement;
  const real = await realLocation(path, "whole");
  for (const { placement: other, record } of at.plans)
    if (
      other.shape !== "section" &&
      !isSameLocation(record, wanted) &&
      (await realLocation(other.path, "whole")) === real
    )
      return `${path} is the same place as ${other.path}, where ${record.platform} gets it`;
  let isOurs = false;
  for (const { installName, record } of await recordsAt(at.config, path, "whole")) {
    if (installName !== at.installName) return `${path} belongs to the installed skill ${installName}`;
    if (record.platform !== wanted.platform)
      return `${path} is the same place as ${record.path}, where ${record.platform} has it`;
    isOurs = true;
  }
  if (isOurs || !(await isThere(path))) return undefined;
  const foreign = `${path} already exists and was not created by svc`;
  const target = await linkTarget(path);
  if (target !== undefined) return isInside(target, at.cache) ? undefined : foreign;
  // The record was lost: the existing bytes equal those to be written, so svc created them.
  const same = (await digestOfPath(path)) === digestOfPlacement(placement, at.fetched);
  return same && wanted.method !== "symlink" ? undefined : foreign;
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

/** The result of `digestOfPath` or `digestOfSection` after the placement is written as a copy or section. */
function digestOfPlacement(placement: Placement, fetched: FetchedVersion): string {
  if (placement.shape === "section") return digestOfText(sectionContent(placement.block));
  if (placement.shape === "file") return digestOfText(placement.content.text);
  if (placement.content !== "package")
    return digestOfFiles([{ path: placement.content.file, sha256: digestOfText(placement.content.text) }]);
  return digestOfFiles(fetched.content.format === "package" ? fetched.content.manifest.files : []);
}
