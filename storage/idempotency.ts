/** First responses of calls with an `Idempotency-Key`. */
import type { Collection } from "mongodb";
import { defineCollection } from "./collection.ts";
import { isDuplicate, retryIdempotent } from "./database.ts";

export interface IdempotencyDoc {
  _id: string;
  bodyHash: string;
  /** Id for what the call creates: every attempt under one key uses it. Absent in records of earlier releases. */
  resultId?: string;
  /** Other attempts are refused before that; afterwards the attempt counts as interrupted. */
  runningUntil?: Date;
  status?: number;
  /** Data of the response, encrypted by the service. */
  sealed?: string;
  expiresAt: Date;
}

export const idempotencyCollection = defineCollection({
  name: "idempotency",
  indexes: [{ key: { expiresAt: 1 } }],
  open: (records: Collection<IdempotencyDoc>) => ({
    /**
     * Claims a key, or takes it over from an interrupted attempt with the same body. Otherwise returns the record that
     * has the key.
     */
    async claim(
      record: IdempotencyDoc,
      now: Date,
    ): Promise<"claimed" | { takenOver: IdempotencyDoc } | { heldBy: IdempotencyDoc }> {
      const { _id, bodyHash, runningUntil, expiresAt } = record;
      for (;;) {
        try {
          await records.insertOne(record);
          return "claimed";
        } catch (error) {
          if (!isDuplicate(error)) throw error;
          await records.deleteOne({ _id, expiresAt: { $lte: now } });
          const interrupted = { _id, bodyHash, status: { $exists: false }, runningUntil: { $lte: now } };
          const takenOver = await records.findOneAndUpdate(interrupted, {
            $set: { runningUntil, expiresAt },
          });
          if (takenOver) return { takenOver };
          const heldBy = await records.findOne({ _id });
          if (heldBy) return { heldBy };
        }
      }
    },
    /** Keeps the key of a call that still runs. */
    async renew(id: string, runningUntil: Date): Promise<void> {
      await records.updateOne({ _id: id, status: { $exists: false } }, { $set: { runningUntil } });
    },
    /** Lets the next attempt with the same body take over at once. */
    async interrupt(id: string, now: Date): Promise<void> {
      await records.updateOne({ _id: id, status: { $exists: false } }, { $set: { runningUntil: now } });
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
  }),
});
