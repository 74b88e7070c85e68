/** Deciding where a skill goes on one target: destination, method, and whether the place is free. */
import { lstat, realpath, stat } from "node:fs/promises";
import { basename, dirname, relative, sep } from "node:path";
import type { InstallMethod, InstallScope, Target } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import { messageOf } from "../errors.ts";
import type { Config, InstallationRecord, Profile } from "../state/config.ts";
import { machineOf } from "../targets/detect.ts";
import { findTarget } from "../targets/index.ts";
import { characterCount, isSkillFolderName } from "../targets/render.ts";
import type { Hint, InstallItem, InstallPlace, Placement, Refusal } from "../targets/target.ts";
import { digestOfFiles, digestOfPath, digestOfText, isThere } from "./digest.ts";
import { firstMissing, isInside, linkTarget, readTextFile } from "./files.ts";
import { applySection, readSection, sectionContent } from "./section.ts";
import { type Neighbour, realPlace, recordsAt } from "./same-place.ts";
import type { FetchedVersion } from "./fetch.ts";

export interface WantedInstall {
  platform: Target;
  scope: InstallScope;
  projectDir?: string;
  method?: InstallMethod;
}

/** A decided write: `record` is what it will be remembered as. */
export interface PlannedWrite {
  placement: Placement;
  record: InstallationRecord;
  /** Of what is written as a copy or a section. */
  digest: string;
  /** What of ours it takes the place of. */
  replaces: InstallationRecord | undefined;
  /** What other records say of the same thing. */
  sharers: Neighbour[];
}

export interface PlacingContext {
  context: Context;
  config: Config;
  profile: Profile;
  installName: string;
  item: InstallItem;
  fetched: FetchedVersion;
  /** The skill's cache folder. */
  cache: string;
  /** What is decided already. */
  plans: PlannedWrite[];
  warnings: string[];
}

export type Placed = PlannedWrite | Refusal;

/** A place that the user asked for. */
export async function placeWanted(at: PlacingContext, wanted: WantedInstall): Promise<Placed> {
  const placement = await freePlacement(at, wanted);
  if ("refused" in placement) return placement;
  const replaces = at.profile.installed[at.installName]?.installs.find((record) =>
    isSamePlace(record, wanted),
  );
  if (placement.shape === "file" && placement.hint !== undefined && (await isNeeded(placement.hint)))
    at.warnings.push(placement.hint.text);
  return plan(at, placement, wanted, chooseMethod(at, placement, wanted), replaces);
}

/** A place that holds the skill already; it keeps its path and method where it still can. */
export async function placeAgain(at: PlacingContext, record: InstallationRecord): Promise<Placed> {
  const { method: _, ...anew } = record;
  const placement = placementFor(at.item, at.context, record);
  if ("refused" in placement) return placement;
  const possible: readonly InstallMethod[] = placement.methods;
  if (
    record.format === at.item.format &&
    possible.includes(record.method) &&
    isNamed(record, placement, at)
  ) {
    // A folder that was moved by a variable stays where it was put.
    const same = { ...placement, path: record.path };
    const trouble = (await leavesProject(same, record)) ?? (await sectionTrouble(same, at.installName));
    return trouble ?? plan(at, same, record, record.method, record);
  }
  const free = await freePlacement(at, anew);
  return "refused" in free ? free : plan(at, free, anew, chooseMethod(at, free, anew), record);
}

export function isSamePlace(record: InstallationRecord, wanted: WantedInstall): boolean {
  return (
    record.platform === wanted.platform &&
    record.scope === wanted.scope &&
    record.projectDir === wanted.projectDir
  );
}

/** The item that the targets place; D7: a package's own name is its folder's name where that is possible. */
export function itemOf(
  fetched: FetchedVersion,
  installName: string,
  ownName: string | undefined,
): InstallItem {
  const { skill, content } = fetched;
  return {
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
  const place: InstallPlace = {
    ...machineOf(context),
    scope: where.scope,
    ...(where.projectDir === undefined ? {} : { projectDir: where.projectDir }),
  };
  return definition.place(item, place);
}

/** The placement, if everything about its destination allows it to be written there. */
async function freePlacement(at: PlacingContext, wanted: WantedInstall): Promise<Placement | Refusal> {
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
  const blocked = await whatBlocks(placement.path);
  if (blocked !== undefined) return { refused: blocked };
  return (
    (await leavesProject(placement, wanted)) ?? (await sectionTrouble(placement, at.installName)) ?? placement
  );
}

/** Whether a record's path is still how the thing is called there: a text that became a rule lies elsewhere. */
function isNamed(record: InstallationRecord, placement: Placement, { installName }: PlacingContext): boolean {
  const name = basename(record.path);
  if (name === basename(placement.path)) return true;
  return placement.shape === "folder" && placement.content === "package" && name === installName;
}

/** Links for what tools follow links to, except texts on Windows, where links need a privilege. */
function chooseMethod(at: PlacingContext, placement: Placement, wanted: WantedInstall): InstallMethod {
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
  at: PlacingContext,
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
    await tellOfStray(at, path, placement.block);
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

/** Why a destination is not ours to write to. */
async function occupant(
  at: PlacingContext,
  placement: Placement,
  wanted: WantedInstall,
): Promise<string | undefined> {
  // A section has its own markers inside the shared file.
  if (placement.shape === "section") return undefined;
  const { path } = placement;
  const real = await realPlace(path, "whole");
  for (const { placement: other, record } of at.plans)
    if (
      other.shape !== "section" &&
      !isSamePlace(record, wanted) &&
      (await realPlace(other.path, "whole")) === real
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
  // A record that got lost: the very bytes that would be written are ours to keep.
  const same = (await digestOfPath(path)) === digestOfPlacement(placement, at.fetched);
  return same && wanted.method !== "symlink" ? undefined : foreign;
}

/**
 * A project may be somebody else's, and its links lead where they want: nothing is written behind one that leaves it, as an
 * AGENTS.md that is a shell's start-up file would, nor into the folder of Git.
 */
async function leavesProject(
  { path, shape }: Placement,
  { projectDir }: WantedInstall,
): Promise<Refusal | undefined> {
  if (projectDir === undefined) return undefined;
  const root = await realpath(projectDir).catch(() => projectDir);
  const real = await realPlace(path, shape === "section" ? "section" : "whole");
  const isWithin = isInside(real, root) && !relative(root, real).toLowerCase().split(sep).includes(".git");
  return isWithin ? undefined : { refused: `${path} leads out of the project, to ${real}` };
}

/** What stands where a folder should be on the way to a destination, as the single-file form of `.clinerules`. */
async function whatBlocks(path: string): Promise<string | undefined> {
  for (let at = dirname(path); ; at = dirname(at)) {
    const info = await stat(at).catch(() => undefined);
    if (info?.isDirectory() === true) return undefined;
    if (info !== undefined) return `${at} is a file, so that nothing can be put into it`;
    if ((await lstat(at).catch(() => undefined)) !== undefined) return `${at} is a link that leads nowhere`;
    if (dirname(at) === at) return undefined;
  }
}

/** Why a section cannot go into its file; nothing is written then. */
async function sectionTrouble(placement: Placement, installName: string): Promise<Refusal | undefined> {
  if (placement.shape !== "section") return undefined;
  const { path, block, limit } = placement;
  try {
    const present = await readTextFile(path);
    if (present === undefined && (await isThere(path)))
      return { refused: `${path} is a link that leads nowhere` };
    const edit = applySection(present, installName, block);
    if ("refused" in edit) return { refused: `${path}: ${edit.refused}` };
    return limit !== undefined && characterCount(edit.text) > limit.characters
      ? { refused: limit.refusal }
      : undefined;
  } catch (error) {
    const reason = messageOf(error);
    return { refused: reason.includes(path) ? reason : `${path}: ${reason}` };
  }
}

/** A section that no record is about, as in a file that another machine's svc wrote: replaced, and not silently. */
async function tellOfStray(at: PlacingContext, path: string, block: string): Promise<void> {
  const stray = readSection((await readTextFile(path)) ?? "", at.installName);
  if (stray !== undefined && stray !== sectionContent(block))
    at.warnings.push(`${path} held another section for ${at.installName}, which is replaced`);
}

async function isNeeded({ unless }: Hint): Promise<boolean> {
  const texts = await Promise.all(unless.files.map((file) => readTextFile(file).catch(() => undefined)));
  return !texts.some((text) => text !== undefined && unless.says.test(text));
}

/** What `digestOfPath` or `digestOfSection` finds once the placement is written as a copy or section. */
function digestOfPlacement(placement: Placement, fetched: FetchedVersion): string {
  if (placement.shape === "section") return digestOfText(sectionContent(placement.block));
  if (placement.shape === "file") return digestOfText(placement.content.text);
  if (placement.content !== "package")
    return digestOfFiles([{ path: placement.content.file, sha256: digestOfText(placement.content.text) }]);
  return digestOfFiles(fetched.content.format === "package" ? fetched.content.manifest.files : []);
}
