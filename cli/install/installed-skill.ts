/** The record of an installed skill, and its cache, as a planned change leaves them. */
import type { CacheMeta, RenderedFile } from "../state/cache.ts";
import type { InstallationRecord, InstalledSkill } from "../state/config.ts";
import type { FetchedVersion } from "./fetch.ts";
import type { PlannedWrite } from "./placement.ts";

export function installedSkill(
  { skill, version }: FetchedVersion,
  range: string,
  installs: InstallationRecord[],
): InstalledSkill {
  return {
    publicId: skill.publicId,
    slug: skill.slug,
    name: skill.name,
    type: skill.type,
    visibility: skill.visibility,
    tenantId: skill.tenantId,
    tenantSlug: skill.tenantSlug,
    format: version.format,
    range,
    version: version.version,
    semver: version.semver,
    hash: version.hash,
    installs,
  };
}

export function cacheMeta(fetched: FetchedVersion): Omit<CacheMeta, "digests" | "pending"> {
  const { skill, version } = fetched;
  return {
    publicId: skill.publicId,
    slug: skill.slug,
    name: skill.name,
    description: skill.description,
    type: skill.type,
    format: version.format,
    version: version.version,
    semver: version.semver,
    hash: version.hash,
  };
}

/** The record during the write: both the old and the new form are svc's. */
export function announced(plan: PlannedWrite): InstallationRecord {
  const previous = plan.replaces?.digest;
  return previous === undefined ? plan.record : { ...plan.record, previousDigest: previous };
}

/** Records the change in other profiles as well, complete or in progress. */
export function updateSharedRecords({ record, sharers }: PlannedWrite, own: string): void {
  for (const { profile, record: other } of sharers) {
    if (profile === own) continue;
    if (other.digest !== undefined) other.previousDigest = other.digest;
    other.method = record.method;
    other.format = record.format;
    if (record.digest === undefined) delete other.digest;
    else other.digest = record.digest;
  }
}

/** The files of all targets that link to the cache. */
export function renderedFor(plans: readonly PlannedWrite[]): RenderedFile[] {
  const rendered = new Map<string, RenderedFile>();
  for (const { placement, record } of plans)
    if (placement.shape !== "section" && placement.content !== "package")
      rendered.set(record.platform, { target: record.platform, ...placement.content });
  return [...rendered.values()];
}
