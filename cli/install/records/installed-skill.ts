/** The record of an installed skill, and its cache, as a planned change leaves them. */
import type { CacheMeta, RenderedFile } from "../../state/cache.ts";
import type { InstallationRecord, InstalledSkill } from "../../state/config.ts";
import type { FetchedVersion } from "../fetch.ts";
import type { PlanContext, PlannedWrite } from "../plan/placement.ts";
import { installsIn } from "./scopes.ts";

export function installedSkill({ skill }: FetchedVersion, installs: InstallationRecord[]): InstalledSkill {
  return {
    publicId: skill.publicId,
    slug: skill.slug,
    name: skill.name,
    type: skill.type,
    visibility: skill.visibility,
    tenantId: skill.tenantId,
    tenantSlug: skill.tenantSlug,
    installs,
  };
}

export function cacheMeta(fetched: FetchedVersion): Omit<CacheMeta, "digests" | "pending"> {
  const { skill, version, content } = fetched;
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
    frontmatter: content.format === "markdown" ? content.frontmatter : undefined,
  };
}

/** The record during the write: both the old and the new form are svc's. */
export function announced({ record, replaces }: PlannedWrite): InstallationRecord {
  if (replaces === undefined) return record;
  const { digest, version, hash } = replaces;
  return {
    ...record,
    ...(digest === undefined ? {} : { previousDigest: digest }),
    previousVersion: { version, hash },
  };
}

/**
 * Records the change in other profiles as well, complete or in progress; they keep their pins. Their other installs in
 * the same scope then have an earlier version.
 */
export function updateSharedRecords(
  { record, sharers }: PlannedWrite,
  { config, installName, profile: own }: Pick<PlanContext, "config" | "installName" | "profile">,
): void {
  for (const { profile: name, record: other } of sharers) {
    const skill = config.profiles[name]!.installed[installName];
    if (config.profiles[name] === own || skill === undefined) continue;
    for (const sibling of installsIn(skill, other.projectDir))
      if (sibling.hash !== record.hash) sibling.outdated = true;
    delete other.outdated;
    if (other.digest !== undefined) other.previousDigest = other.digest;
    const { method, format, version, semver, hash } = record;
    Object.assign(other, { method, format, version, semver, hash });
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
