/** Comparison of content with the version that a new one would follow, for publishes that skip equal content. */
import type { SkillDoc, VersionSummary } from "../../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../../storage/versions/versions.ts";
import type { App } from "../../../app.ts";
import { stateOf } from "../../marks/marks.ts";
import { findVersion, findVersionBySemver } from "../../versions/versions.ts";
import { followedPrerelease, type PublishedSemvers, type SemverRequest } from "../next-semver.ts";
import { summaryOf } from "../version-record.ts";

/**
 * The version that content is compared with: for a prerelease, the highest of its target version and id, so that a
 * repeated push of the same prerelease counts as unchanged; otherwise the newest version if it is held, so that a
 * repeated push does not wait a second time, else the current version, which installs resolve to.
 */
export async function predecessorOf(
  app: App,
  skill: SkillDoc,
  published: PublishedSemvers,
  request: SemverRequest,
): Promise<VersionSummary> {
  const semver = followedPrerelease(published, request);
  const { version } = skill.head;
  if (semver === undefined && stateOf(skill, version) !== "held") return skill.current;
  const followed = await (semver === undefined
    ? findVersion(app, skill, version)
    : findVersionBySemver(app, skill, semver));
  if (!followed) throw new Error(`version ${semver ?? version} of skill ${skill._id} has no row`);
  return summaryOf(followed);
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
