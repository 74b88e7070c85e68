/** Errors in current versions, such as secrets, that no member has reviewed. */
import type { AttentionItem } from "../../contract/payloads/organizations/attention.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { errorsToReview } from "../skills/findings/count-findings.ts";
import { keepAllowed } from "../skills/load.ts";
import { tenantOf, type Tenants } from "./tenants.ts";

/**
 * Skills with errors that are looked through; those that are reviewed, or that the caller may not change, are left out.
 */
const maxLookedThrough = 200;

/** Skills that the caller may correct, the latest change first. */
export async function unreviewedErrors(
  app: App,
  actor: Actor,
  tenants: Tenants,
  limit: number,
): Promise<AttentionItem[]> {
  const tenantIds = tenants.map(({ tenantId }) => tenantId);
  if (tenantIds.length === 0) return [];
  const found = await app.storage.skills.listWithErrors(tenantIds, maxLookedThrough);
  const open = await keepAllowed(
    app,
    actor,
    "skill:update",
    found.filter((skill) => errorsToReview(skill) > 0),
  );
  return open.slice(0, limit).map((skill) => ({
    kind: "skill_finding",
    tenant: tenantOf(tenants, skill.tenantId),
    id: skill._id,
    label: skill.slug,
    message: messageOf(skill),
    at: skill.updatedAt.toISOString(),
  }));
}

function messageOf(skill: SkillDoc): string {
  const count = errorsToReview(skill);
  const errors = count === 1 ? "an error" : `${count} errors`;
  return `${skill.slug} ${skill.current.semver} has ${errors}: correct or review ${count === 1 ? "it" : "them"}.`;
}
