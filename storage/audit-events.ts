/** The audit log: events carried here from the documents whose change they record (`outbox.ts`). */
import type { IndexDescription } from "mongodb";
import type { Database } from "./database.ts";
import { insertOnce, type EventRow } from "./outbox.ts";
import { removeSlice } from "./slices.ts";

export const auditEventIndexes: IndexDescription[] = [
  { key: { tenantId: 1, createdAt: -1, _id: -1 } },
  { key: { userId: 1, createdAt: -1, _id: -1 } },
  { key: { createdAt: 1 } },
];

export type AuditEvents = ReturnType<typeof openAuditEvents>;

export function openAuditEvents(database: Database) {
  const events = database.collection<EventRow>("audit_events");
  return {
    /** Writes events; one that is there already is left as it is. */
    record: (rows: EventRow[]) => insertOnce(events, rows),

    /** A page of a user's own events, newest first. */
    async listOfUser(
      userId: string,
      skip: number,
      limit: number,
    ): Promise<{ entries: EventRow[]; total: number }> {
      const [entries, total] = await Promise.all([
        events.find({ userId }).sort({ createdAt: -1, _id: -1 }).skip(skip).limit(limit).toArray(),
        events.countDocuments({ userId }),
      ]);
      return { entries, total };
    },

    removeOfTenant: (tenantId: string) => removeSlice(events, { tenantId }),
    /** Removes what is older than the retention, in slices; answers how many went. */
    async removeBefore(time: Date, slice = 1000): Promise<number> {
      const old = await events
        .find({ createdAt: { $lt: time } }, { projection: { _id: 1 } })
        .limit(slice)
        .toArray();
      if (old.length === 0) return 0;
      return (await events.deleteMany({ _id: { $in: old.map((row) => row._id) } })).deletedCount;
    },
  };
}
