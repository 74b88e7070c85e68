/**
 * Reserved slugs of an organization. Only its owners see and free them, since they name skills that others may not see:
 * `organization: delete` is what no other role can have.
 */
import type { ReservedSlugPayload } from "../../../contract/payloads/skills/slugs.ts";
import type { SlugReservation } from "../../../storage/skills/slug-reservations.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeEvent } from "../../audit/events.ts";
import { ServiceError } from "../../errors.ts";
import { decodeCursor, pageOf } from "../../http/request/cursor.ts";
import { Page } from "../../http/route.ts";
import { NameCursor, type ListQuery } from "../../orgs/schema.ts";
import { loadTenant } from "../../orgs/service.ts";
import { requestSync } from "../../queue/request-sync.ts";

const ownersOnly = "organization:delete";

/** A page of the reserved slugs, in order. */
export async function listReservedSlugs(
  app: App,
  actor: Actor,
  tenantRef: string,
  { cursor, limit }: ListQuery,
): Promise<Page<ReservedSlugPayload>> {
  const tenant = await loadTenant(app, actor, tenantRef, ownersOnly);
  const [after] = decodeCursor(cursor, NameCursor) ?? [];
  const rows = await app.storage.slugReservations.list(tenant._id, after, limit + 1);
  const page = pageOf(rows, limit, (last) => [last.slug]);
  const ids = page.items.filter(({ reason }) => reason === "renamed").map(({ skillId }) => skillId);
  const skills = new Map((await app.storage.skills.listByIds(ids)).map((skill) => [skill._id, skill]));
  const items = page.items.flatMap((row) => {
    const skill = skills.get(row.skillId);
    // A rename that was interrupted before its write.
    if (skill?.slug === row.slug) return [];
    const { _id: id, publicId, slug, name } = skill ?? {};
    const named = id && publicId && slug && name ? { id, publicId, slug, name } : undefined;
    return [present(row, named)];
  });
  return new Page(items, page.nextCursor);
}

/** Frees a slug for any skill: what was installed by it then leads nowhere, or to the skill that takes it. */
export async function freeSlugOf(
  app: App,
  actor: Actor,
  tenantRef: string,
  reservedSlug: string,
): Promise<void> {
  const tenant = await loadTenant(app, actor, tenantRef, ownersOnly);
  const { slugReservations } = app.storage;
  const reservation = await slugReservations.find(tenant._id, reservedSlug);
  if (!reservation) throw notReserved(reservedSlug);
  const { _id: id, skillId, slug, reason } = reservation;
  const event = makeEvent(app, actor, "skill.slug_freed", {
    tenantId: tenant._id,
    resourceType: "skill",
    resourceId: skillId,
    metadata: { slug, reason },
  });
  if (!(await slugReservations.free(id, app.now(), [event]))) throw notReserved(reservedSlug);
  flushEvents(app, slugReservations, id, [event]);
  // The marketplace files of a connected repository name previous slugs.
  await requestSync(app, { tenantId: tenant._id });
}

const notReserved = (slug: string) =>
  new ServiceError("not_found", `No reserved slug "${slug}" was found.`, { kind: "skill", ref: slug });

const present = (
  { _id: id, slug, reason, since, until }: SlugReservation,
  skill: ReservedSlugPayload["skill"],
): ReservedSlugPayload => ({
  id,
  slug,
  reason,
  since: since.toISOString(),
  until: until?.toISOString(),
  skill,
});
