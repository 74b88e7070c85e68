/** Writes all locations of a planned version. */
import type { InstallationRecord, InstalledSkill } from "../../state/config.ts";
import { type PlanContext, isSameLocation } from "../plan/placement.ts";
import { type UnchangedLocation, type VersionPlan, outdated } from "../plan/plan-version.ts";
import { removeMadeFolders } from "../records/record.ts";
import { type WrittenLocation, writeLocation } from "./write.ts";

export type AppliedLocation = WrittenLocation | UnchangedLocation;

/** `gone`: the records of previous paths, which are to be removed. */
export async function writeLocations(
  at: PlanContext,
  { writes, unchanged, abandoned }: VersionPlan,
): Promise<{ locations: AppliedLocation[]; gone: InstallationRecord[] }> {
  const locations: AppliedLocation[] = [...unchanged];
  const gone = [...abandoned];
  for (const write of writes) {
    const done = await writeLocation(at, write);
    const { replaces } = write;
    if (done.outcome !== "failed") {
      locations.push(done);
      if (replaces !== undefined && replaces.path !== write.record.path) gone.push(replaces);
    } else locations.push({ ...done, record: replaces === undefined ? done.record : outdated(replaces) });
  }
  return { locations, gone };
}

/**
 * The locations to record. New ones that could not be written are recorded as outdated, so that `pull` retries them,
 * unless all failed. The folders created for them are removed.
 */
export async function keepKnown(
  locations: readonly AppliedLocation[],
  present: InstalledSkill | undefined,
): Promise<AppliedLocation[]> {
  const isKnown = ({ record }: AppliedLocation) =>
    present?.installs.some((known) => isSameLocation(known, record)) ?? false;
  const isNewFailure = (location: AppliedLocation) => location.outcome === "failed" && !isKnown(location);
  for (const { record } of locations.filter(isNewFailure)) await removeMadeFolders(record);
  if (locations.every(isNewFailure)) return [];
  return locations.map((location) =>
    isNewFailure(location) ? { ...location, record: outdated(location.record) } : location,
  );
}
