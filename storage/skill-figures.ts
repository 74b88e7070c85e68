/** Sums over an organization's skills. Made of indexes alone but for the few that were deleted and not yet erased. */
import { commandTimeMs, type Database } from "./database.ts";
import type { SkillDoc } from "./skills.ts";

/** What lies right in a folder, or at the root (null). */
export interface FolderFigures {
  folderId: string | null;
  skills: number;
  /** All that they were ever downloaded. */
  downloads: number;
}

/** A skill by its names, and where it lies. */
export type NamedSkill = Pick<SkillDoc, "_id" | "publicId" | "slug" | "name" | "folderId">;

const named = { publicId: 1, slug: 1, name: 1, folderId: 1 } as const;

export type SkillFigures = ReturnType<typeof openSkillFigures>;

export function openSkillFigures(database: Database) {
  const skills = database.collection<SkillDoc>("skills");
  const options = { maxTimeMS: commandTimeMs };
  const deleted = { deletedAt: { $exists: true } } as const;

  const sumByFolder = (filter: object) =>
    skills
      .aggregate<{ _id: string | null; skills: number; downloads: number }>(
        [
          { $match: filter },
          { $group: { _id: "$folderId", skills: { $sum: 1 }, downloads: { $sum: "$downloads" } } },
        ],
        options,
      )
      .toArray();
  return {
    async count(tenantId: string): Promise<number> {
      const [all, gone] = await Promise.all([
        skills.countDocuments({ tenantId }, options),
        skills.countDocuments({ ...deleted, tenantId }, options),
      ]);
      return all - gone;
    },
    /** Folders with anything in them, in no order. */
    async sumByFolder(tenantId: string): Promise<FolderFigures[]> {
      const [all, gone] = await Promise.all([
        sumByFolder({ tenantId }),
        sumByFolder({ ...deleted, tenantId }),
      ]);
      const without = new Map(gone.map((row) => [row._id, row]));
      return all.map(({ _id: folderId, ...sums }) => ({
        folderId,
        skills: sums.skills - (without.get(folderId)?.skills ?? 0),
        downloads: sums.downloads - (without.get(folderId)?.downloads ?? 0),
      }));
    },
    /** Those of some skills that belong to the organization, in no order. */
    listNamed: (tenantId: string, ids: readonly string[]): Promise<NamedSkill[]> =>
      skills
        .find(
          { _id: { $in: [...ids] }, tenantId, deletedAt: { $exists: false } },
          { projection: named, ...options },
        )
        .toArray(),
  };
}
