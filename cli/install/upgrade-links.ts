/**
 * Upgrades the cache of config format 1, in which the links of projects lead to the same files as those of the user
 * level. Each link in a project gets the same bytes in the folder of its version, so that later changes elsewhere don't
 * reach it.
 */
import { copyFile, lstat, mkdir, readFile, readdir } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { Target } from "../../contract/vocabulary.ts";
import { temporaryName } from "../state/atomic.ts";
import {
  cacheFolder,
  contentFolder,
  readMeta,
  renderedEntry,
  saveMeta,
  versionsFolder,
} from "../state/cache.ts";
import type { Config, InstallationRecord } from "../state/config.ts";
import type { StatePaths } from "../state/paths.ts";
import { isThere } from "./locations/digest.ts";
import { copyTree, isInside, linkTarget, linkType, moveIntoPlace, replaceLink } from "./locations/files.ts";

/**
 * A link that can't be changed, such as one on an unmounted disk, stays; the next `pull` in its project replaces it.
 */
export async function upgradeLinks({ profiles }: Config, paths: StatePaths): Promise<void> {
  for (const { installed } of Object.values(profiles))
    for (const [installName, { installs }] of Object.entries(installed))
      for (const record of installs)
        await upgradeLink(cacheFolder(paths, installName), record).catch(() => undefined);
}

async function upgradeLink(cache: string, record: InstallationRecord): Promise<void> {
  if (record.projectDir === undefined || record.method !== "symlink") return;
  const target = await linkTarget(record.path);
  if (target === undefined || !isInside(target, cache) || isInside(target, versionsFolder(cache))) return;
  const meta = await readMeta(cache);
  if (meta?.hash !== record.hash || meta.version !== record.version) return;

  const { path: folder } = contentFolder(cache, record);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const [entry = "", ...file] = relative(cache, target).split(sep);
  const original = meta.format === "package" ? "pkg" : "raw.md";
  const names = meta.format === "package" ? ["manifest.json", "pkg"] : ["raw.md"];
  for (const name of names) await copyOnce(join(cache, name), join(folder, name));
  const digests = { [original]: meta.digests[original] ?? "" };
  const linked = entry === original ? entry : await copyRendered(cache, record.platform, folder);
  digests[linked] = meta.digests[entry] ?? "";

  const before = await readMeta(folder);
  const { pending: _, ...about } = meta;
  await saveMeta(folder, { ...about, digests: { ...before?.digests, ...digests } });
  const kind = (await lstat(target)).isDirectory() ? "dir" : "file";
  await replaceLink(record.path, join(folder, linked, ...file), linkType(kind, process.platform));
}

/** Copies a target's rendered file, and returns its folder relative to the content folder. */
async function copyRendered(cache: string, target: Target, folder: string): Promise<string> {
  const [file = ""] = await readdir(join(cache, target));
  const text = await readFile(join(cache, target, file), "utf8");
  const entry = renderedEntry({ path: folder, isShared: true }, target, text);
  await copyOnce(join(cache, target), join(folder, entry));
  return entry;
}

/** Copies a file or folder, unless an earlier run has done so. */
async function copyOnce(from: string, to: string): Promise<void> {
  if (await isThere(to)) return;
  await mkdir(dirname(to), { recursive: true });
  const fresh = temporaryName(to, "new");
  if ((await lstat(from)).isDirectory()) {
    await mkdir(fresh);
    await copyTree(from, fresh);
  } else await copyFile(from, fresh);
  await moveIntoPlace(fresh, to);
}
