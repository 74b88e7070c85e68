/**
 * The records that an organization names: roles, teams, trust policies and identity providers. Names are unique in the
 * organization. A deleted record keeps a marked document until its event is in the audit log.
 */
import type { Collection, Filter, IndexDescription, MatchKeysAndValues, UpdateFilter } from "mongodb";
import { outboxOperations, outboxUpdate, type EventRow, type WithOutbox } from "./outbox.ts";
import { removeSlice } from "./slices.ts";

export interface NamedDoc extends WithOutbox {
  _id: string;
  tenantId: string;
  name: string;
  /** Folded for comparison: unique in the organization. */
  nameKey: string;
  /** Number of changes; an update names the revision that its writer has read. */
  revision: number;
  active?: true;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
  removedAt?: Date;
}

/** `nameIndex` is the unique index of names, by which a duplicate error is recognized. */
export function namedIndexes(nameIndex: string): IndexDescription[] {
  return [
    {
      key: { tenantId: 1, nameKey: 1 },
      unique: true,
      name: nameIndex,
      partialFilterExpression: { active: true },
    },
    { key: { pendingSince: 1 }, sparse: true },
    { key: { removedAt: 1 }, sparse: true },
  ];
}

export const withoutOutbox = { projection: { outbox: 0 } } as const;

export function namedOperations<T extends NamedDoc>(collection: Collection<T>) {
  const activeWith = (filter: object) => ({ ...filter, active: true }) as Filter<T>;
  return {
    /** Throws a duplicate error of the name index if the name is taken. */
    async insert(record: T): Promise<void> {
      await collection.insertOne(record as Parameters<typeof collection.insertOne>[0]);
    },
    find: (tenantId: string, id: string) =>
      collection.findOne<T>(activeWith({ _id: id, tenantId }), withoutOutbox),
    listByIds: (ids: string[]) =>
      collection.find<T>(activeWith({ _id: { $in: ids } }), withoutOutbox).toArray(),
    count: (tenantId: string) => collection.countDocuments(activeWith({ tenantId })),

    /**
     * Throws a duplicate error of the name index if the name is taken. Null if the record was deleted or has changed
     * since `revision`.
     */
    update(
      id: string,
      revision: number,
      fields: Partial<Omit<T, keyof NamedDoc> & Pick<NamedDoc, "name" | "nameKey">>,
      now: Date,
      events: EventRow[],
    ): Promise<T | null> {
      const outbox = outboxUpdate(events);
      const update = {
        $set: { ...fields, updatedAt: now, ...outbox.$set } as MatchKeysAndValues<NamedDoc>,
        $inc: { revision: 1 },
        $push: outbox.$push,
      } satisfies UpdateFilter<NamedDoc>;
      return collection.findOneAndUpdate(
        activeWith({ _id: id, revision }),
        update as UpdateFilter<NamedDoc> as UpdateFilter<T>,
        { returnDocument: "after" },
      ) as Promise<T | null>;
    },
    /** Deletes a record: it gives its holders nothing from this write on. False if it was deleted already. */
    async markRemoved(id: string, now: Date, events: EventRow[]): Promise<boolean> {
      const outbox = outboxUpdate(events);
      const update: UpdateFilter<NamedDoc> = {
        $set: { removedAt: now, ...outbox.$set },
        $unset: { active: true },
        $push: outbox.$push,
      };
      const result = await collection.updateOne(activeWith({ _id: id }), update as UpdateFilter<T>);
      return result.modifiedCount === 1;
    },
    removeOfTenant: (tenantId: string) => removeSlice(collection, { tenantId } as Filter<T>),

    ...outboxOperations(collection),
  };
}
