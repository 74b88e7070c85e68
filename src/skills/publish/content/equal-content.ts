/** Comparison of content with the version that a new one would follow, for publishes that skip equal content. */
import type { SkillDoc, VersionSummary } from "../../../../storage/skills.ts";
import type { VersionDoc } from "../../../../storage/versions.ts";
import type { App } from "../../../app.ts";
import { selectVersion } from "../../versions/select-version.ts";
import { findVersion } from "../../versions/versions.ts";
import { followedPrerelease, type PublishedSemvers, type SemverRequest } from "../next-semver.ts";
import { summaryOf } from "../version-record.ts";

/**
 * The version that content is compared with: for a prerelease, the highest of its target version and id, so that a
 * repeated push of the same prerelease counts as unchanged; otherwise the current version, which installs resolve to.
 */
export async function predecessorOf(
  app: App,
  skill: SkillDoc,
  published: PublishedSemvers,
  request: SemverRequest,
): Promise<VersionSummary> {
  const semver = followedPrerelease(published, request);
  if (semver === undefined) return skill.current;
  return summaryOf(await selectVersion(app, skill, { kind: "exact", semver }));
}

/** The version with equal content, and a warning that names the ignored parts of the request. */
export async function unchangedVersion(
  app: App,
  skill: SkillDoc,
  equal: VersionSummary,
  { semver, bump, prerelease }: SemverRequest,
): Promise<{ version: VersionDoc; warning: string }> {
  const version = await findVersion(app, skill, equal.version);
  if (!version) throw new Error(`version ${equal.version} of skill ${skill._id} has no row`);
  const ignored =
    semver !== undefined
      ? ` The requested version ${semver} was not created.`
      : bump !== undefined || prerelease !== undefined
        ? " The requested bump was not made."
        : "";
  const warning = `The content equals that of version ${version.semver}: no new version was created.${ignored}`;
  return { version, warning };
}
