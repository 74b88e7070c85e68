/** Malicious versions of skills that others than members can read, which only administrators of the service release. */
import type { HeldVersionPayload } from "../../../contract/payloads/skills/moderation.ts";
import type { App } from "../../app.ts";
import type { Page } from "../../http/route.ts";
import { isHeldAsMalicious } from "../marks/marks.ts";
import { pageOfSkills } from "../review/waiting.ts";

/** The newest of a skill that are listed: others follow once these are released. */
const versionsOfSkill = 10;

/** A page of them, the longest wait first. */
export function listHeld(
  app: App,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<Page<HeldVersionPayload>> {
  return pageOfSkills(
    cursor,
    limit,
    (after) => app.storage.skills.listHeldByService(after, limit + 1),
    (skills) =>
      skills.flatMap(({ publicId, slug, tenantSlug, name, waitingSince, marks = [] }) =>
        marks
          .filter(isHeldAsMalicious)
          .slice(-versionsOfSkill)
          .map(({ version, semver }) => ({
            skill: { publicId, slug, tenantSlug, name },
            version,
            semver,
            since: waitingSince!.toISOString(),
          })),
      ),
  );
}
