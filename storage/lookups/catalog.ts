/** Queries over public skills, for counts and trends. Each reads a bounded number of rows. */
import { commandTimeMs, type Database } from "../database.ts";
import type { SkillDoc, VersionSummary } from "../skills/document.ts";
import type { DailyDownloads } from "../usage/downloads.ts";

/** A public skill, with what decides access to it and selects its current version. */
export type PublicSkillRow = Pick<
  SkillDoc,
  "_id" | "tenantId" | "slug" | "folderId" | "visibility" | "takedown" | "deprecated" | "marks" | "pending"
> & { current: Pick<VersionSummary, "version" | "semver" | "versionId" | "fileCount" | "totalBytes"> };

const publicRow = {
  tenantId: 1,
  slug: 1,
  folderId: 1,
  visibility: 1,
  takedown: 1,
  deprecated: 1,
  "marks.version": 1,
  "marks.deprecated": 1,
  pending: 1,
  "current.version": 1,
  "current.semver": 1,
  "current.versionId": 1,
  "current.fileCount": 1,
  "current.totalBytes": 1,
} as const;

export function openCatalog(database: Database) {
  const skills = database.collection<SkillDoc>("skills");
  const daily = database.collection<DailyDownloads>("daily_downloads");
  return {
    /** Number of public skills of an organization, and their downloads, of at most `limit` skills. */
    async totalsOfTenant(tenantId: string, limit: number): Promise<{ skills: number; downloads: number }> {
      const [totals] = await skills
        .aggregate<{ skills: number; downloads: number }>(
          [
            { $match: { tenantId, listed: true } },
            { $sort: { downloads: -1, _id: -1 } },
            { $limit: limit },
            { $project: { _id: 0, downloads: 1 } },
            { $group: { _id: null, skills: { $sum: 1 }, downloads: { $sum: "$downloads" } } },
          ],
          { maxTimeMS: commandTimeMs },
        )
        .toArray();
      return totals ?? { skills: 0, downloads: 0 };
    },
    /**
     * Public skills of an organization that are no rules: those with the ids in any order, or the most downloaded ones.
     */
    listPublicOf(
      tenantId: string,
      which: { ids: readonly string[] } | { limit: number },
    ): Promise<PublicSkillRow[]> {
      const filter = { tenantId, listed: true, type: "skill" as const };
      const options = { projection: publicRow, maxTimeMS: commandTimeMs, batchSize: 1000 };
      if ("ids" in which)
        return skills.find<PublicSkillRow>({ ...filter, _id: { $in: [...which.ids] } }, options).toArray();
      return skills
        .find<PublicSkillRow>(filter, options)
        .sort({ downloads: -1, _id: -1 })
        .limit(which.limit)
        .toArray();
    },
    /** Days with downloads of skills, from a date on. */
    listDaily: (skillIds: string[], from: string) =>
      daily
        .find(
          { skillId: { $in: skillIds }, date: { $gte: from } },
          {
            projection: { _id: 0, skillId: 1, date: 1, cli: 1, web: 1, api: 1 },
            maxTimeMS: commandTimeMs,
          },
        )
        .toArray() as Promise<
        ({ skillId: string; date: string } & Partial<Record<"cli" | "web" | "api", number>>)[]
      >,
  };
}
