import { z } from "zod";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError, SkillRenamed } from "../../errors.ts";
import { isShared, loadOpenSkill } from "../load.ts";

export const PublicSkillParams = z.object({ org: z.string().max(200), slug: z.string().max(200) });

/** The skill if it is in the catalog. Access is decided as for a visitor, also for callers who have signed in. */
export async function findPublicSkill(
  app: App,
  actor: Actor,
  { org, slug }: z.output<typeof PublicSkillParams>,
): Promise<SkillDoc | undefined> {
  try {
    const skill = await loadOpenSkill(app, actor, `${org}~${slug}`);
    return isShared(skill) ? skill : undefined;
  } catch (error) {
    if (error instanceof ServiceError && !(error instanceof SkillRenamed) && error.code === "not_found")
      return undefined;
    throw error;
  }
}
