/** Organizations: the tenants that own skills. */
import type { IndexDescription } from "mongodb";
import type { Database } from "./database.ts";
import { outboxUpdate, settleOutbox, type EventRow, type WithOutbox } from "./outbox.ts";

export interface TenantDoc extends WithOutbox {
  _id: string;
  slug: string;
  name: string;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
}

export const tenantIndexes: IndexDescription[] = [
  { key: { slug: 1 }, unique: true, name: "tenant_slug" },
  { key: { unsettledAt: 1 }, sparse: true },
];

export type Tenants = ReturnType<typeof openTenants>;

export function openTenants(database: Database) {
  const tenants = database.collection<TenantDoc>("tenants");
  return {
    /** Throws a duplicate error of index `tenant_slug` when the slug is taken. */
    async insert(tenant: TenantDoc): Promise<void> {
      await tenants.insertOne(tenant);
    },
    find: (id: string) => tenants.findOne({ _id: id }),
    findBySlug: (slug: string) => tenants.findOne({ slug }),
    listByIds: (ids: string[]) =>
      tenants
        .find({ _id: { $in: ids } })
        .sort({ slug: 1 })
        .toArray(),

    async update(
      id: string,
      fields: Partial<Pick<TenantDoc, "slug" | "name">>,
      now: Date,
      events: EventRow[],
    ) {
      const outbox = outboxUpdate(events);
      return tenants.findOneAndUpdate(
        { _id: id },
        { $set: { ...fields, updatedAt: now, ...outbox.$set }, $push: outbox.$push },
        { returnDocument: "after" },
      );
    },

    /** Documents whose events were not carried to the log yet, oldest first. */
    listUnsettled: (before: Date, limit: number) =>
      tenants
        .find({ unsettledAt: { $lt: before } })
        .sort({ unsettledAt: 1 })
        .limit(limit)
        .toArray(),
    settle: (id: string, eventIds: string[]) => settleOutbox(tenants, id, eventIds),
  };
}
