/** Changes of single documents: each is one write, with its conditions and its audit events. */
import type { Collection, Document, Filter, MatchKeysAndValues, UpdateFilter } from "mongodb";
import { outboxUpdate, type EventRow, type WithOutbox } from "./outbox.ts";

/** Fields to set, those of sub-documents by their paths. */
export type FieldsOf<T> = Partial<T> | MatchKeysAndValues<T>;

/** Fields to set; null removes one. */
export type Patch<T> = { [Field in keyof T]?: T[Field] | null };

export interface Change<T> {
  /** Revision that the writer has read. The change increases it, and has no effect on another one. */
  revision?: number;
  /** Further conditions. */
  when?: Filter<T>;
  set?: FieldsOf<T>;
  patch?: Patch<T>;
  unset?: readonly string[];
  inc?: UpdateFilter<T>["$inc"];
  push?: UpdateFilter<T>["$push"];
  pull?: UpdateFilter<T>["$pull"];
  addToSet?: UpdateFilter<T>["$addToSet"];
  /** Sets `updatedAt`. */
  now?: Date;
  /** Events for the outbox. Even an empty list marks the document for the reconcile job. */
  events?: EventRow[];
  /** Returns the document as it was. */
  returns?: "before";
}

/** Changes a document and returns it, or null if there is none that meets the conditions. */
export type ChangeById<T, Changed = T> = (id: string, change: Change<T>) => Promise<Changed | null>;

/** `live` is the condition of documents that can be changed. */
export function changeOf<T extends Document & WithOutbox & { _id: string }, Changed extends Document = T>(
  collection: Collection<T>,
  live: Filter<T>,
  projection?: Document,
): ChangeById<T, Changed> {
  return (id, { when, returns, ...change }) =>
    collection.findOneAndUpdate({ _id: id, revision: change.revision, ...live, ...when }, updateOf(change), {
      returnDocument: returns ?? "after",
      projection,
    }) as Promise<Changed | null>;
}

function updateOf<T>(change: Change<T>): UpdateFilter<T> {
  const { revision, set, patch = {}, unset = [], inc, push, pull, addToSet, now, events } = change;
  const patched = Object.entries(patch);
  const removed = [...unset, ...patched.filter(([, value]) => value === null).map(([name]) => name)];
  const outbox = events && outboxUpdate(events);
  const update: Document = {
    $set: {
      updatedAt: now,
      ...set,
      ...Object.fromEntries(patched.filter(([, value]) => value !== null)),
      ...outbox?.$set,
    },
    $unset: removed.length > 0 ? Object.fromEntries(removed.map((name) => [name, true])) : undefined,
    $inc: revision === undefined ? inc : { ...inc, revision: 1 },
    $push: outbox || push ? { ...outbox?.$push, ...push } : undefined,
    $pull: pull,
    $addToSet: addToSet,
  };
  return update;
}
