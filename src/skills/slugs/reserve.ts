/** Reservations of slugs that skills no longer have. */
import { limits } from "../../../contract/limits.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { SlugReservation } from "../../../storage/skills/slug-reservations.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { isInCatalog } from "../load.ts";

type Named = Pick<SkillDoc, "_id" | "tenantId" | "slug">;
export type FormerSkill = Named &
  Pick<SkillDoc, "visibility" | "effectiveRestrictionId" | "takedown" | "withheld">;

/** Whether the catalog has the skill under the slug that it loses: others than members may then know the slug. */
const isKnown = (skill: FormerSkill) => isInCatalog(skill) || undefined;

/**
 * Reserves the slug that a skill is about to lose by a rename. If that is interrupted, the reservation has no effect,
 * since a slug leads to the skill that has it.
 */
export const reserveFormerSlug = (app: App, skill: FormerSkill): Promise<void> =>
  reserve(app, skill, { reason: "renamed", since: app.now(), wasPublic: isKnown(skill) });

/** Reserves the slug of a skill that is about to be deleted, so that nothing else answers to what was installed. */
export const reserveDeletedSlug = (app: App, skill: FormerSkill): Promise<void> =>
  reserve(app, skill, { reason: "deleted", ...deletedSpan(app.now()), wasPublic: isKnown(skill) });

/** Ends the former slugs of a deleted skill together with the reservation of its own. May run twice. */
export const endFormerSlugs = (app: App, skillId: string, deletedAt: Date): Promise<void> =>
  app.storage.slugReservations.endWith(skillId, deletedSpan(deletedAt));

const deletedSpan = (since: Date) => ({
  since,
  until: new Date(since.getTime() + limits.deletedSlugDays * 86_400_000),
});

async function reserve(
  app: App,
  { _id: skillId, tenantId, slug }: Named,
  fields: Pick<SlugReservation, "reason" | "since" | "until" | "wasPublic">,
): Promise<void> {
  await app.storage.tenants.noteReservedSlugs(tenantId);
  await app.storage.slugReservations.reserve({ _id: app.newId(), tenantId, slug, skillId, ...fields });
}

/** For a slug that another skill of the organization had. `name`: what the caller wanted to call theirs. */
export const slugReserved = (org: string, { name, slug }: { name: string; slug: string }): ServiceError =>
  new ServiceError(
    "already_exists",
    `The slug "${slug}" is reserved in ${org}, since a skill there had it: choose another one, or ask an owner to ` +
      "free it.",
    { kind: "skill", ref: name },
  );
