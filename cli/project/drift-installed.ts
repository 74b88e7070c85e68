/** Deviations of an installed skill, at its locations and in the cache, from what svc wrote. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { canonicalContent } from "../../contract/package-rules.ts";
import type { ManifestFile } from "../../contract/payloads/skills.ts";
import type { DriftKind } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import { messageOf } from "../errors.ts";
import { digestOfFiles, digestOfPath, digestOfText } from "../install/digest.ts";
import { inspectRecord } from "../install/record.ts";
import { cacheFolder, cachedPackage, inspectCache } from "../state/cache.ts";
import type { InstallationRecord, InstalledSkill } from "../state/config.ts";
import { statePaths } from "../state/paths.ts";
import type { Drift, Installed } from "./drift.ts";

export async function driftOfSkill(
  context: Context,
  [installName, skill, records]: Installed,
): Promise<Drift[]> {
  const drift: Drift[] = [];
  const cache = cacheFolder(statePaths(context.home), installName);
  const fault = await faultOfCache(cache, skill).catch(messageOf);
  if (fault !== undefined)
    drift.push({ kind: "cache", skill: installName, path: cache, message: `${cache} ${fault}` });
  for (const record of records) {
    const { platform, path } = record;
    const report = (kind: DriftKind, message: string) =>
      drift.push({ kind, skill: installName, platform, path, message });
    try {
      const state = await inspectRecord(record, installName, cache);
      if (state === "edited") report("edited", `${path} is not as svc left it`);
      else if (state === "missing" || !(await leadsSomewhere(record)))
        report("missing", `${path} is recorded, and not there`);
      else if (state === "stale" || record.outdated === true)
        report("stale", `${path} has an earlier version: run svc pull`);
    } catch (error) {
      report("unreadable", `${path} cannot be looked at: ${messageOf(error)}`);
    }
  }
  return drift;
}

/** A dangling link counts as a missing file. */
async function leadsSomewhere({ method, path }: InstallationRecord): Promise<boolean> {
  return method !== "symlink" || (await digestOfPath(path)) !== undefined;
}

/** The problem of the cached version, including a mismatch with the service's digest. */
async function faultOfCache(cache: string, { format, hash }: InstalledSkill): Promise<string | undefined> {
  const { meta, state } = await inspectCache(cache);
  if (state === "edited") return "was edited, maybe through a link";
  if (state !== "intact" || meta === undefined) return "is not whole: svc pull repairs it";
  if (meta.hash !== hash) return "has another version than the installed one";
  const isThat =
    format === "markdown"
      ? (await digestOfPath(join(cache, "raw.md"))) === hash
      : await isPackage(cache, hash);
  return isThat ? undefined : "differs from the bytes of the version";
}

async function isPackage(cache: string, hash: string): Promise<boolean> {
  try {
    const { files } = JSON.parse(await readFile(join(cache, "manifest.json"), "utf8")) as {
      files: ManifestFile[];
    };
    return (
      digestOfText(canonicalContent(files)) === hash &&
      digestOfFiles(files) === (await digestOfPath(cachedPackage(cache)))
    );
  } catch {
    return false;
  }
}
