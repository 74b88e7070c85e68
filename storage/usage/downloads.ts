/**
 * Downloads. They arrive in batches of one document, so that one write stores a batch and marks it as pending
 * (`download-counts.ts` counts them). Batches are kept for a while, counts permanently.
 */
import type { Collection } from "mongodb";
import type { DownloadSource } from "../../contract/vocabulary.ts";
import { defineCollection } from "../collection.ts";
import { commandTimeMs, type Database } from "../database.ts";
import { removeSlice } from "../maintenance/slices.ts";
import { insertOnce } from "../outbox.ts";

export interface DownloadRow {
  skillId: string;
  tenantId: string;
  versionId: string;
  source: DownloadSource;
  /** HMAC-SHA256 of the address. */
  ipHash?: string;
  createdAt: Date;
}

/** Downloads of one process within a short interval. */
export interface DownloadBatch {
  _id: string;
  rows: DownloadRow[];
  createdAt: Date;
  /** Set until the rows are in the counts. */
  waiting?: true;
}

export type SourceCounts = Record<DownloadSource, number>;

interface DailyCounts extends SourceCounts {
  _id: string;
  tenantId: string;
  /** `yyyy-mm-dd`, in UTC. */
  date: string;
  /** Number of the last counting that is included (`download-counts.ts`). */
  through?: number;
}

/** `_id`: `<skillId>:<date>`. */
export interface DailyDownloads extends DailyCounts {
  skillId: string;
  /** Downloads by the id of the version; absent where they were counted by an earlier version of the service. */
  versions?: Record<string, number>;
}

/** `_id`: `<tenantId>:<date>`. Includes downloads of skills that no longer exist. */
export type TenantDownloads = DailyCounts;

/** Downloads of one day; 0 for sources without any. */
export type Day = Pick<DailyCounts, "date"> & SourceCounts;

export const sums = Object.fromEntries(
  (["cli", "web", "api"] as const).map((source) => [source, { $sum: { $ifNull: [`$${source}`, 0] } }]),
);
const allSources = { $add: ["cli", "web", "api"].map((source) => ({ $ifNull: [`$${source}`, 0] })) };

export const downloadsCollection = defineCollection({
  name: "download_batches",
  indexes: [
    { key: { waiting: 1, _id: 1 }, partialFilterExpression: { waiting: true } },
    { key: { createdAt: 1 } },
    { key: { "rows.skillId": 1 } },
  ],
  others: {
    daily_downloads: [
      { key: { skillId: 1, date: -1 } },
      // Sums over an organization are read from the index only.
      { key: { tenantId: 1, date: 1, skillId: 1, cli: 1, web: 1, api: 1 } },
    ],
    daily_tenant_downloads: [{ key: { tenantId: 1, date: -1 } }],
    // Previously, rows were documents, which are counted already and expire.
    downloads: [{ key: { createdAt: 1 } }, { key: { skillId: 1, createdAt: -1 } }],
  },
  open: openDownloads,
});

function openDownloads(batches: Collection<DownloadBatch>, database: Database) {
  const daily = database.collection<DailyDownloads>("daily_downloads");
  const ofTenants = database.collection<TenantDownloads>("daily_tenant_downloads");
  const options = { maxTimeMS: commandTimeMs };
  return {
    /** Stores a batch, to be counted. An existing one is not changed. */
    insert: (batch: Omit<DownloadBatch, "waiting">) => insertOnce(batches, [{ ...batch, waiting: true }]),

    /** Days of a skill with downloads, from a date on, oldest first. */
    listOfSkill: (skillId: string, from: string): Promise<(Day & Pick<DailyDownloads, "versions">)[]> =>
      daily
        .find({ skillId, date: { $gte: from } }, options)
        .sort({ date: 1 })
        .toArray(),
    /** Days of an organization with downloads, from a date on, oldest first. */
    listOfTenant: (tenantId: string, from: string): Promise<Day[]> =>
      ofTenants
        .find({ tenantId, date: { $gte: from } }, options)
        .sort({ date: 1 })
        .toArray(),
    /** Days with downloads of all existing skills of an organization, or of the given ones. */
    async listOfSkills(tenantId: string, from: string, skillIds: string[] | undefined): Promise<Day[]> {
      const days = await daily
        .aggregate<{ _id: string } & SourceCounts>(
          [
            {
              $match: { tenantId, date: { $gte: from }, ...(skillIds ? { skillId: { $in: skillIds } } : {}) },
            },
            { $group: { _id: "$date", ...sums } },
            { $sort: { _id: 1 } },
          ],
          options,
        )
        .toArray();
      return days.map(({ _id: date, ...counts }) => ({ date, ...counts }));
    },
    /** Total downloads of an organization, including skills that no longer exist. */
    async sumOfTenant(tenantId: string): Promise<number> {
      const stages = [{ $match: { tenantId } }, { $group: { _id: null, total: { $sum: allSources } } }];
      const [row] = await ofTenants.aggregate<{ total: number }>(stages, options).toArray();
      return row?.total ?? 0;
    },
    /** An organization's skills with their downloads from a date on, most downloaded first; each of them once. */
    eachTop: (tenantId: string, from: string): AsyncIterable<{ _id: string; downloads: number }> =>
      daily.aggregate<{ _id: string; downloads: number }>(
        [
          { $match: { tenantId, date: { $gte: from } } },
          { $group: { _id: "$skillId", downloads: { $sum: allSources } } },
          { $sort: { downloads: -1, _id: 1 } },
        ],
        { ...options, allowDiskUse: true },
      ),

    async removeOfSkill(skillId: string): Promise<void> {
      // Pending rows first, so that none is counted afterwards.
      await batches.updateMany({ "rows.skillId": skillId }, { $pull: { rows: { skillId } } });
      await daily.deleteMany({ skillId });
      await database.raw.collection(formerRows).deleteMany({ skillId });
    },
    removeOfTenant: (tenantId: string) => removeSlice(ofTenants, { tenantId }),
    /** Removes counted batches that are older than a time, in slices; returns how many were removed. */
    async removeBefore(time: Date): Promise<number> {
      const previous = database.raw.collection<{ _id: string; createdAt: Date }>(formerRows);
      const went = await Promise.all([
        removeSlice(batches, { createdAt: { $lt: time }, waiting: { $exists: false } }),
        removeSlice(previous, { createdAt: { $lt: time } }),
      ]);
      return went[0] + went[1];
    },
  };
}

/** Previously, rows were documents, which are counted already and expire. */
const formerRows = "downloads";
