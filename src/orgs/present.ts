import type { TenantPayload } from "../../contract/payloads.ts";
import { builtInRoles } from "../../contract/vocabulary.ts";
import type { TenantDoc } from "../../storage/tenants.ts";
import type { Actor } from "../access/actor.ts";
import { membershipIn } from "../access/decide.ts";

/** An organization as its members see it. `createdBy` tells the role of whoever has just created it. */
export function presentTenant(tenant: TenantDoc, actor: Actor): TenantPayload {
  const isCreator = actor.kind === "user" && actor.userId === tenant.createdBy;
  const role = membershipIn(actor, tenant._id)?.role ?? (isCreator ? "owner" : undefined);
  return {
    id: tenant._id,
    slug: tenant.slug,
    name: tenant.name,
    role: builtInRoles.find((name) => name === role) ?? null,
    createdAt: tenant.createdAt.toISOString(),
    updatedAt: tenant.updatedAt.toISOString(),
  };
}
