/** Declaration of a collection: its indexes, whether its documents have an outbox, and its operations. */
import type { Collection, Document, Filter, IndexDescription, OptionalUnlessRequiredId } from "mongodb";
import type { Database } from "./database.ts";
import { removeSlice } from "./maintenance/slices.ts";
import { outboxOperations, type OutboxOperations, type WithOutbox } from "./outbox.ts";

/** Index by which documents with unpublished events are found. */
export const outboxIndex: IndexDescription = { key: { pendingSince: 1 }, sparse: true };

interface Declaration<T extends Document, Operations extends object, Outbox extends boolean> {
  name: string;
  indexes?: IndexDescription[];
  /** Indexes of further collections, by name, that the operations use as well. */
  others?: Record<string, IndexDescription[]>;
  /** The reconcile job publishes the events that a crash has left in documents. */
  outbox?: Outbox;
  open(collection: Collection<T>, database: Database): Operations;
}

/** Operations that every collection has, unless its own replace them. */
type Common<T extends Document> = {
  /** Throws a duplicate error of the unique index that has the value of a field already. */
  insert(document: T): Promise<void>;
} & ("tenantId" extends keyof T
  ? {
      /** Removes a slice of an organization's documents; returns how many were removed. */
      removeOfTenant(tenantId: string): Promise<number>;
    }
  : unknown);

type Given<T extends Document, Outbox extends boolean> = Common<T> &
  (Outbox extends true ? OutboxOperations<T> : unknown);

export interface DeclaredCollection<Operations, Outbox extends boolean = boolean> {
  /** By the names of collections. */
  indexes: Record<string, IndexDescription[]>;
  hasOutbox: Outbox;
  open(database: Database): Operations;
}

export function defineCollection<
  T extends Document & { _id: string },
  Operations extends object,
  Outbox extends boolean = false,
>({
  name,
  indexes = [],
  others,
  outbox,
  open,
}: Declaration<T, Operations, Outbox>): DeclaredCollection<
  Omit<Given<T, Outbox>, keyof Operations> & Operations,
  Outbox
> {
  return {
    indexes: { [name]: outbox ? [...indexes, outboxIndex] : indexes, ...others },
    hasOutbox: (outbox ?? false) as Outbox,
    open(database) {
      const collection = database.collection<T>(name);
      const given = {
        async insert(document: OptionalUnlessRequiredId<T>) {
          await collection.insertOne(document);
        },
        removeOfTenant: (tenantId: string) => removeSlice(collection, { tenantId } as Document as Filter<T>),
        ...(outbox ? outboxOperations(database.collection<T & WithOutbox>(name)) : {}),
      };
      return { ...given, ...open(collection, database) } as Omit<Given<T, Outbox>, keyof Operations> &
        Operations;
    },
  };
}
