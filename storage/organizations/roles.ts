/** Custom roles. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { removeSlice } from "../maintenance/slices.ts";
import { namedIndexes, namedOperations, type NamedDoc } from "../named.ts";
import { withoutOutbox } from "../outbox.ts";

export interface RoleDoc extends NamedDoc {
  /** Actions by permission group. */
  permissions: Record<string, string[]>;
}

export const rolesCollection = defineCollection({
  name: "roles",
  indexes: [...namedIndexes("role_name"), { key: { tenantId: 1 } }],
  outbox: true,
  open: (roles: Collection<RoleDoc>) => ({
    ...namedOperations(roles),
    /** All roles of an organization, by name: there are at most `limits.rolesPerOrganization`. */
    list: (tenantId: string) =>
      roles.find({ tenantId, active: true }, withoutOutbox).sort({ nameKey: 1 }).toArray(),
    /** Removes deleted roles whose events are in the log; returns how many were removed. */
    removeEnded: () => removeSlice(roles, { removedAt: { $exists: true }, pendingSince: { $exists: false } }),
  }),
});
