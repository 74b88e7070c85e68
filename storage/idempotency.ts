/** First answers of calls that carried an `Idempotency-Key`. */
import type { IndexDescription } from "mongodb";
import { isDuplicate, retryIdempotent, type Database } from "./database.ts";

interface IdempotencyDoc {
  _id: string;
  bodyHash: string;
  status?: number;
  /** The answer's data, sealed by the service. */
  sealed?: string;
  expiresAt: Date;
}

export const idempotencyIndexes: IndexDescription[] = [{ key: { expiresAt: 1 } }];

export type IdempotencyRecords = ReturnType<typeof openIdempotency>;

export function openIdempotency(database: Database) {
  const records = database.collection<IdempotencyDoc>("idempotency");
  return {
    /** Claims a key; answers the record that holds it when somebody was first. */
    async claim(record: IdempotencyDoc, now: Date): Promise<"claimed" | IdempotencyDoc> {
      for (;;) {
        try {
          await records.insertOne(record);
          return "claimed";
        } catch (error) {
          if (!isDuplicate(error)) throw error;
          await records.deleteOne({ _id: record._id, expiresAt: { $lte: now } });
          const holder = await records.findOne({ _id: record._id });
          if (holder) return holder;
        }
      }
    },
    async complete(id: string, status: number, sealed: string, expiresAt: Date): Promise<void> {
      await retryIdempotent(() => records.updateOne({ _id: id }, { $set: { status, sealed, expiresAt } }));
    },
    async release(id: string): Promise<void> {
      await records.deleteOne({ _id: id, status: { $exists: false } });
    },
    async removeExpired(now: Date): Promise<number> {
      return (await records.deleteMany({ expiresAt: { $lte: now } })).deletedCount;
    },
  };
}
