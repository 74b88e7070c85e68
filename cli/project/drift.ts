/**
 * Deviations from what was installed, or from a project's lock. Reads the local state, every location, and
 * the bytes of the cache; changes nothing.
 */
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { canonicalContent } from "../../contract/package-rules.ts";
import type { ManifestFile } from "../../contract/payloads/skills.ts";
import type { DriftKind, Target } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import { messageOf } from "../errors.ts";
import { digestOfFiles, digestOfPath, digestOfSection, digestOfText, isThere } from "../install/digest.ts";
import { isInside, linkTarget, readTextFile } from "../install/files.ts";
import { inspectRecord } from "../install/record.ts";
import { cacheFolder, cachedPackage, inspectCache } from "../state/cache.ts";
import type { Config, InstallationRecord, InstalledSkill } from "../state/config.ts";
import { statePaths } from "../state/paths.ts";
import { describeDifference, differencesOf } from "./compare.ts";
import type { Project } from "./files.ts";
import { groundsOf, locateInProject } from "./locations.ts";

export interface Drift {
  kind: DriftKind;
  /** The reference in the lock, or the install name. */
  skill: string;
  platform?: Target;
  path?: string;
  message: string;
}

export interface DriftReport {
  drift: Drift[];
  checked: { skills: number; places: number };
}

/** A skill with the records to check. */
type Installed = [installName: string, skill: InstalledSkill, records: readonly InstallationRecord[]];

/** `scope`: one project, or all installs of the profile. `project` is compared with its lock. */
export async function findDrift(
  context: Context,
  config: Config,
  profile: string,
  scope: { folder: string | undefined; project: Project },
): Promise<DriftReport> {
  const drift: Drift[] = [];
  const installed = Object.entries(config.profiles[profile]?.installed ?? {}).flatMap(
    ([installName, skill]): Installed[] => {
      const records = skill.installs.filter(
        ({ projectDir }) => scope.folder === undefined || projectDir === scope.folder,
      );
      return records.length === 0 ? [] : [[installName, skill, records]];
    },
  );
  for (const one of installed) drift.push(...(await driftOfSkill(context, one)));
  drift.push(...(await driftFromLock(context, scope.project, installed)));
  const projects = new Set(
    installed.flatMap(([, , records]) => records.flatMap(({ projectDir }) => projectDir ?? [])),
  );
  const grounds =
    scope.folder === undefined ? [undefined, ...projects.add(scope.project.folder)] : [scope.folder];
  for (const folder of grounds) drift.push(...(await unrecordedEntries(context, config, folder)));
  const places = installed.reduce((sum, [, , records]) => sum + records.length, 0);
  return { drift, checked: { skills: installed.length, places } };
}

async function driftOfSkill(context: Context, [installName, skill, records]: Installed): Promise<Drift[]> {
  const drift: Drift[] = [];
  const cache = cacheFolder(statePaths(context.home), installName);
  const fault = await faultOfCache(cache, skill).catch(messageOf);
  if (fault !== undefined)
    drift.push({ kind: "cache", skill: installName, path: cache, message: `${cache} ${fault}` });
  for (const record of records) {
    const { platform, path } = record;
    const tell = (kind: DriftKind, message: string) =>
      drift.push({ kind, skill: installName, platform, path, message });
    try {
      const state = await inspectRecord(record, installName, cache);
      if (state === "edited") tell("edited", `${path} is not as svc left it`);
      else if (state === "missing" || !(await leadsSomewhere(record)))
        tell("missing", `${path} is recorded, and not there`);
      else if (state === "stale" || record.outdated === true)
        tell("stale", `${path} has an earlier version: run svc pull`);
    } catch (error) {
      tell("unreadable", `${path} cannot be looked at: ${messageOf(error)}`);
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

async function driftFromLock(
  context: Context,
  { folder, manifest, lock, lockText }: Project,
  installed: readonly Installed[],
): Promise<Drift[]> {
  const drift: Drift[] = [];
  const canTake = (skill: Parameters<typeof locateInProject>[2], target: Target) =>
    !("refused" in locateInProject(context, folder, skill, target));
  for (const difference of differencesOf(manifest, lock ?? new Map(), canTake))
    drift.push({ kind: "manifest", skill: difference.skill, message: describeDifference(difference) });
  if (lockText === undefined || lock === undefined) return drift;

  const here = (records: readonly InstallationRecord[]) =>
    records.filter(({ projectDir }) => projectDir === folder);
  for (const [ref, locked] of lock) {
    if (manifest !== undefined && !manifest.skills.has(ref)) continue;
    const found = installed.find(([, skill]) => skill.publicId === locked.publicId);
    const records = here(found?.[2] ?? []);
    const skill = found?.[1];
    if (skill !== undefined && records.length > 0) {
      if (skill.version !== locked.version)
        drift.push({
          kind: "version",
          skill: ref,
          message: `${ref} is installed in ${skill.semver}, and svc.lock has ${locked.semver}`,
        });
      else if (skill.hash !== locked.digest)
        drift.push({
          kind: "digest",
          skill: ref,
          message: `${ref} ${locked.semver} has another digest than in svc.lock`,
        });
    }
    for (const platform of locked.targets.keys()) {
      if (records.some((record) => record.platform === platform)) continue;
      drift.push({
        kind: "notInstalled",
        skill: ref,
        platform,
        message: `${ref} is not installed for ${platform}: svc restore`,
      });
      const path = await foreignPath(context, folder, locked, platform);
      if (path !== undefined)
        drift.push({
          kind: "unrecorded",
          skill: ref,
          platform,
          path,
          message: `${path} is there, and no record of it`,
        });
    }
    for (const { platform, path } of records)
      if (!locked.targets.has(platform))
        drift.push({
          kind: "notLocked",
          skill: ref,
          platform,
          path,
          message: `${path} is installed, and svc.lock does not have ${ref} for ${platform}`,
        });
  }
  const named = new Set(
    [...lock].flatMap(([ref, { publicId }]) =>
      manifest === undefined || manifest.skills.has(ref) ? [publicId] : [],
    ),
  );
  for (const [installName, skill, records] of installed)
    for (const { platform, path } of named.has(skill.publicId) ? [] : here(records))
      drift.push({
        kind: "notLocked",
        skill: installName,
        platform,
        path,
        message: `${path} is installed, and svc.lock does not name ${installName}`,
      });
  return drift;
}

/** An unrecorded file at the path of a locked skill. */
async function foreignPath(
  context: Context,
  folder: string,
  locked: Parameters<typeof locateInProject>[2],
  platform: Target,
): Promise<string | undefined> {
  const placement = locateInProject(context, folder, locked, platform);
  if ("refused" in placement) return undefined;
  const { path, shape } = placement;
  const found =
    shape === "section"
      ? (await digestOfSection(path, locked.installName)) !== undefined
      : (await isThere(path)) && (await linkTarget(path)) === undefined;
  return found ? path : undefined;
}

/** Links into the cache, and sections of svc, without a record in any profile. */
async function unrecordedEntries(
  context: Context,
  config: Config,
  folder: string | undefined,
): Promise<Drift[]> {
  const drift: Drift[] = [];
  const { cache } = statePaths(context.home);
  const known = Object.values(config.profiles).flatMap(({ installed }) =>
    Object.entries(installed).flatMap(([installName, { installs }]) =>
      installs.map(({ path, method }) => (method === "section" ? `${path}\0${installName}` : path)),
    ),
  );
  const { folders, sections } = groundsOf(context, folder);
  for (const ground of folders)
    for (const name of await readdir(ground).catch(() => [])) {
      const path = join(ground, name);
      const target = await linkTarget(path);
      if (target === undefined || !isInside(target, cache) || known.includes(path)) continue;
      const skill = target.slice(cache.length + 1).split(/[\\/]/)[0] ?? name;
      drift.push({
        kind: "unrecorded",
        skill,
        path,
        message: `${path} leads into the cache, and no record of it`,
      });
    }
  for (const path of sections) {
    const text = (await readTextFile(path).catch(() => undefined)) ?? "";
    for (const [, skill] of text.matchAll(/^<!-- svc:start:([a-z0-9-]+) -->[ \t]*\r?$/gm))
      if (!known.includes(`${path}\0${skill!}`))
        drift.push({
          kind: "unrecorded",
          skill: skill!,
          path,
          message: `${path} has a section for ${skill!}, and no record of it`,
        });
  }
  return drift;
}
