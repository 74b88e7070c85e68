/** Queries over public skills, for counts and trends. Each reads a bounded number of rows. */
import { commandTimeMs, type Database } from "../database.ts";
import type { DailyDownloads } from "../downloads.ts";
import type { SkillDoc } from "../skills/document.ts";

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
