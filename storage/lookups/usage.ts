/** Queries about the use of all skills of an organization, for its analytics. Each reads a bounded number of rows. */
import { commandTimeMs, type Database } from "../database.ts";
import type { SkillDoc } from "../skills/document.ts";
import type { DailyDownloads } from "../usage/downloads.ts";
import type { InstallDoc } from "../usage/installs.ts";

export type UsedSkill = Pick<
  SkillDoc,
  | "_id"
  | "publicId"
  | "slug"
  | "name"
  | "description"
  | "folderId"
  | "downloads"
  | "createdAt"
  | "updatedAt"
  | "channels"
  | "marks"
> & { current: Pick<SkillDoc["current"], "version" | "semver"> };

/** Number of places in which members have a version with the same pin. */
export interface InstalledVersion {
  skillId: string;
  version: number;
  semver: string;
  range?: string;
  places: number;
}

export function openUsage(database: Database) {
  const skills = database.collection<SkillDoc>("skills");
  const daily = database.collection<DailyDownloads>("daily_downloads");
  const installs = database.collection<InstallDoc>("installs");
  const options = { maxTimeMS: commandTimeMs };
  return {
    /** Skills with a version that was released, and that are not deleted, in no particular order. */
    listSkills: (tenantId: string, limit: number): Promise<UsedSkill[]> =>
      skills
        .find(
          { tenantId, deletedAt: { $exists: false }, withheld: { $ne: "unreleased" } },
          {
            projection: {
              publicId: 1,
              slug: 1,
              name: 1,
              description: 1,
              folderId: 1,
              downloads: 1,
              createdAt: 1,
              updatedAt: 1,
              channels: 1,
              marks: 1,
              "current.version": 1,
              "current.semver": 1,
            },
            ...options,
          },
        )
        .limit(limit)
        .toArray(),
    /** Ids of skills with downloads from a date on. */
    async listDownloaded(tenantId: string, from: string): Promise<string[]> {
      const stages = [{ $match: { tenantId, date: { $gte: from } } }, { $group: { _id: "$skillId" } }];
      const rows = await daily.aggregate<{ _id: string }>(stages, options).toArray();
      return rows.map(({ _id }) => _id);
    },
    /** Ids of skills that a member installed or updated since a time. */
    async listInstalledSince(tenantId: string, since: Date): Promise<string[]> {
      const stages = [{ $match: { tenantId, updatedAt: { $gte: since } } }, { $group: { _id: "$skillId" } }];
      const rows = await installs.aggregate<{ _id: string }>(stages, options).toArray();
      return rows.map(({ _id }) => _id);
    },
    /** Installed versions by skill and pin. */
    listInstalled: (tenantId: string, limit: number): Promise<InstalledVersion[]> =>
      installs
        .aggregate<InstalledVersion>(
          [
            { $match: { tenantId } },
            {
              $group: {
                _id: { skillId: "$skillId", version: "$version", semver: "$semver", range: "$range" },
                places: { $sum: 1 },
              },
            },
            { $limit: limit },
            { $replaceWith: { $mergeObjects: ["$_id", { places: "$places" }] } },
          ],
          options,
        )
        .toArray(),
  };
}
