/** The version that an edit is based on, so that no edit replaces the changes of another one unseen. */
import type { SkillDoc, VersionSummary } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import { ServiceError } from "../../errors.ts";

export type Base = Pick<VersionDoc, "version" | "semver" | "prerelease">;

/**
 * Throws `conflict` unless the base is the version that the new one follows (`predecessorOf`), or a prerelease after
 * which nothing was published. The caller's compare-and-set is on the same state of the skill.
 */
export function requireBase(skill: SkillDoc, followed: VersionSummary, base: Base | undefined): void {
  if (base === undefined || base.version === followed.version) return;
  if (base.prerelease && base.version === skill.head.version) return;
  const { version, semver } = followed;
  throw new ServiceError(
    "conflict",
    `"${skill.slug}" has changed: the edit is based on ${base.semver}, and ${semver} is current. ` +
      "Compare the two, and send the edit based on that version.",
    {
      kind: "skill",
      ref: skill.slug,
      base: { version: base.version, semver: base.semver },
      current: { version, semver },
    },
  );
}
