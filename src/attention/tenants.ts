/** Organizations whose state is looked at. */
import type { AttentionItem } from "../../contract/payloads/organizations/attention.ts";
import type { Membership } from "../access/actor.ts";

export type Tenants = readonly Membership[];

export function tenantOf(tenants: Tenants, id: string): AttentionItem["tenant"] {
  const found = tenants.find(({ tenantId }) => tenantId === id);
  return found ? { id, slug: found.tenantSlug, name: found.tenantName } : null;
}
