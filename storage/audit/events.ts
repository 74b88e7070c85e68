/** The audit log: events published from the outboxes of the documents whose changes they record (`outbox.ts`). */
import type { Collection, Filter } from "mongodb";
import type { EventName } from "../../contract/vocabulary.ts";
import { defineCollection } from "../collection.ts";
import { commandTimeMs } from "../database.ts";
import { removeSlice, updateInSlices } from "../maintenance/slices.ts";
import { insertOnce, type EventRow } from "../outbox.ts";

/** Each begins with the owner of the log and ends with the order in which a log is read. */
/** Entries of one organization's or one user's log within a time, limited by the given filters. */
export interface AuditQuery {
  log: { tenantId: string } | { userId: string };
  /** Start of the time, included; not before the retention. */
  from: Date;
  /** End of the time, excluded. */
  to?: Date;
  names?: EventName[];
  /** Actors with one of the ids, or with one of the names at the time of the event. */
  actor?: { ids: string[]; names: string[] };
  resourceId?: string;
}

const newestFirst = { createdAt: -1, _id: -1 } as const;
const exportBatch = 500;

export const auditEventsCollection = defineCollection({
  name: "audit_events",
  indexes: [
    { key: { tenantId: 1, createdAt: -1, _id: -1 } },
    { key: { tenantId: 1, name: 1, createdAt: -1, _id: -1 } },
    { key: { tenantId: 1, "actor.id": 1, createdAt: -1, _id: -1 } },
    { key: { tenantId: 1, "actor.name": 1, createdAt: -1, _id: -1 } },
    { key: { tenantId: 1, resourceId: 1, createdAt: -1, _id: -1 } },
    { key: { userId: 1, createdAt: -1, _id: -1 } },
    { key: { userId: 1, name: 1, createdAt: -1, _id: -1 } },
    { key: { createdAt: 1 } },
    {
      key: { tenantId: 1, createdAt: 1, _id: 1 },
      name: "audit_forwarding",
      partialFilterExpression: { forwarding: true },
    },
  ],
  open: (events: Collection<EventRow>) => ({
    /** Writes events. Existing ones are not changed. */
    record: (rows: EventRow[]) => insertOnce(events, rows),

    /** Entries, newest first. */
    list: (query: AuditQuery, skip: number, limit: number): Promise<EventRow[]> =>
      events
        .find(filterOf(query), { maxTimeMS: commandTimeMs })
        .sort(newestFirst)
        .skip(skip)
        .limit(limit)
        .toArray(),

    /** Entries of any of the logs from a time on, without an order. */
    listSince: (
      logs: { tenantIds: readonly string[]; userIds: readonly string[] },
      from: Date,
      limit: number,
    ): Promise<EventRow[]> => {
      const createdAt = { $gte: from };
      const logsOf = [
        { tenantId: { $in: [...logs.tenantIds] }, createdAt },
        { userId: { $in: [...logs.userIds] }, createdAt },
      ];
      return events.find({ $or: logsOf }, { maxTimeMS: commandTimeMs }).limit(limit).toArray();
    },

    /** Entries of all logs from a time on, without an order. */
    listRecent: (from: Date, limit: number): Promise<EventRow[]> =>
      events
        .find({ createdAt: { $gte: from } }, { maxTimeMS: commandTimeMs })
        .limit(limit)
        .toArray(),

    /** Number of matching entries, counted up to `max`. */
    count: (query: AuditQuery, max: number): Promise<number> =>
      events.countDocuments(filterOf(query), { limit: max, maxTimeMS: commandTimeMs }),

    /** All entries, newest first, with one batch in memory at a time. A reader that stops early ends the query. */
    each: (query: AuditQuery): AsyncIterable<EventRow> =>
      events.find(filterOf(query), { batchSize: exportBatch }).sort(newestFirst),

    /** Entries that wait to be forwarded, in their order. */
    listForwarding: (tenantId: string, limit: number): Promise<EventRow[]> =>
      events.find({ tenantId, forwarding: true }).sort({ createdAt: 1, _id: 1 }).limit(limit).toArray(),
    /** Number of entries that wait to be forwarded, counted up to `max`. */
    countForwarding: (tenantId: string, max: number): Promise<number> =>
      events.countDocuments({ tenantId, forwarding: true }, { limit: max }),
    async noteForwarded(ids: string[]): Promise<void> {
      await events.updateMany({ _id: { $in: ids } }, { $unset: { forwarding: true } });
    },
    /** Lets no entry of an organization wait any more. */
    stopForwarding: (tenantId: string) =>
      updateInSlices(events, { tenantId, forwarding: true }, { $unset: { forwarding: true } }),

    /**
     * Removes events older than the retention, in slices; returns how many were removed. Those that wait to be
     * forwarded stay until `kept`.
     */
    removeBefore: (time: Date, kept: Date, slice = 1000) =>
      removeSlice(
        events,
        { $or: [{ createdAt: { $lt: kept } }, { createdAt: { $lt: time }, forwarding: { $exists: false } }] },
        slice,
      ),
  }),
});

function filterOf({ log, from, to, names, actor, resourceId }: AuditQuery): Filter<EventRow> {
  return {
    ...log,
    createdAt: { $gte: from, ...(to ? { $lt: to } : {}) },
    name: names ? { $in: names } : undefined,
    resourceId,
    ...(actor ? { $or: [{ "actor.id": { $in: actor.ids } }, { "actor.name": { $in: actor.names } }] } : {}),
  };
}
