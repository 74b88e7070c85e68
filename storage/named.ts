/**
 * The records that an organization names: roles, teams, trust policies and identity providers. Names are unique in the
 * organization. A deleted record keeps a marked document until its event is in the audit log.
 */
import type { Collection, Filter, IndexDescription } from "mongodb";
import { changeOf } from "./change.ts";
import { withoutOutbox, type EventRow, type WithOutbox } from "./outbox.ts";

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
    { key: { removedAt: 1 }, sparse: true },
  ];
}

export function namedOperations<T extends NamedDoc>(collection: Collection<T>) {
  const activeWith = (filter: object) => ({ ...filter, active: true }) as Filter<T>;
  const change = changeOf(collection, activeWith({}));
  return {
    find: (tenantId: string, id: string) =>
      collection.findOne<T>(activeWith({ _id: id, tenantId }), withoutOutbox),
    listByIds: (ids: string[]) =>
      collection.find<T>(activeWith({ _id: { $in: ids } }), withoutOutbox).toArray(),
    count: (tenantId: string) => collection.countDocuments(activeWith({ tenantId })),

    /** Throws a duplicate error of the name index if the name is taken. Null if the record was deleted. */
    change,
    /** Deletes a record: it gives its holders nothing from this write on. Null if it was deleted already. */
    markRemoved: (id: string, now: Date, events: EventRow[]) =>
      change(id, { set: { removedAt: now } as Partial<T>, unset: ["active"], events }),
  };
}
