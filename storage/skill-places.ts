/**
 * What skills say of their place: which folder, under which restricted one. Derived from the tree of folders, for lists
 * and the catalog; it is brought up to date here whenever the tree has changed.
 */
import type { Filter } from "mongodb";
import { inSlices, type Database } from "./database.ts";
import type { SkillDoc } from "./skills.ts";

/** What a skill is called where. */
export type PlacedSkill = Pick<SkillDoc, "_id" | "tenantId" | "folderId" | "slug">;
const placed = { tenantId: 1, folderId: 1, slug: 1 } as const;

export type SkillPlaces = ReturnType<typeof openSkillPlaces>;

export function openSkillPlaces(database: Database) {
  const skills = database.collection<SkillDoc>("skills");
  const alive: Filter<SkillDoc> = { deletedAt: { $exists: false } };
  const inSight: Filter<SkillDoc> = { ...alive, suspended: { $exists: false } };
  return {
    /** Corrects what a skill says of its place, as long as it lies where it lay. */
    async correct(
      id: string,
      folderId: string | null,
      place: Pick<SkillDoc, "governingFolderId" | "listed">,
    ): Promise<void> {
      await skills.updateOne(
        { _id: id, folderId, ...inSight },
        { $set: { ...place, unsettledAt: new Date() }, $inc: { revision: 1 } },
      );
    },
    /** Ids of skills in some folders that say they are governed by another folder than this one, in slices. */
    async *eachMisplaced(
      tenantId: string,
      folderIds: string[],
      governingFolderId: string | null,
      slice: number,
    ): AsyncGenerator<string[]> {
      const rows = skills.find(
        { tenantId, folderId: { $in: folderIds }, governingFolderId: { $ne: governingFolderId }, ...alive },
        { projection: { _id: 1 }, batchSize: slice },
      );
      for await (const found of inSlices(rows, slice)) yield found.map((row) => row._id);
    },
    /** What some skills are called where; deleted ones lie nowhere. */
    list: (ids: string[]) =>
      skills.find({ _id: { $in: ids }, ...alive }, { projection: placed }).toArray() as Promise<
        PlacedSkill[]
      >,
    /** What every skill is called where, in slices. */
    async *each(slice: number): AsyncGenerator<PlacedSkill[]> {
      for (let last = ""; ;) {
        const rows = await skills
          .find({ _id: { $gt: last }, ...alive }, { projection: placed })
          .sort({ _id: 1 })
          .limit(slice)
          .toArray();
        if (rows.length === 0) return;
        yield rows;
        last = rows.at(-1)!._id;
      }
    },
    /** Says of skills that this folder governs them; the catalog shows what none governs. */
    async govern(ids: string[], folderIds: string[], governingFolderId: string | null): Promise<void> {
      const isOpen = { $and: [{ $eq: ["$visibility", "public"] }, { $not: ["$suspended"] }] };
      await skills.updateMany({ _id: { $in: ids }, folderId: { $in: folderIds }, ...alive }, [
        {
          $set: {
            governingFolderId,
            listed: governingFolderId === null && isOpen,
            revision: { $add: ["$revision", 1] },
            unsettledAt: { $ifNull: ["$unsettledAt", "$$NOW"] },
          },
        },
      ]);
    },
  };
}
