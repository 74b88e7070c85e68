/** Skills that trust policies name. */
import { isId } from "../../storage/database.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import type { Actor } from "../access/actor.ts";
import { decideFolder } from "../access/decide.ts";
import type { App } from "../app.ts";
import { forbidden, notFound } from "../errors.ts";
import { loadAccessContexts } from "../folders/load.ts";
import { keepAllowed } from "../skills/load.ts";

/**
 * Naming a skill gives tokens the editor level on it, also in a restricted folder, so the caller must be allowed to
 * manage the access to that folder. Throws `not_found` for a skill that the caller does not see in the organization.
 */
export async function requireSkillAccess(
  app: App,
  actor: Actor,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const skills = await readableSkills(app, actor, tenantId, ids);
  const known = new Set(skills.map(({ _id }) => _id));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw notFound("skill", missing);
  const contexts = await loadAccessContexts(app, actor, skills);
  for (const [at, skill] of skills.entries()) {
    const context = contexts[at];
    if (!context?.restriction) continue;
    const verdict = decideFolder(actor, "folder:manageAcl", { tenantId, context, isOnTheWay: false });
    if (verdict !== "allowed")
      throw forbidden(`You do not manage the access to the folder of skill "${skill.slug}".`, {
        kind: "skill",
        ref: skill._id,
      });
  }
}

/** The skills of an organization among these that the caller may read. */
export async function readableSkills(
  app: App,
  actor: Actor,
  tenantId: string,
  ids: readonly string[],
): Promise<SkillDoc[]> {
  const found = await app.storage.skills.listByIds(ids.filter(isId));
  const own = found.filter((skill) => skill.tenantId === tenantId);
  return keepAllowed(app, actor, "skill:read", own);
}
