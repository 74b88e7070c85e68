/** Custom roles. */
import type { IndexDescription } from "mongodb";
import type { Database } from "./database.ts";
import { namedIndexes, namedOperations, withoutOutbox, type NamedDoc } from "./named.ts";
import { removeSlice } from "./slices.ts";

export interface RoleDoc extends NamedDoc {
  /** Actions by permission group. */
  permissions: Record<string, string[]>;
}

export const roleIndexes: IndexDescription[] = [...namedIndexes("role_name"), { key: { tenantId: 1 } }];

export type Roles = ReturnType<typeof openRoles>;

export function openRoles(database: Database) {
  const roles = database.collection<RoleDoc>("roles");
  return {
    ...namedOperations(roles),
    /** All roles of an organization, by name: there are at most `limits.rolesPerOrganization`. */
    list: (tenantId: string) =>
      roles.find({ tenantId, active: true }, withoutOutbox).sort({ nameKey: 1 }).toArray(),
    /** Removes deleted roles whose events are in the log; returns how many were removed. */
    removeEnded: () => removeSlice(roles, { removedAt: { $exists: true }, pendingSince: { $exists: false } }),
  };
}
