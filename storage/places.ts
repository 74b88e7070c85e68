/**
 * Places: one row per skill and folder, by what it is called in which folder. Folders and skills of one parent share a
 * name space, since they share a directory in every export; the unique index keeps it, whoever comes at once.
 */
import type { IndexDescription } from "mongodb";
import { isDuplicate, type Database } from "./database.ts";

export interface PlaceDoc {
  _id: string;
  tenantId: string;
  parentId: string | null;
  slug: string;
  kind: "skill" | "folder";
  ownerId: string;
  createdAt: Date;
}

export const placeIndexes: IndexDescription[] = [
  { key: { tenantId: 1, parentId: 1, slug: 1 }, unique: true, name: "place_slug" },
  { key: { tenantId: 1, kind: 1, parentId: 1 } },
  { key: { ownerId: 1 } },
];

export type Places = ReturnType<typeof openPlaces>;

export function openPlaces(database: Database) {
  const places = database.collection<PlaceDoc>("places");
  return {
    /** Takes a place. Answers the holder where it is taken, by the same owner too. */
    async take(place: PlaceDoc): Promise<"taken" | PlaceDoc> {
      for (;;) {
        try {
          await places.insertOne(place);
          return "taken";
        } catch (error) {
          if (!isDuplicate(error, "place_slug")) throw error;
        }
        const { tenantId, parentId, slug } = place;
        const holder = await places.findOne({ tenantId, parentId, slug });
        if (holder) return holder;
      }
    },
    async release(place: Pick<PlaceDoc, "tenantId" | "parentId" | "slug" | "ownerId">): Promise<void> {
      const { tenantId, parentId, slug, ownerId } = place;
      await places.deleteOne({ tenantId, parentId, slug, ownerId });
    },
    async releaseAllOf(ownerId: string): Promise<void> {
      await places.deleteMany({ ownerId });
    },
    /** Whether anything lies in a folder; with a kind, any of that. */
    async hasAnyIn(tenantId: string, parentId: string, kind?: PlaceDoc["kind"]): Promise<boolean> {
      const filter = kind ? { tenantId, kind, parentId } : { tenantId, parentId };
      return (await places.findOne(filter, { projection: { _id: 1 } })) !== null;
    },
    /** Whether a skill lies, or is about to lie, in one of some folders. */
    async hasSkillsIn(tenantId: string, parentIds: string[]): Promise<boolean> {
      const filter = { tenantId, kind: "skill" as const, parentId: { $in: parentIds } };
      return (await places.findOne(filter, { projection: { _id: 1 } })) !== null;
    },
    listSkillsIn: (tenantId: string, parentIds: string[], limit: number) =>
      places
        .find({ tenantId, kind: "skill" as const, parentId: { $in: parentIds } })
        .limit(limit)
        .toArray(),
    /** How many skills lie in each folder of an organization, or in one of them. */
    async countSkills(tenantId: string, folderId?: string): Promise<Map<string | null, number>> {
      const rows = await places
        .aggregate<{ _id: string | null; count: number }>([
          { $match: { tenantId, kind: "skill", ...(folderId === undefined ? {} : { parentId: folderId }) } },
          { $group: { _id: "$parentId", count: { $sum: 1 } } },
        ])
        .toArray();
      return new Map(rows.map((row) => [row._id, row.count]));
    },
    /** A slice of all places in order of their ids, for the reconcile job. */
    listAfter: (id: string | undefined, limit: number) =>
      places
        .find(id === undefined ? {} : { _id: { $gt: id } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    listOfOwners: (ownerIds: string[]) => places.find({ ownerId: { $in: ownerIds } }).toArray(),
    async removeOfTenant(tenantId: string): Promise<void> {
      await places.deleteMany({ tenantId });
    },
  };
}
