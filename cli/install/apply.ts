/**
 * Applies one version of a skill to its cache, install locations and records. Runs with the state's lock held.
 *
 * Order: records first (with the digests of both the old and the new form), then the cache, then the tools, then the
 * final records. An interrupted run leaves locations in their old or new form, all of them recorded, so that the next
 * `pull` updates them to one version.
 */
import type { Context } from "../context.ts";
import type { StateChange } from "../state/state.ts";
import { type AnnouncedVersion, type Applied, type ApplyOptions, announceVersion } from "./announce.ts";
import type { FetchedVersion } from "./fetch.ts";
import { removeUnusedVersions } from "./pins/unused-versions.ts";
import type { WantedInstall } from "./plan/placement.ts";
import type { ReportedLocation } from "./report.ts";

/** The locations that now have the applied version, for the report. */
export function reportedLocations(applied: Applied, { skill, version }: FetchedVersion): ReportedLocation[] {
  return applied.locations
    .filter(({ outcome }) => outcome === "written" || outcome === "unchanged")
    .map(({ record: { platform, scope, range } }) => ({
      publicId: skill.publicId,
      platform,
      scope,
      version: version.version,
      range,
    }));
}

/** Throws only if nothing was changed, or if the cache could not be written. */
export async function applyVersion(
  context: Context,
  state: StateChange,
  fetched: FetchedVersion,
  wanted: readonly WantedInstall[],
  options: ApplyOptions,
): Promise<Applied> {
  const [result] = await applyVersions(context, state, [{ fetched, wanted, options }]);
  if (result instanceof Error) throw result;
  return result!;
}

/**
 * Applies several versions with two writes of the config. The results are in their order, with the error of a version
 * that was not applied. `onApplied` is called as soon as a version is written.
 */
export async function applyVersions(
  context: Context,
  state: StateChange,
  versions: readonly VersionToApply[],
  onApplied?: (applied: Applied, fetched: FetchedVersion) => void,
): Promise<(Applied | Error)[]> {
  const announced: (Applied | Error | AnnouncedVersion)[] = [];
  for (const { fetched, wanted, options } of versions)
    announced.push(await announceVersion(context, state, fetched, wanted, options).catch(toError));
  if (!announced.some(isAnnounced)) return announced as (Applied | Error)[];
  await state.save();
  const results: (Applied | Error)[] = [];
  for (const [i, one] of announced.entries()) {
    const result = isAnnounced(one) ? await one.complete().catch(toError) : one;
    results.push(result);
    if (!(result instanceof Error)) onApplied?.(result, versions[i]!.fetched);
  }
  await state.save();
  for (const result of results)
    if (!(result instanceof Error)) await removeUnusedVersions(state.config, state.paths, result.installName);
  return results;
}

export interface VersionToApply {
  fetched: FetchedVersion;
  wanted: readonly WantedInstall[];
  options: ApplyOptions;
}

const isAnnounced = (one: Applied | Error | AnnouncedVersion): one is AnnouncedVersion => "complete" in one;
const toError = (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown)));
