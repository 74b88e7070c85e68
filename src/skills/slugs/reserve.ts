/** Reservations of slugs that skills no longer have. */
import { limits } from "../../../contract/limits.ts";
import type { SkillDoc } from "../../../storage/skills.ts";
import type { SlugReservation } from "../../../storage/slug-reservations.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";

type Named = Pick<SkillDoc, "_id" | "tenantId" | "slug">;
export type DeletedSkill = Named & Pick<SkillDoc, "visibility" | "takedown" | "withheld">;

/**
 * Reserves the slug that a skill is about to lose by a rename. If that is interrupted, the reservation has no effect,
 * since a slug leads to the skill that has it.
 */
export const reserveFormerSlug = (app: App, skill: Named): Promise<void> =>
  reserve(app, skill, { reason: "renamed", since: app.now() });

/** Reserves the slugs of a skill that is about to be deleted, so that nothing else answers to what was installed. */
export async function reserveDeletedSlugs(app: App, skill: DeletedSkill): Promise<void> {
  const since = app.now();
  const until = new Date(since.getTime() + limits.deletedSlugDays * 86_400_000);
  const wasPublic = (skill.visibility === "public" && !skill.takedown && !skill.withheld) || undefined;
  const ended = { since, until, wasPublic };
  await reserve(app, skill, { reason: "deleted", ...ended });
  await app.storage.slugReservations.endWith(skill._id, ended);
}

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
