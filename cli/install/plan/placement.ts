/** The path and form of a skill on one target, and whether svc may write there. */
import type { InstallMethod, InstallScope, Target } from "../../../contract/vocabulary.ts";
import type { Context } from "../../context.ts";
import type { ContentFolder } from "../../state/cache.ts";
import type { Config, InstallationRecord, Profile } from "../../state/config.ts";
import { machineOf } from "../../targets/detect.ts";
import { isInSharedFolder, locate } from "../../targets/locate.ts";
import type { InstallItem, InstallLocation, Placement, Refusal } from "../../targets/target.ts";
import type { FetchedVersion } from "../fetch.ts";
import { digestOfFiles, digestOfPath, digestOfText, isThere } from "../locations/digest.ts";
import { isInside, linkTarget } from "../locations/files.ts";
import { type Neighbour, realLocation, recordsAt } from "../locations/same-location.ts";
import { sectionContent } from "../locations/section.ts";
import { checkInsideProject, checkSection, findBlockingFile } from "./destination.ts";

export interface WantedInstall {
  platform: Target;
  scope: InstallScope;
  projectDir?: string;
  method?: InstallMethod;
  /** The name of a further location of the target. */
  also?: string;
  /** The machine is set up for the further location, which was not requested: a refusal is not reported. */
  isImplied?: boolean;
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
  /** The pin to store. */
  range: string;
  /** The project to change, or undefined for the user level. */
  projectDir: string | undefined;
  /** The project records its skills in `svc.json`, so that its files are committed. */
  isRecorded: boolean;
  /** Targets that read the shared folder have the skill there, once. */
  isShared: boolean;
  /** The skill's cache folder. */
  cache: string;
  /** The folder in it for the version. */
  content: ContentFolder;
  /** Writes that are planned already. */
  plans: PlannedWrite[];
  /** Paths of shared folders that are written already. */
  written: Set<string>;
  warnings: string[];
}

export function isSameLocation(record: InstallationRecord, wanted: WantedInstall): boolean {
  return (
    record.platform === wanted.platform &&
    record.scope === wanted.scope &&
    record.projectDir === wanted.projectDir &&
    record.also === wanted.also
  );
}

/** The target's placement of an item, not yet compared with the disk. */
export function placementFor(
  { item, context, isShared }: Pick<PlanContext, "item" | "context" | "isShared">,
  where: WantedInstall,
): Placement | Refusal {
  const location: InstallLocation = {
    ...machineOf(context),
    scope: where.scope,
    projectDir: where.projectDir,
  };
  return locate(item, location, { platform: where.platform, isShared, also: where.also });
}

/** The placement, if its destination can be written. */
export async function freePlacement(at: PlanContext, wanted: WantedInstall): Promise<Placement | Refusal> {
  let placement = placementFor(at, wanted);
  if ("refused" in placement) return placement;
  let taken = await occupant(at, placement, wanted);
  if (taken !== undefined && at.item.packageName !== undefined && at.item.packageName !== at.installName) {
    const { packageName, ...plain } = at.item;
    const other = placementFor({ ...at, item: plain }, wanted);
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
  const isShared = isInSharedFolder({ ...wanted, isShared: at.isShared }, at.item);
  for (const { placement: other, record } of at.plans)
    if (
      other.shape !== "section" &&
      !isSameLocation(record, wanted) &&
      !isShared &&
      record.shared !== true &&
      (await realLocation(other.path, "whole")) === real
    )
      return `${path} is the same place as ${other.path}, where ${record.platform} gets it`;
  let isOurs = false;
  for (const { installName, record } of await recordsAt(at.config, path, "whole")) {
    if (installName !== at.installName) return `${path} belongs to the installed skill ${installName}`;
    if (record.platform !== wanted.platform && !isShared && record.shared !== true)
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

/** The result of `digestOfPath` or `digestOfSection` after the placement is written as a copy or section. */
export function digestOfPlacement(placement: Placement, fetched: FetchedVersion): string {
  if (placement.shape === "section") return digestOfText(sectionContent(placement.block));
  if (placement.shape === "file") return digestOfText(placement.content.text);
  if (placement.content !== "package")
    return digestOfFiles([{ path: placement.content.file, sha256: digestOfText(placement.content.text) }]);
  return digestOfFiles(fetched.content.format === "package" ? fetched.content.manifest.files : []);
}
