/**
 * Outbox of audit events, which can be neither lost nor duplicated: an event is written into the document whose change
 * it records, in the same atomic write, and published to the `audit_events` collection afterwards. A crash between the
 * two leaves `pendingSince` on the document, by which the reconcile job finds it and publishes the event.
 */
import {
  MongoBulkWriteError,
  type Collection,
  type Document,
  type Filter,
  type OptionalUnlessRequiredId,
} from "mongodb";
import type { EventName } from "../contract/vocabulary.ts";
import { isDuplicate } from "./database.ts";

export interface EventRow {
  _id: string;
  name: EventName;
  /** Organization whose log shows it. */
  tenantId?: string;
  /** User whose own log shows it. */
  userId?: string;
  actor: { type: "user" | "organization" | "anonymous" | "system"; id: string | null; name: string };
  resourceType: string;
  resourceId: string;
  metadata: Record<string, unknown>;
  /** HMAC-SHA256 of the caller's address. */
  ipHash?: string;
  createdAt: Date;
  /** Set while the entry waits for the receiver of the organization's log. */
  forwarding?: true;
}

/** The outbox fields of a document. */
export interface WithOutbox {
  outbox?: EventRow[];
  /** Since when events or derived data of this document are pending. */
  pendingSince?: Date;
}

/** The parts of an update that add events to the outbox. */
export function outboxUpdate(events: EventRow[]): {
  $push: { outbox: { $each: EventRow[] } };
  $set: { pendingSince: Date };
} {
  return { $push: { outbox: { $each: events } }, $set: { pendingSince: events[0]?.createdAt ?? new Date() } };
}

/** The outbox fields of a new document with its first events. */
export function outboxFields(events: EventRow[]): WithOutbox {
  return { outbox: events, pendingSince: events[0]?.createdAt ?? new Date() };
}

/**
 * Inserts rows that may exist already: an `_id` that exists counts as inserted. A row that another unique index refuses
 * is an error, since the caller would take the row for stored.
 */
export async function insertOnce<T extends Document & { _id: string }>(
  collection: Collection<T>,
  rows: OptionalUnlessRequiredId<T>[],
): Promise<void> {
  if (rows.length === 0) return;
  try {
    await collection.insertMany(rows, { ordered: false });
  } catch (error) {
    if (!isOnlyThereAlready(error)) throw error;
  }
}

/** Whether a bulk write failed only because documents with the same `_id`, or key of the named index, exist. */
export function isOnlyThereAlready(error: unknown, index = "_id_"): boolean {
  if (!isDuplicate(error)) return false;
  const failed = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  return failed.every((one) => one.code === 11000 && (one.errmsg ?? "").includes(` index: ${index} `));
}

/** Projection of a document without its events. */
export const withoutOutbox = { projection: { outbox: 0 } } as const;

export interface OutboxOperations<T> {
  /** Documents with unpublished events, oldest first. */
  listUnflushed(before: Date, limit: number): Promise<T[]>;
  clearOutbox(id: string, eventIds: string[]): Promise<void>;
}

/** The operations by which events of a collection are published. */
export function outboxOperations<T extends Document & WithOutbox & { _id: string }>(
  collection: Collection<T>,
): OutboxOperations<T> {
  return {
    listUnflushed: (before, limit) => listUnflushed(collection, before, limit) as Promise<T[]>,
    clearOutbox: (id, eventIds) => clearOutbox(collection, id, eventIds),
  };
}

/** Documents with unpublished events or pending derived data, oldest first. */
export function listUnflushed<T extends Document & WithOutbox & { _id: string }>(
  collection: Collection<T>,
  before: Date,
  limit: number,
) {
  return collection
    .find({ pendingSince: { $lt: before } } as Filter<T>)
    .sort({ pendingSince: 1 })
    .limit(limit)
    .toArray();
}

/**
 * Clears published events from a document's outbox. `pendingSince` is removed only if no other event was added
 * concurrently: one update decides both.
 */
export async function clearOutbox<T extends Document & WithOutbox & { _id: string }>(
  collection: Collection<T>,
  id: string,
  eventIds: string[],
): Promise<void> {
  await collection.updateOne({ _id: id } as Filter<T>, clearedUpdate(eventIds));
}

/** Clears the outboxes of many documents in one call. */
export async function clearOutboxes<T extends Document & WithOutbox & { _id: string }>(
  collection: Collection<T>,
  documents: readonly { id: string; eventIds: string[] }[],
): Promise<void> {
  if (documents.length === 0) return;
  await collection.bulkWrite(
    documents.map(({ id, eventIds }) => ({
      updateOne: { filter: { _id: id } as Filter<T>, update: clearedUpdate(eventIds) },
    })),
    { ordered: false },
  );
}

function clearedUpdate(eventIds: string[]): Document[] {
  const rest = {
    $filter: {
      input: { $ifNull: ["$outbox", []] },
      as: "event",
      cond: { $not: [{ $in: ["$$event._id", eventIds] }] },
    },
  };
  return [
    { $set: { outbox: rest } },
    { $set: { pendingSince: { $cond: [{ $eq: ["$outbox", []] }, "$$REMOVE", "$pendingSince"] } } },
  ];
}
