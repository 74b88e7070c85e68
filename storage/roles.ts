/** Custom roles. A deleted one keeps a marked document until its event is in the audit log. */
import type { IndexDescription } from "mongodb";
import type { Database } from "./database.ts";
import { outboxUpdate, outboxOperations, type EventRow, type WithOutbox } from "./outbox.ts";
import { removeSlice } from "./slices.ts";

export interface RoleDoc extends WithOutbox {
  _id: string;
  tenantId: string;
  name: string;
  /** Folded for comparison: unique in the organization. */
  nameKey: string;
  /** Groups to actions. */
  permissions: Record<string, string[]>;
  /** Counts the changes: each is made on what its writer has seen. */
  revision: number;
  active?: true;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
  removedAt?: Date;
}

export const roleIndexes: IndexDescription[] = [
  {
    key: { tenantId: 1, nameKey: 1 },
    unique: true,
    name: "role_name",
    partialFilterExpression: { active: true },
  },
  { key: { tenantId: 1 } },
  { key: { unsettledAt: 1 }, sparse: true },
  { key: { removedAt: 1 }, sparse: true },
];

export type Roles = ReturnType<typeof openRoles>;

export function openRoles(database: Database) {
  const roles = database.collection<RoleDoc>("roles");
  const withoutOutbox = { projection: { outbox: 0 } } as const;
  return {
    /** Throws a duplicate error of index `role_name` when the name is taken. */
    async insert(role: RoleDoc): Promise<void> {
      await roles.insertOne(role);
    },
    find: (tenantId: string, id: string) => roles.findOne({ _id: id, tenantId, active: true }, withoutOutbox),
    listByIds: (ids: string[]) => roles.find({ _id: { $in: ids }, active: true }, withoutOutbox).toArray(),
    /** All of an organization's, by name: there are at most `limits.rolesPerOrganization`. */
    list: (tenantId: string) =>
      roles.find({ tenantId, active: true }, withoutOutbox).sort({ nameKey: 1 }).toArray(),
    count: (tenantId: string) => roles.countDocuments({ tenantId, active: true }),

    /** Throws a duplicate error of index `role_name`. Null when the role is gone or has changed since `revision`. */
    update(
      id: string,
      revision: number,
      fields: Partial<Pick<RoleDoc, "name" | "nameKey" | "permissions">>,
      now: Date,
      events: EventRow[],
    ): Promise<RoleDoc | null> {
      const outbox = outboxUpdate(events);
      return roles.findOneAndUpdate(
        { _id: id, active: true, revision },
        {
          $set: { ...fields, updatedAt: now, ...outbox.$set },
          $inc: { revision: 1 },
          $push: outbox.$push,
        },
        { returnDocument: "after" },
      );
    },
    /** Ends a role: from this write on it gives nothing. False when it was gone. */
    async markRemoved(id: string, now: Date, events: EventRow[]): Promise<boolean> {
      const outbox = outboxUpdate(events);
      const result = await roles.updateOne(
        { _id: id, active: true },
        { $set: { removedAt: now, ...outbox.$set }, $unset: { active: true }, $push: outbox.$push },
      );
      return result.modifiedCount === 1;
    },
    /** Removes deleted roles whose events are in the log; answers how many went. */
    removeEnded: () => removeSlice(roles, { removedAt: { $exists: true }, unsettledAt: { $exists: false } }),
    removeOfTenant: (tenantId: string) => removeSlice(roles, { tenantId }),

    ...outboxOperations(roles),
  };
}
