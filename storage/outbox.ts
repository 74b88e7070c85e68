/**
 * Audit events that cannot be lost or doubled: an event is written into the very document whose change it
 * records, in the same atomic write, and carried to the `audit_events` collection afterwards. A stop between
 * the two leaves `unsettledAt` on the document, by which the reconcile job finds and finishes it.
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
}

/** The fields of every document that carries events. */
export interface WithOutbox {
  outbox?: EventRow[];
  /** Since when something of this document waits to be carried elsewhere. */
  unsettledAt?: Date;
}

/** The parts of an update that add events to a document. */
export function outboxUpdate(events: EventRow[]): {
  $push: { outbox: { $each: EventRow[] } };
  $set: { unsettledAt: Date };
} {
  return { $push: { outbox: { $each: events } }, $set: { unsettledAt: events[0]?.createdAt ?? new Date() } };
}

/** The fields of a new document that carries its first events. */
export function outboxFields(events: EventRow[]): WithOutbox {
  return { outbox: events, unsettledAt: events[0]?.createdAt ?? new Date() };
}

/**
 * Inserts rows that may be there already: an `_id` written before counts as done. A row that another unique index
 * refuses is an error, since whoever calls this next takes the row for kept.
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

/** Whether all that is wrong with a bulk write is that documents of the same `_id`, or key of another index, are there. */
export function isOnlyThereAlready(error: unknown, index = "_id_"): boolean {
  if (!isDuplicate(error)) return false;
  const failed = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  return failed.every((one) => one.code === 11000 && (one.errmsg ?? "").includes(` index: ${index} `));
}

/** What every collection whose documents carry events offers to whoever carries them. */
export function outboxOperations<T extends Document & WithOutbox & { _id: string }>(
  collection: Collection<T>,
) {
  return {
    /** Documents whose events were not carried to the log yet, oldest first. */
    listUnsettled: (before: Date, limit: number) => listUnsettled(collection, before, limit),
    settle: (id: string, eventIds: string[]) => settleOutbox(collection, id, eventIds),
  };
}

/** Documents of which something waits to be carried elsewhere, oldest first. */
export function listUnsettled<T extends Document & WithOutbox & { _id: string }>(
  collection: Collection<T>,
  before: Date,
  limit: number,
) {
  return collection
    .find({ unsettledAt: { $lt: before } } as Filter<T>)
    .sort({ unsettledAt: 1 })
    .limit(limit)
    .toArray();
}

/**
 * Takes carried events off a document. `unsettledAt` goes only when nothing else was added meanwhile: both are
 * decided in the one update.
 */
export async function settleOutbox<T extends Document & WithOutbox & { _id: string }>(
  collection: Collection<T>,
  id: string,
  eventIds: string[],
): Promise<void> {
  await collection.updateOne({ _id: id } as Filter<T>, settledUpdate(eventIds));
}

/** The same for many documents in one call. */
export async function settleOutboxes<T extends Document & WithOutbox & { _id: string }>(
  collection: Collection<T>,
  documents: readonly { id: string; eventIds: string[] }[],
): Promise<void> {
  if (documents.length === 0) return;
  await collection.bulkWrite(
    documents.map(({ id, eventIds }) => ({
      updateOne: { filter: { _id: id } as Filter<T>, update: settledUpdate(eventIds) },
    })),
    { ordered: false },
  );
}

function settledUpdate(eventIds: string[]): Document[] {
  const rest = {
    $filter: {
      input: { $ifNull: ["$outbox", []] },
      as: "event",
      cond: { $not: [{ $in: ["$$event._id", eventIds] }] },
    },
  };
  return [
    { $set: { outbox: rest } },
    { $set: { unsettledAt: { $cond: [{ $eq: ["$outbox", []] }, "$$REMOVE", "$unsettledAt"] } } },
  ];
}
