/** Renames a skill: a new slug, while the previous one leads to the skill until an owner frees it. */
import { retryLost } from "../../../contract/concurrency/retry-lost.ts";
import { limits } from "../../../contract/limits.ts";
import { isDuplicate } from "../../../storage/database.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { loadTree } from "../../folders/tree/trees.ts";
import { makeSkillEvent } from "../annotate.ts";
import { loadSkill } from "../load.ts";
import { scheduleProjection } from "../projection-queue.ts";
import type { RenameSkill } from "../schema.ts";
import { skillRetries } from "../skill-retries.ts";
import { reserveFormerSlug, slugReserved } from "../slugs/reserve.ts";
import { releasePath, releaseUntaken, reservePath } from "./place.ts";

export interface Renamed {
  skill: SkillDoc;
  /** The slug that it had. */
  from: string;
  /** False if it has the slug already. */
  renamed: boolean;
}

/**
 * Renames a skill. Throws `already_exists` if a skill or folder has the slug or it is reserved, `limit_reached`, and
 * `refused` for an anonymous share.
 */
export async function renameSkill(
  app: App,
  actor: Actor,
  ref: string,
  { slug, dryRun }: RenameSkill,
): Promise<Renamed> {
  return retryLost<Renamed>(skillRetries(ref, "changed by many callers"), async () => {
    const skill = await loadSkill(app, actor, ref, "skill:update", { follow: true });
    const { _id: skillId, tenantId, slug: from } = skill;
    if (actor.kind === "anonymous-key")
      throw new ServiceError("refused", "A skill that is shared anonymously keeps its slug.", {
        kind: "skill",
        ref,
      });
    if (slug === from) return { skill, from, renamed: false };
    await checkFree(app, skill, slug);
    const renamed = { ...skill, slug };
    if (dryRun) return { skill: renamed, from, renamed: true };

    const path = await reservePath(app, renamed);
    if (path === "occupied") throw folderHas(skill, slug);
    if (path === "raced") return undefined;
    await reserveFormerSlug(app, skill);
    const written = await write(app, actor, skill, slug).catch(async (error: unknown) => {
      await releaseUntaken(app, renamed);
      throw isDuplicate(error, "skill_slug") ? taken(skill, slug) : error;
    });
    if (!written) {
      await releaseUntaken(app, renamed);
      return undefined;
    }
    await releasePath(app, skill);
    await app.storage.slugReservations.release({ tenantId, slug, skillId });
    scheduleProjection(app, skillId);
    return { skill: { ...written, can: skill.can }, from, renamed: true };
  });
}

/** Null if the skill was moved or renamed concurrently. */
function write(app: App, actor: Actor, skill: SkillDoc, slug: string): Promise<SkillDoc | null> {
  const event = makeSkillEvent(app, actor, "skill.renamed", skill, { slug, from: skill.slug, to: slug });
  return app.storage.skills.rename(skill, slug, app.now(), [event]);
}

async function checkFree(app: App, skill: SkillDoc, slug: string): Promise<void> {
  const { tenantId, folderId } = skill;
  const [holder, reservation, former, tree] = await Promise.all([
    app.storage.skills.findBySlug(tenantId, slug),
    app.storage.slugReservations.find(tenantId, slug),
    app.storage.slugReservations.listOfSkill(skill._id),
    loadTree(app, tenantId),
  ]);
  if (holder) throw taken(skill, slug);
  if (reservation && reservation.skillId !== skill._id)
    throw slugReserved(skill.tenantSlug, { name: slug, slug });
  if (tree.child(folderId, slug)) throw folderHas(skill, slug);
  if (former.filter((one) => one.slug !== slug).length >= limits.formerSkillSlugs)
    throw new ServiceError(
      "limit_reached",
      `"${skill.slug}" has ${limits.formerSkillSlugs} previous slugs: an owner of the organization has to free one.`,
      { kind: "skill", ref: skill.slug },
    );
}

const taken = ({ tenantSlug }: SkillDoc, slug: string) =>
  new ServiceError("already_exists", `The slug "${slug}" is taken in ${tenantSlug}: choose another one.`, {
    kind: "skill",
    ref: slug,
  });

const folderHas = ({ tenantSlug }: SkillDoc, slug: string) =>
  new ServiceError(
    "already_exists",
    `A folder "${slug}" of ${tenantSlug} is in the same place: choose another slug, or rename the folder.`,
    { kind: "folder", ref: slug },
  );
