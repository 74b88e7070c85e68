/** A skill to restore from a lock, and the result for it. */
import type { Target } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import type { Applied } from "../install/announce.ts";
import type { FailedTarget, SkippedTarget } from "../install/plan/plan-version.ts";
import { inspectContent, inspectRecord, presentRecord } from "../install/records/record.ts";
import { findScope } from "../install/records/scopes.ts";
import { cacheFolder } from "../state/cache.ts";
import type { CachedVersion, InstallationRecord, InstalledSkill, Profile } from "../state/config.ts";
import { statePaths } from "../state/paths.ts";
import { alsoLocations, isInSharedFolder } from "../targets/locate.ts";
import type { LockedSkill } from "./lock.ts";

/** One skill of the lock, with the targets to restore. */
export interface WantedSkill {
  ref: string;
  locked: LockedSkill;
  targets: readonly Target[];
}

export interface RestoredSkill {
  skill: string;
  publicId: string;
  tenantSlug: string;
  installName: string;
  outcome: "installed" | "updated" | "repaired" | "upToDate" | "partial" | "failed";
  version: number;
  semver: string;
  installed: ReturnType<typeof presentRecord>[];
  skipped: SkippedTarget[];
  /** Targets that could not be written; `pull` in the project tries them again. */
  failed: FailedTarget[];
  warnings: string[];
}

export function findByPublicId(
  profile: Profile | undefined,
  publicId: string,
): [string, InstalledSkill] | undefined {
  return Object.entries(profile?.installed ?? {}).find(([, skill]) => skill.publicId === publicId);
}

export function holdsVersion({ version, hash }: CachedVersion, locked: LockedSkill): boolean {
  return version === locked.version && hash === locked.digest;
}

/** Whether an install is in the shared folder, or not, as the lock has it. */
export function isAsLocked({ platform, shared, also }: InstallationRecord, locked: LockedSkill): boolean {
  const isShared = isInSharedFolder({ platform, isShared: locked.shared === true, also }, locked);
  return isShared === (shared === true);
}

/** The targets that have the skill in any location. */
export function lockedPlatforms({ targets, also = new Map() }: LockedSkill): Target[] {
  return [
    ...new Set([...targets.keys(), ...[...also.keys()].map((name) => alsoLocations.get(name)!.platform)]),
  ];
}

/** The locked further locations of the targets to restore. */
export function furtherLocations({ also = new Map() }: LockedSkill, targets: readonly Target[]) {
  return [...also].flatMap(([name, method]) => {
    const { platform } = alsoLocations.get(name)!;
    return targets.includes(platform) ? [{ also: name, platform, method }] : [];
  });
}

/** Whether the skill is intact in the locked version at every wanted location. */
export async function isRestored(
  context: Context,
  profile: Profile | undefined,
  folder: string,
  { locked, targets }: WantedSkill,
): Promise<boolean> {
  const [installName, skill] = findByPublicId(profile, locked.publicId) ?? [];
  const scope = findScope(skill, folder);
  if (installName === undefined || scope === undefined || !holdsVersion(scope, locked)) return false;
  const cache = cacheFolder(statePaths(context.home), installName);
  const { meta, state } = await inspectContent(cache, scope.current);
  if (state !== "intact" || meta?.hash !== locked.digest) return false;
  const { records } = scope;
  const isIn = (also: string | undefined, platform: Target) =>
    records.some(
      (record) => record.also === also && record.platform === platform && isAsLocked(record, locked),
    );
  const further = furtherLocations(locked, targets).map(({ also, platform }) => isIn(also, platform));
  const atDefault = targets.filter((target) => locked.targets.has(target));
  if (!atDefault.every((target) => isIn(undefined, target)) || further.includes(false)) return false;
  for (const record of records)
    if (record.outdated === true || (await inspectRecord(record, installName, cache)) !== "intact")
      return false;
  return true;
}

/** The result for a skill that is restored already. */
export function upToDate(
  profile: Profile | undefined,
  folder: string,
  { ref, locked, targets }: WantedSkill,
): RestoredSkill {
  const [installName, skill] = findByPublicId(profile, locked.publicId)!;
  const installed = skill.installs
    .filter(({ projectDir, platform }) => projectDir === folder && targets.includes(platform))
    .map(presentRecord);
  const { publicId, version, semver } = locked;
  const { tenantSlug } = skill;
  return {
    skill: ref,
    publicId,
    tenantSlug,
    installName,
    outcome: "upToDate",
    version,
    semver,
    installed,
    skipped: [],
    failed: [],
    warnings: [],
  };
}

/** The result for an applied version; `whole` is its outcome if no target was skipped. */
export function summarise(
  applied: Applied,
  targets: readonly Target[],
  whole: RestoredSkill["outcome"],
): Pick<RestoredSkill, "installName" | "outcome" | "installed" | "skipped" | "failed" | "warnings"> {
  const skipped = [...applied.skipped];
  const failed: FailedTarget[] = [];
  const installed = [];
  const warnings = [...applied.warnings];
  for (const { record, outcome, reason = outcome } of applied.locations) {
    const isIn = outcome === "written" || outcome === "unchanged";
    const { platform, path } = record;
    if (outcome === "failed") failed.push({ platform, path, error: reason });
    else if (!targets.includes(platform)) {
      if (!isIn) warnings.push(reason);
    } else if (isIn) installed.push(presentRecord(record));
    else skipped.push({ platform, reason });
  }
  const { installName } = applied;
  const missing = skipped.length + failed.length;
  const outcome = missing === 0 ? whole : installed.length === 0 ? "failed" : "partial";
  return { installName, outcome, installed, skipped, failed, warnings };
}
