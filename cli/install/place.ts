/** Deciding where a skill goes on one target: destination, method, and whether the place is free. */
import type { InstallMethod, InstallScope, Target } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import type { InstallationRecord, Profile } from "../state/config.ts";
import { targetDefinitions } from "../targets/index.ts";
import { isSkillFolderName } from "../targets/render.ts";
import type { InstallItem, InstallPlace, Placement } from "../targets/target.ts";
import { digestOfFiles, digestOfPath, digestOfText, isThere } from "./digest.ts";
import { linkTarget } from "./files.ts";
import { isInside } from "./record.ts";
import { sectionContent } from "./section.ts";
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
  /** What of ours it takes the place of. */
  replaces: InstallationRecord | undefined;
}

export interface PlacingContext {
  context: Context;
  profile: Profile;
  installName: string;
  item: InstallItem;
  fetched: FetchedVersion;
  /** The skill's cache folder. */
  cache: string;
  warnings: string[];
}

export type Placed = PlannedWrite | { refused: string };

/** A place that the user asked for. */
export async function placeWanted(at: PlacingContext, wanted: WantedInstall): Promise<Placed> {
  const definition = targetDefinitions.get(wanted.platform);
  if (definition === undefined)
    return { refused: `this version of svc does not install into ${wanted.platform} yet` };
  const place = placeOf(at.context, wanted);
  let placement = definition.place(at.item, place);
  if ("refused" in placement) return placement;
  let taken = await occupant(at, placement, wanted);
  if (taken !== undefined && at.item.packageName !== undefined && at.item.packageName !== at.installName) {
    const { packageName, ...plain } = at.item;
    const other = definition.place(plain, place);
    if (!("refused" in other) && (await occupant(at, other, wanted)) === undefined) {
      at.warnings.push(
        `${wanted.platform}: the folder is named ${at.installName}, because ${packageName} is taken`,
      );
      placement = other;
      taken = undefined;
    }
  }
  if (taken !== undefined) return { refused: taken };
  const replaces = at.profile.installed[at.installName]?.installs.find((record) =>
    isSamePlace(record, wanted),
  );
  return plan(at, placement, wanted, chooseMethod(at, placement, wanted), replaces);
}

/** A place that holds the skill already; it keeps its path and method. */
export function placeAgain(at: PlacingContext, record: InstallationRecord): Placed {
  const definition = targetDefinitions.get(record.platform);
  if (definition === undefined) return { refused: `this version of svc does not know ${record.platform}` };
  const placement = definition.place(at.item, placeOf(at.context, record));
  if ("refused" in placement) return placement;
  const keeps =
    record.format === at.item.format && (placement.methods as readonly string[]).includes(record.method);
  const wanted: WantedInstall = { ...record };
  return keeps
    ? plan(at, { ...placement, path: record.path }, wanted, record.method, record)
    : plan(at, placement, wanted, chooseMethod(at, placement, { ...wanted, method: undefined }), record);
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

function placeOf(context: Context, where: { scope: InstallScope; projectDir?: string }): InstallPlace {
  return {
    scope: where.scope,
    home: context.home,
    env: context.env,
    ...(where.projectDir === undefined ? {} : { projectDir: where.projectDir }),
  };
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

function plan(
  at: PlacingContext,
  placement: Placement,
  wanted: WantedInstall,
  method: InstallMethod,
  replaces: InstallationRecord | undefined,
): PlannedWrite {
  const digest = method === "symlink" ? undefined : digestOfPlacement(placement, at.fetched);
  return {
    placement,
    replaces,
    record: {
      platform: wanted.platform,
      scope: wanted.scope,
      method,
      path: placement.path,
      ...(wanted.projectDir === undefined ? {} : { projectDir: wanted.projectDir }),
      format: at.item.format,
      installedAt: at.context.now().toISOString(),
      ...(digest === undefined ? {} : { digest }),
      ...(replaces?.createdFile === true && replaces.path === placement.path ? { createdFile: true } : {}),
    },
  };
}

/** Why a destination is not ours to write to. */
async function occupant(
  at: PlacingContext,
  placement: Placement,
  wanted: WantedInstall,
): Promise<string | undefined> {
  const foreign = `${placement.path} already exists and was not created by svc`;
  for (const [name, skill] of Object.entries(at.profile.installed))
    for (const record of skill.installs) {
      if (record.path !== placement.path || record.method === "section") continue;
      if (name === at.installName) return undefined;
      return `${placement.path} belongs to the installed skill ${name}`;
    }
  // A section has its own markers inside the shared file.
  if (placement.shape === "section" || !(await isThere(placement.path))) return undefined;
  const target = await linkTarget(placement.path);
  if (target !== undefined) return isInside(target, at.cache) ? undefined : foreign;
  // A record that got lost: the very bytes that would be written are ours to keep.
  const same = (await digestOfPath(placement.path)) === digestOfPlacement(placement, at.fetched);
  return same && wanted.method !== "symlink" ? undefined : foreign;
}

/** What `digestOfPath` or `digestOfSection` finds once the placement is written as a copy or section. */
function digestOfPlacement(placement: Placement, fetched: FetchedVersion): string {
  if (placement.shape === "section") return digestOfText(sectionContent(placement.block));
  if (placement.shape === "file") return digestOfText(placement.content.text);
  if (placement.content !== "package")
    return digestOfFiles([{ path: placement.content.file, sha256: digestOfText(placement.content.text) }]);
  return digestOfFiles(fetched.content.format === "package" ? fetched.content.manifest.files : []);
}
