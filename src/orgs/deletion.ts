/**
 * The end of an organization: from its deletion on it is there for its owners alone, who can take that back until the
 * grace period is over. One write of the organization's document decides; memberships and skills follow from it.
 */
import { limits } from "../../contract/limits.ts";
import type { TenantDoc } from "../../storage/organizations/tenants.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { propagateTenantSoon } from "./propagate.ts";
import { loadTenant } from "./service.ts";

/** Has an organization erased after `limits.organizationGraceMs`. Throws `conflict` when it will be already. */
export async function deleteTenant(app: App, actor: Actor, ref: string): Promise<void> {
  const tenant = await loadTenant(app, actor, ref, "organization:delete");
  const deletionAt = new Date(app.now().getTime() + limits.organizationGraceMs);
  const event = makeEvent(app, actor, "organization.deletion_scheduled", {
    tenantId: tenant._id,
    resourceType: "organization",
    resourceId: tenant._id,
    metadata: { deletionAt },
  });
  const deleted = await app.storage.tenants.change(tenant._id, {
    when: { deletionAt: { $exists: false } },
    set: { deletionAt },
    now: app.now(),
    events: [event],
  });
  if (!deleted) throw stateless(tenant, "will be erased already.");
  await propagateTenantSoon(app, deleted, [event]);
}

/** Cancels the deletion. Throws `conflict` if there is none, or the erasure has begun. */
export async function restoreTenant(app: App, actor: Actor, ref: string): Promise<TenantDoc> {
  const tenant = await loadTenant(app, actor, ref, "organization:delete");
  const event = makeEvent(app, actor, "organization.deletion_cancelled", {
    tenantId: tenant._id,
    resourceType: "organization",
    resourceId: tenant._id,
  });
  const now = app.now();
  const restored = await app.storage.tenants.change(tenant._id, {
    when: { deletionAt: { $gt: now } },
    unset: ["deletionAt"],
    now,
    events: [event],
  });
  if (!restored) throw stateless(tenant, "is not to be erased, or is being erased right now.");
  await propagateTenantSoon(app, restored, [event]);
  return restored;
}

function stateless({ slug }: TenantDoc, sentence: string): ServiceError {
  return new ServiceError("conflict", `"${slug}" ${sentence}`, { kind: "organization", ref: slug });
}
