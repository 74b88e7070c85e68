/** Versions that wait for the caller's decision. */
import type { AttentionItem } from "../../contract/payloads/organizations/attention.ts";
import type { WaitingReviewPayload } from "../../contract/payloads/skills/reviews.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { seenOf, waitingOf } from "../skills/review/waiting.ts";
import { tenantOf, type Tenants } from "./tenants.ts";

/** Skills that are looked through for versions that the caller may decide about. */
const maxLookedThrough = 100;

/** The longest wait first. */
export async function waitingReviews(
  app: App,
  actor: Actor,
  tenants: Tenants,
  limit: number,
): Promise<AttentionItem[]> {
  const tenantIds = tenants.map(({ tenantId }) => tenantId);
  if (actor.kind !== "user" || tenantIds.length === 0) return [];
  const found = await app.storage.skills.listWaiting(tenantIds, undefined, maxLookedThrough);
  const seen = await seenOf(app, actor, found);
  const waiting = await Promise.all(seen.map((skill) => waitingOf(app, actor, skill)));
  return waiting
    .flat()
    .filter((item) => item.mayDecide || mayOverride(item))
    .slice(0, limit)
    .map(({ skill, version }) => ({
      kind: "review_waiting",
      tenant: tenantOf(tenants, skill.tenantId),
      id: version.id,
      label: `${skill.slug}@${version.semver}`,
      message: mayOverride({ skill, version })
        ? `Version ${version.semver} of ${skill.slug} is held because of its scan.`
        : `Version ${version.semver} of ${skill.slug} waits for your review.`,
      at: version.createdAt,
    }));
}

/** Whether the caller may release a version against its scan, which its publisher may do as well. */
const mayOverride = ({ skill, version }: Pick<WaitingReviewPayload, "skill" | "version">): boolean =>
  version.held?.includes("scan") === true && skill.can?.includes("review") === true;
