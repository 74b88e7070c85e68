/** Cursors of walks over everything of a kind, which processes continue in turn (`workers/maintenance/walk.ts`). */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { isDuplicate } from "../database.ts";

export interface WalkDoc {
  /** Name of the walk. */
  _id: string;
  /** Position of the last item that was visited; absent at the start of a pass. */
  after?: string;
  /** Consecutive failures at this position. */
  failures: number;
  /** Start of the pass that is under way, or of the next one. */
  startedAt: Date;
  /** Start of the last complete pass. */
  previousAt?: Date;
  /** Sums over the pass that is under way, and over the one before. */
  sums?: Record<string, number>;
  previousSums?: Record<string, number>;
}

const position = (after: string | undefined) => (after === undefined ? { $exists: false } : after);

export const walksCollection = defineCollection({
  name: "walks",
  open: (walks: Collection<WalkDoc>) => ({
    /** The walk, which begins now if it is new. */
    async begin(name: string, now: Date): Promise<WalkDoc> {
      try {
        const walk = await walks.findOneAndUpdate(
          { _id: name },
          { $setOnInsert: { startedAt: now, failures: 0 } },
          { upsert: true, returnDocument: "after" },
        );
        return walk!;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        return (await walks.findOne({ _id: name }))!;
      }
    },
    /** Moves the cursor, and adds to the sums of the pass. False if another process has moved it. */
    async advance(
      name: string,
      from: string | undefined,
      to: string,
      sums: Record<string, number> = {},
    ): Promise<boolean> {
      const added = Object.fromEntries(Object.entries(sums).map(([key, value]) => [`sums.${key}`, value]));
      const moved = await walks.updateOne(
        { _id: name, after: position(from) },
        { $set: { after: to, failures: 0 }, $inc: added },
      );
      return moved.modifiedCount === 1;
    },
    /** Ends a pass, and begins the next one. False if another process has moved the cursor. */
    async restart(
      name: string,
      from: string | undefined,
      now: Date,
      sums: Record<string, number> = {},
    ): Promise<boolean> {
      const total = (key: string) => ({ $add: [{ $ifNull: [`$sums.${key}`, 0] }, sums[key]!] });
      const added = Object.fromEntries(Object.keys(sums).map((key) => [`sums.${key}`, total(key)]));
      const ended = await walks.updateOne({ _id: name, after: position(from) }, [
        { $set: { failures: 0, previousAt: "$startedAt", startedAt: now, ...added } },
        { $set: { previousSums: { $ifNull: ["$sums", {}] } } },
        { $unset: ["after", "sums"] },
      ]);
      return ended.matchedCount === 1;
    },
    /** Counts a failure at a position; returns the number of consecutive ones. */
    async fail(name: string, at: string | undefined): Promise<number> {
      const failed = await walks.findOneAndUpdate(
        { _id: name, after: position(at) },
        { $inc: { failures: 1 } },
        { returnDocument: "after" },
      );
      return failed?.failures ?? 0;
    },
  }),
});
