/** Deviations of an installed skill, at its locations and in the cache, from what svc wrote. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { canonicalContent } from "../../../contract/checks/package-rules.ts";
import type { ManifestFile } from "../../../contract/payloads/skills/skills.ts";
import type { DriftKind } from "../../../contract/vocabulary.ts";
import type { Context } from "../../context.ts";
import { messageOf } from "../../errors.ts";
import { digestOfFiles, digestOfPath, digestOfText } from "../../install/locations/digest.ts";
import { inspectContent, inspectRecord } from "../../install/records/record.ts";
import type { ScopeInstalls } from "../../install/records/scopes.ts";
import { cacheFolder, cachedPackage, contentFolder } from "../../state/cache.ts";
import type { InstallationRecord } from "../../state/config.ts";
import { statePaths } from "../../state/paths.ts";
import type { CheckedSkill, Drift } from "./drift.ts";
import { isMarkedByGh } from "./gh-skill.ts";

export async function driftOfSkill(
  context: Context,
  { installName, scopes }: CheckedSkill,
): Promise<Drift[]> {
  const cache = cacheFolder(statePaths(context.home), installName);
  const drift: Drift[] = [];
  for (const scope of scopes) drift.push(...(await driftOfScope(cache, installName, scope)));
  // Projects with the same version share its content.
  const messages = new Set<string>();
  return drift.filter(({ message }) => messages.size < messages.add(message).size);
}

async function driftOfScope(cache: string, installName: string, scope: ScopeInstalls): Promise<Drift[]> {
  const drift: Drift[] = [];
  const content = contentFolder(cache, scope).path;
  const fault = await faultOfCache(cache, scope).catch(messageOf);
  if (fault !== undefined)
    drift.push({ kind: "cache", skill: installName, path: content, message: `${content} ${fault}` });
  for (const record of scope.records) {
    const { platform, path } = record;
    const report = (kind: DriftKind, message: string) =>
      drift.push({ kind, skill: installName, platform, path, message });
    try {
      const state = await inspectRecord(record, installName, cache);
      if (state === "edited" && (await isMarkedByGh(record, installName, content))) continue;
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
async function faultOfCache(
  cache: string,
  { format, hash, current }: ScopeInstalls,
): Promise<string | undefined> {
  const { folder, meta, state } = await inspectContent(cache, current);
  if (state === "edited") return "was edited, maybe through a link";
  if (state !== "intact" || meta === undefined) return "is not whole: svc pull repairs it";
  if (meta.hash !== hash) return "has another version than the installed one";
  const isThat =
    format === "markdown"
      ? (await digestOfPath(join(folder, "raw.md"))) === hash
      : await isPackage(folder, hash);
  return isThat ? undefined : "differs from the bytes of the version";
}

async function isPackage(folder: string, hash: string): Promise<boolean> {
  try {
    const { files } = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")) as {
      files: ManifestFile[];
    };
    return (
      digestOfText(canonicalContent(files)) === hash &&
      digestOfFiles(files) === (await digestOfPath(cachedPackage(folder)))
    );
  } catch {
    return false;
  }
}
