/** The second factor that an organization requires of its members. Enforced where actors are made (`users/load.ts`). */
import type { MfaRequirementPayload } from "../../contract/payloads/accounts/mfa.ts";
import type { TenantDoc } from "../../storage/organizations/tenants.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent } from "../audit/events.ts";
import { ServiceError, notFound } from "../errors.ts";
import { propagateTenantSoon } from "../orgs/propagate.ts";
import { loadTenant } from "../orgs/service.ts";
import { requireUser } from "../users/load.ts";
import { requireRecentVerification } from "../users/recent-verification.ts";
import type { MfaRequirement } from "./schema.ts";

const dayMs = 24 * 60 * 60_000;

export async function readRequirement(
  app: App,
  actor: Actor,
  tenantRef: string,
): Promise<MfaRequirementPayload> {
  return present(app, await loadTenant(app, actor, tenantRef, "security:manage"));
}

/**
 * Sets or removes the requirement. Members without a factor are refused once the days of grace are over; each change of
 * these starts them again. Throws `reauthentication_required`, or `refused` for a caller without a second factor, whom
 * the requirement would lock out.
 */
export async function changeRequirement(
  app: App,
  actor: Actor,
  tenantRef: string,
  { required, graceDays }: MfaRequirement,
): Promise<MfaRequirementPayload> {
  const tenant = await loadTenant(app, actor, tenantRef, "security:manage");
  const caller = requireUser(actor);
  requireRecentVerification(app, caller, "change the requirement", tenant._id);
  if (required && !caller.account?.hasFactor)
    throw new ServiceError(
      "refused",
      "Add a second factor to your own account before you require one of others.",
      {
        kind: "factor",
      },
    );
  const previous = tenant.mfaRequirement;
  const isSame = required ? previous?.graceDays === graceDays : previous === undefined;
  if (isSame) return present(app, tenant);

  const now = app.now();
  const mfaRequirement = required ? { from: new Date(now.getTime() + graceDays * dayMs), graceDays } : null;
  const event = makeEvent(app, actor, "mfa.org_requirement_updated", {
    tenantId: tenant._id,
    resourceType: "organization",
    resourceId: tenant._id,
    metadata: mfaRequirement ? { required, graceDays, enforcedFrom: mfaRequirement.from } : { required },
  });
  const updated = await app.storage.tenants.change(tenant._id, {
    patch: { mfaRequirement },
    now,
    events: [event],
  });
  if (!updated) throw notFound("organization", tenantRef);
  await propagateTenantSoon(app, updated, [event]);
  return present(app, updated);
}

async function present(app: App, { _id, mfaRequirement }: TenantDoc): Promise<MfaRequirementPayload> {
  const [members, membersWithout] = await Promise.all([
    app.storage.memberships.count(_id),
    app.storage.overviews.countWithoutFactor(_id),
  ]);
  return {
    required: mfaRequirement !== undefined,
    graceDays: mfaRequirement?.graceDays ?? 0,
    enforcedFrom: mfaRequirement?.from.toISOString() ?? null,
    members,
    membersWithout,
  };
}
