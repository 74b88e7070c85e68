/**
 * Locations of skills, and their effective access: which restriction applies to them, and whether the catalog lists
 * them. Effective access is derived from the folder tree, for lists and the catalog, and updated when the tree changes.
 */
import type { Filter } from "mongodb";
import { inSlices, type Database } from "../database.ts";
import type { SkillDoc } from "./skills.ts";
import { isListed } from "./takedowns.ts";

/** Slug of a skill in its folder. */
export type SkillLocation = Pick<SkillDoc, "_id" | "tenantId" | "folderId" | "slug">;
const locationFields = { tenantId: 1, folderId: 1, slug: 1 } as const;

export function openSkillLocations(database: Database) {
  const skills = database.collection<SkillDoc>("skills");
  const notDeleted: Filter<SkillDoc> = { deletedAt: { $exists: false } };
  const visible: Filter<SkillDoc> = { ...notDeleted, suspended: { $exists: false } };
  return {
    /** Corrects the effective access of a skill, provided that it has not changed since it was read. */
    async correctAccess(
      { _id, revision }: Pick<SkillDoc, "_id" | "revision">,
      access: Pick<SkillDoc, "effectiveRestrictionId" | "listed">,
    ): Promise<void> {
      await skills.updateOne(
        { _id, revision, ...visible },
        { $set: { ...access, pendingSince: new Date() }, $inc: { revision: 1 } },
      );
    },
    /** Ids of skills in the given folders that refer to another restricted folder than this one, in slices. */
    async *eachWithOutdatedAccess(
      tenantId: string,
      folderIds: string[],
      effectiveRestrictionId: string | null,
      slice: number,
    ): AsyncGenerator<string[]> {
      const rows = skills.find(
        {
          tenantId,
          folderId: { $in: folderIds },
          effectiveRestrictionId: { $ne: effectiveRestrictionId },
          ...notDeleted,
        },
        { projection: { _id: 1 }, batchSize: slice },
      );
      for await (const found of inSlices(rows, slice)) yield found.map((row) => row._id);
    },
    /** Number of public and of unlisted skills in the given folders. */
    async countOpen(
      tenantId: string,
      folderIds: readonly string[],
    ): Promise<Record<"public" | "unlisted", number>> {
      const count = (visibility: "public" | "unlisted") =>
        skills.countDocuments({
          tenantId,
          folderId: { $in: [...folderIds] },
          visibility,
          takedown: { $exists: false },
          ...visible,
        });
      return { public: await count("public"), unlisted: await count("unlisted") };
    },
    /** Locations of the given skills, without deleted ones. */
    list: (ids: string[]) =>
      skills.find({ _id: { $in: ids }, ...notDeleted }, { projection: locationFields }).toArray() as Promise<
        SkillLocation[]
      >,
    /** A slice of the locations of all skills, in order of their ids. */
    listAfter: (id: string | undefined, limit: number) =>
      skills
        .find(
          { _id: id === undefined ? undefined : { $gt: id }, ...notDeleted },
          { projection: locationFields },
        )
        .sort({ _id: 1 })
        .limit(limit)
        .toArray() as Promise<SkillLocation[]>,
    /** Sets the restricted folder of skills; the catalog lists public skills without one. */
    async updateEffectiveAccess(
      ids: string[],
      folderIds: string[],
      effectiveRestrictionId: string | null,
    ): Promise<void> {
      await skills.updateMany({ _id: { $in: ids }, folderId: { $in: folderIds }, ...notDeleted }, [
        {
          $set: {
            effectiveRestrictionId,
            revision: { $add: ["$revision", 1] },
            pendingSince: { $ifNull: ["$pendingSince", "$$NOW"] },
          },
        },
        { $set: { listed: isListed } },
      ]);
    },
  };
}
