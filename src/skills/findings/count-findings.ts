/** Numbers of the findings about a version, and of those that no member has reviewed. */
import type { FindingCounts } from "../../../contract/payloads/skills/findings.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionFindings } from "../../../storage/versions/versions.ts";

export function countFindings(
  { reviews = [] }: Pick<SkillDoc, "reviews">,
  { errors, warnings, ids }: VersionFindings,
): FindingCounts {
  const reviewed = new Set(reviews.map(({ id }) => id));
  return { errors, warnings, toReview: ids.filter((id) => !reviewed.has(id)).length };
}

/** Number of errors about the current version that no member has reviewed. Errors are stored before warnings. */
export function errorsToReview({ reviews = [], current: { findings } }: SkillDoc): number {
  if (!findings) return 0;
  const reviewed = new Set(reviews.map(({ id }) => id));
  return findings.ids.slice(0, findings.errors).filter((id) => !reviewed.has(id)).length;
}
