/** Installation records: comparison with the files on disk, and removal. */
import { lstat, rm, rmdir } from "node:fs/promises";
import { dirname, relative, sep } from "node:path";
import { hasCode } from "../../errors.ts";
import {
  type CacheMeta,
  type CacheState,
  contentFolder,
  inspectCache,
  versionsFolder,
} from "../../state/cache.ts";
import type { Config, InstallationRecord } from "../../state/config.ts";
import { digestOfPath, digestOfSection, isThere } from "../locations/digest.ts";
import { isInside, linkTarget, readTextFile, writeWhole } from "../locations/files.ts";
import { handOver, sharersOf } from "../locations/same-location.ts";
import { removeSection } from "../locations/section.ts";
import { checkInsideProject } from "../plan/destination.ts";

/** `stale`: an interrupted run was about to replace it. `edited`: it differs from what svc wrote. */
export type RecordState = "intact" | "stale" | "missing" | "edited";

/** `cache` is the skill's cache folder. */
export async function inspectRecord(
  record: InstallationRecord,
  installName: string,
  cache: string,
): Promise<RecordState> {
  if (record.method === "symlink") {
    const target = await linkTarget(record.path);
    if (target === undefined) return inspectInsteadOfLink(record);
    if (!isInside(target, cache)) return "edited";
    return leadsToContent(target, record, cache) ? "intact" : "stale";
  }
  const link = record.method === "copy" ? await linkTarget(record.path) : undefined;
  if (link !== undefined)
    return record.previousVersion !== undefined && isInside(link, cache) ? "stale" : "edited";
  const digest =
    record.method === "section"
      ? await digestOfSection(record.path, installName)
      : await digestOfPath(record.path);
  if (digest === undefined) return "missing";
  if (digest === record.digest) return "intact";
  return digest === record.previousDigest ? "stale" : "edited";
}

/** The state of a recorded link where there is none: an interrupted run was about to replace a copy by it. */
async function inspectInsteadOfLink({ path, previousDigest }: InstallationRecord): Promise<RecordState> {
  if (!(await isThere(path))) return "missing";
  return previousDigest !== undefined && (await digestOfPath(path)) === previousDigest ? "stale" : "edited";
}

/** Whether a link leads to the content of its record's version. */
function leadsToContent(target: string, record: InstallationRecord, cache: string): boolean {
  const { path, isShared } = contentFolder(cache, record);
  return isInside(target, path) && (isShared || !isInside(target, versionsFolder(cache)));
}

/** The content folder of the records that was edited through a link, if any. `cache` is the skill's cache folder. */
export async function findEditedContent(
  cache: string,
  records: readonly InstallationRecord[],
): Promise<string | undefined> {
  for (const folder of new Set(records.map((record) => contentFolder(cache, record).path))) {
    const own = records.filter((record) => contentFolder(cache, record).path === folder);
    if ((await inspectContent(cache, own)).state === "edited") return folder;
  }
  return undefined;
}

/** The cached content of installs in one version of one scope. `cache` is the skill's cache folder. */
export async function inspectContent(
  cache: string,
  records: readonly InstallationRecord[],
): Promise<{ folder: string; meta: CacheMeta | undefined; state: CacheState }> {
  const { path: folder, isShared } = contentFolder(cache, records[0]!);
  const { meta, state } = await inspectCache(folder, await linkedEntries(records, folder));
  // Content that another project edited through its link is no edit of a project that has copies.
  const isForeign = isShared && records.every(({ method }) => method !== "symlink");
  return { folder, meta, state: state === "edited" && isForeign ? "intact" : state };
}

/** The entries of a content folder that the links of records lead to. Links that lead elsewhere have none. */
async function linkedEntries(records: readonly InstallationRecord[], folder: string): Promise<string[]> {
  const entries: string[] = [];
  for (const { method, path } of records) {
    const target = method === "symlink" ? await linkTarget(path) : undefined;
    if (target === undefined || !isInside(target, folder)) continue;
    const inside = relative(folder, target).split(sep);
    // A link to a rendered file, or to its folder.
    entries.push(inside.join("/"), inside.slice(0, -1).join("/"));
  }
  return entries;
}

/**
 * Removes an installation with the folders that were created for it, unless another record needs it. If it differs from
 * what svc wrote, it stays, and the reason is returned.
 */
export async function removeInstallation(
  config: Config,
  record: InstallationRecord,
  installName: string,
  cache: string,
  force: boolean,
): Promise<string | undefined> {
  if ((await sharersOf(config, installName, record)).length === 0) {
    const outside = await leadsOut(record);
    if (outside === undefined) {
      const kept = await takeAway(record, installName, cache, force);
      if (kept !== undefined) return kept;
      await removeMadeFolders(record);
    } else if ((await inspectRecord(record, installName, cache)) !== "missing") return outside;
  }
  await handOver(config, record);
  return undefined;
}

/**
 * The reason why a project's location must not be changed: since the install, a link has replaced a folder on its path,
 * and it may lead to another project.
 */
export async function leadsOut({
  path,
  method,
  projectDir,
}: InstallationRecord): Promise<string | undefined> {
  const shape = method === "section" ? "section" : "folder";
  return (await checkInsideProject({ path, shape }, projectDir))?.refused;
}

async function takeAway(
  record: InstallationRecord,
  installName: string,
  cache: string,
  force: boolean,
): Promise<string | undefined> {
  const state = await inspectRecord(record, installName, cache);
  if (state === "missing") return undefined;
  if (record.method === "symlink") {
    if (state === "edited") return `${record.path} is no longer the link that svc made`;
    await rm(record.path, { recursive: true, maxRetries: 3 });
    return undefined;
  }
  if (state === "edited" && !force)
    return `${record.path} was edited after svc installed it; use --force to remove it all the same`;
  if (record.method === "copy") {
    await rm(record.path, { recursive: true, force: true, maxRetries: 3 });
    return undefined;
  }
  const text = (await readTextFile(record.path)) ?? "";
  const edit = removeSection(text, installName);
  if ("refused" in edit) return `${record.path}: ${edit.refused}`;
  if (record.createdFile === true && /^\uFEFF?\s*$/.test(edit.text) && (await lstat(record.path)).isFile())
    await rm(record.path);
  else if (edit.text !== text) await writeWhole(record.path, edit.text);
  return undefined;
}

/** Removes the folders that were created for a record, innermost first, up to the first one that is not empty. */
export async function removeMadeFolders({
  path,
  createdFolder,
}: Pick<InstallationRecord, "path" | "createdFolder">): Promise<void> {
  if (createdFolder === undefined) return;
  for (let at = dirname(path); isInside(at, createdFolder); at = dirname(at))
    try {
      await rmdir(at);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) return;
    }
}

/** The record as JSON output shows it, without internal fields. */
export function presentRecord(record: InstallationRecord) {
  const { platform, scope, method, path, projectDir, range, version, semver, format, installedAt } = record;
  const { shared, also } = record;
  return {
    platform,
    scope,
    method,
    path,
    projectDir,
    pin: range,
    version,
    semver,
    format,
    installedAt,
    shared,
    also,
  };
}
