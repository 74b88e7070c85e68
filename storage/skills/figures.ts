/** Sums over an organization's skills. Computed from indexes, except for skills that are deleted but not erased yet. */
import { commandTimeMs, type Database } from "../database.ts";
import type { SkillDoc } from "./skills.ts";

/** Sums over the skills directly in a folder, or at the root (null). */
export interface FolderFigures {
  folderId: string | null;
  skills: number;
  /** Total number of downloads. */
  downloads: number;
}

/** Names and folder of a skill. */
export type NamedSkill = Pick<SkillDoc, "_id" | "publicId" | "slug" | "name" | "folderId">;

const named = { publicId: 1, slug: 1, name: 1, folderId: 1 } as const;

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
    /** Folders that contain skills, in no particular order. */
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
    /** The given skills that belong to the organization, in no particular order. */
    listNamed: (tenantId: string, ids: readonly string[]): Promise<NamedSkill[]> =>
      skills
        .find(
          {
            _id: { $in: [...ids] },
            tenantId,
            deletedAt: { $exists: false },
            withheld: { $ne: "unreleased" },
          },
          { projection: named, ...options },
        )
        .toArray(),
  };
}
