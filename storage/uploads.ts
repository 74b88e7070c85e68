/** Staged uploads: announced, stored, and claimed by a publish. */
import type { Collection, Filter } from "mongodb";
import { defineCollection } from "./collection.ts";

export interface UploadDoc {
  _id: string;
  /** `actorKey` of the caller who announced it. No other caller may write or publish it. */
  owner: string;
  size: number;
  sha256: string;
  /** `open` → `stored` when all bytes have arrived → `claimed` by one publish, or a check. */
  state: "open" | "stored" | "claimed";
  /** The claim, which its process renews: one that has expired counts as `stored`. */
  claim?: { id: string; until: Date };
  /** Slot of the owner, 0 … `limits.openUploads` - 1. */
  slot?: number;
  createdAt: Date;
  expiresAt: Date;
}

const unclaimed = (now: Date): Filter<UploadDoc> => ({
  $or: [{ state: { $in: ["open", "stored"] } }, { state: "claimed", "claim.until": { $lte: now } }],
});

export const uploadsCollection = defineCollection({
  name: "uploads",
  indexes: [
    {
      key: { owner: 1, slot: 1 },
      unique: true,
      name: "upload_slot",
      partialFilterExpression: { slot: { $type: "int" } },
    },
    { key: { expiresAt: 1 } },
  ],
  open: (uploads: Collection<UploadDoc>) => ({
    find: (id: string) => uploads.findOne({ _id: id }),
    async takenSlots(owner: string): Promise<number[]> {
      const rows = await uploads
        .find({ owner, slot: { $type: "int" } }, { projection: { slot: 1 } })
        .toArray();
      return rows.map((row) => row.slot!);
    },
    /** The uploads of an owner, oldest first. */
    listOf: (owner: string, now: Date) =>
      uploads
        .find({ owner, expiresAt: { $gt: now } })
        .sort({ createdAt: 1, _id: 1 })
        .toArray(),
    /** Removes the oldest upload of an owner that no publish has claimed, apart from `kept`. */
    removeOldest: (owner: string, kept: readonly string[], now: Date) =>
      uploads.findOneAndDelete(
        { owner, slot: { $type: "int" }, ...unclaimed(now), _id: { $nin: [...kept] } },
        { sort: { createdAt: 1, _id: 1 } },
      ),
    /** False if the owner has no such upload, or a publish has claimed it. */
    async removeUnclaimed(id: string, owner: string, now: Date): Promise<boolean> {
      return (await uploads.deleteOne({ _id: id, owner, ...unclaimed(now) })).deletedCount === 1;
    },
    /** open → stored. False if it is no longer open. */
    async markStored(id: string): Promise<boolean> {
      return (
        (await uploads.updateOne({ _id: id, state: "open" }, { $set: { state: "stored" } })).modifiedCount ===
        1
      );
    },
    ...claimOperations(uploads),
    async remove(id: string): Promise<void> {
      await uploads.deleteOne({ _id: id });
    },
    listExpired: (now: Date, limit: number, owner?: string) =>
      uploads
        .find({ expiresAt: { $lte: now }, owner })
        .limit(limit)
        .toArray(),
  }),
});

function claimOperations(uploads: Collection<UploadDoc>) {
  return {
    /** stored → claimed, for exactly one caller. The upload is not purged before `expiresAt`. */
    async claim(
      id: string,
      owner: string,
      { now, ...fields }: { now: Date; claim: { id: string; until: Date }; expiresAt: Date },
    ): Promise<boolean> {
      const claimed = await uploads.updateOne(
        { _id: id, owner, state: { $ne: "open" }, expiresAt: { $gt: now }, ...unclaimed(now) },
        { $set: { state: "claimed", ...fields } },
      );
      return claimed.matchedCount === 1;
    },
    async renewClaim(id: string, claimId: string, until: Date): Promise<void> {
      await uploads.updateOne({ _id: id, "claim.id": claimId }, { $set: { "claim.until": until } });
    },
    /** claimed → stored, after a publish that failed for a reason outside the upload. */
    async unclaim(id: string, claimId: string): Promise<void> {
      await uploads.updateOne(
        { _id: id, "claim.id": claimId },
        { $set: { state: "stored" }, $unset: { claim: true } },
      );
    },
    holdsClaim: async (id: string, claimId: string): Promise<boolean> =>
      (await uploads.countDocuments({ _id: id, "claim.id": claimId }, { limit: 1 })) === 1,
  };
}
