/** Setting of auto-join, which only owners change: it decides who becomes a member. */
import type { AutoJoinPayload } from "../../../contract/payloads/accounts/sso-domains.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeEvent } from "../../audit/events.ts";
import { notFound, ServiceError } from "../../errors.ts";
import { requireUser } from "../../users/load.ts";
import { requireRecentVerification } from "../../users/recent-verification.ts";
import { permissionsOfRoles, requirePermissions } from "../permission-checks.ts";
import { loadTenant } from "../service.ts";
import type { AutoJoin } from "./schema.ts";

export async function readAutoJoin(app: App, actor: Actor, tenantRef: string): Promise<AutoJoinPayload> {
  return present(app, await loadTenant(app, actor, tenantRef, "sso:manage"));
}

/**
 * Turns auto-join on, with the role of new members, or off. Throws `domain_unverified` without a verified domain,
 * `not_found` for a role, `forbidden`, or `reauthentication_required`.
 */
export async function changeAutoJoin(
  app: App,
  actor: Actor,
  tenantRef: string,
  { enabled, role }: AutoJoin,
): Promise<AutoJoinPayload> {
  const tenant = await loadTenant(app, actor, tenantRef, "sso:manage");
  requireRecentVerification(app, requireUser(actor), "change who joins automatically", tenant._id);
  if (enabled) {
    const given = await permissionsOfRoles(app, tenant._id, [role]);
    requirePermissions(actor, tenant._id, given, "give this role");
    if (!(await app.storage.ssoDomains.hasVerified(tenant._id)))
      throw new ServiceError(
        "domain_unverified",
        "The organization has no verified domain: claim and verify one first, so that it is clear who joins.",
        { kind: "organization", ref: tenant.slug },
      );
  }
  if ((enabled ? role : undefined) === tenant.autoJoin?.role) return present(app, tenant);
  const event = makeEvent(app, actor, "organization.auto_join_updated", {
    tenantId: tenant._id,
    resourceType: "organization",
    resourceId: tenant._id,
    metadata: { enabled, role: enabled ? role : undefined },
  });
  const { tenants } = app.storage;
  const updated = await tenants.change(tenant._id, {
    patch: { autoJoin: enabled ? { role } : null },
    now: app.now(),
    events: [event],
  });
  if (!updated) throw notFound("organization", tenantRef);
  flushEvents(app, tenants, tenant._id, [event]);
  return present(app, updated);
}

async function present(app: App, { _id, autoJoin }: TenantDoc): Promise<AutoJoinPayload> {
  const claims = await app.storage.ssoDomains.list(_id);
  return {
    enabled: autoJoin !== undefined,
    role: autoJoin?.role ?? "member",
    domains: claims.filter(({ verified }) => verified).map(({ domain }) => domain),
  };
}
