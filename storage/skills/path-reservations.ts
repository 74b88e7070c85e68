/**
 * Path reservations: one row per skill and folder, with its slug and parent. Folders and skills in one parent share a
 * namespace, since they share a directory in every export. The unique index enforces it under concurrency.
 */
import type { Collection } from "mongodb";
import { batchedInsert } from "../batches/batched-insert.ts";
import { defineCollection } from "../collection.ts";
import { isDuplicate } from "../database.ts";

export interface PathReservationDoc {
  _id: string;
  tenantId: string;
  parentId: string | null;
  slug: string;
  kind: "skill" | "folder";
  ownerId: string;
  createdAt: Date;
}

export const pathReservationsCollection = defineCollection({
  name: "places",
  indexes: [
    { key: { tenantId: 1, parentId: 1, slug: 1 }, unique: true, name: "place_slug" },
    { key: { tenantId: 1, kind: 1, parentId: 1 } },
    { key: { ownerId: 1 } },
  ],
  open: openPathReservations,
});

function openPathReservations(reservations: Collection<PathReservationDoc>) {
  const insert = batchedInsert(reservations);
  return {
    /** Reserves a path. Returns the existing reservation if there is one, even of the same owner. */
    async reserve(reservation: PathReservationDoc): Promise<"reserved" | PathReservationDoc> {
      for (;;) {
        try {
          await insert(reservation);
          return "reserved";
        } catch (error) {
          if (!isDuplicate(error, "place_slug")) throw error;
        }
        const { tenantId, parentId, slug } = reservation;
        const existing = await reservations.findOne({ tenantId, parentId, slug });
        if (existing) return existing;
      }
    },
    /** Gives a reservation to another owner. False if it has changed. */
    async takeOver({ _id, ownerId }: PathReservationDoc, nextId: string, createdAt: Date): Promise<boolean> {
      const taken = await reservations.updateOne({ _id, ownerId }, { $set: { ownerId: nextId, createdAt } });
      return taken.modifiedCount === 1;
    },
    async release(
      reservation: Pick<PathReservationDoc, "tenantId" | "parentId" | "slug" | "ownerId">,
    ): Promise<void> {
      const { tenantId, parentId, slug, ownerId } = reservation;
      await reservations.deleteOne({ tenantId, parentId, slug, ownerId });
    },
    async releaseAllOf(ownerId: string): Promise<void> {
      await reservations.deleteMany({ ownerId });
    },
    /** Whether a folder contains anything, or anything of a kind. */
    async hasAnyIn(tenantId: string, parentId: string, kind?: PathReservationDoc["kind"]): Promise<boolean> {
      const filter = kind ? { tenantId, kind, parentId } : { tenantId, parentId };
      return (await reservations.findOne(filter, { projection: { _id: 1 } })) !== null;
    },
    /** Whether any of the folders contains a skill, or a reservation for one. */
    async hasSkillsIn(tenantId: string, parentIds: string[]): Promise<boolean> {
      const filter = { tenantId, kind: "skill" as const, parentId: { $in: parentIds } };
      return (await reservations.findOne(filter, { projection: { _id: 1 } })) !== null;
    },
    listSkillsIn: (tenantId: string, parentIds: string[], limit: number) =>
      reservations
        .find({ tenantId, kind: "skill" as const, parentId: { $in: parentIds } })
        .limit(limit)
        .toArray(),
    /** Number of skills directly in each of the folders. */
    async countSkills(tenantId: string, folderIds: string[]): Promise<Map<string | null, number>> {
      if (folderIds.length === 0) return new Map();
      const rows = await reservations
        .aggregate<{ _id: string | null; count: number }>([
          { $match: { tenantId, kind: "skill", parentId: { $in: folderIds } } },
          { $group: { _id: "$parentId", count: { $sum: 1 } } },
        ])
        .toArray();
      return new Map(rows.map((row) => [row._id, row.count]));
    },
    /** A slice of all reservations in order of their ids, for the reconcile job. */
    listAfter: (id: string | undefined, limit: number) =>
      reservations
        .find(id === undefined ? {} : { _id: { $gt: id } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    listOfOwners: (ownerIds: string[]) => reservations.find({ ownerId: { $in: ownerIds } }).toArray(),
    async removeOfTenant(tenantId: string): Promise<void> {
      await reservations.deleteMany({ tenantId });
    },
  };
}
