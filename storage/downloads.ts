/**
 * Downloads. They arrive in batches, one document each, so that a batch and the fact that it is still to be counted
 * come into being in the same write (`download-counts.ts` counts them). Batches are kept for a while, counts for good.
 */
import type { IndexDescription } from "mongodb";
import type { DownloadSource } from "../contract/vocabulary.ts";
import { commandTimeMs, type Database } from "./database.ts";
import { insertOnce } from "./outbox.ts";
import { removeSlice } from "./slices.ts";

export interface DownloadRow {
  skillId: string;
  tenantId: string;
  versionId: string;
  source: DownloadSource;
  /** HMAC-SHA256 of the address. */
  ipHash?: string;
  createdAt: Date;
}

/** Downloads that one process has seen within a short interval. */
export interface DownloadBatch {
  _id: string;
  rows: DownloadRow[];
  createdAt: Date;
  /** Until its rows are in the counts. */
  waiting?: true;
}

export type SourceCounts = Record<DownloadSource, number>;

interface DailyCounts extends SourceCounts {
  _id: string;
  tenantId: string;
  /** `yyyy-mm-dd`, in UTC. */
  date: string;
  /** The number of the last counting that is in here (`download-counts.ts`). */
  through?: number;
}

/** `_id`: `<skillId>:<date>`. */
export interface DailyDownloads extends DailyCounts {
  skillId: string;
}

/** `_id`: `<tenantId>:<date>`. Also has what skills that are gone by now were downloaded. */
export type TenantDownloads = DailyCounts;

export const downloadBatchIndexes: IndexDescription[] = [
  { key: { waiting: 1, _id: 1 }, partialFilterExpression: { waiting: true } },
  { key: { createdAt: 1 } },
  { key: { "rows.skillId": 1 } },
];
export const dailyDownloadIndexes: IndexDescription[] = [
  { key: { skillId: 1, date: -1 } },
  // Sums over an organization are made of the index alone.
  { key: { tenantId: 1, date: 1, skillId: 1, cli: 1, web: 1, api: 1 } },
];
export const tenantDownloadIndexes: IndexDescription[] = [{ key: { tenantId: 1, date: -1 } }];

/** A day of a longer time; a source that was not seen is 0. */
export type Day = Pick<DailyCounts, "date"> & SourceCounts;

const sums = Object.fromEntries(
  (["cli", "web", "api"] as const).map((source) => [source, { $sum: { $ifNull: [`$${source}`, 0] } }]),
);
const allSources = { $add: ["cli", "web", "api"].map((source) => ({ $ifNull: [`$${source}`, 0] })) };

export type Downloads = ReturnType<typeof openDownloads>;

export function openDownloads(database: Database) {
  const batches = database.collection<DownloadBatch>("download_batches");
  const daily = database.collection<DailyDownloads>("daily_downloads");
  const ofTenants = database.collection<TenantDownloads>("daily_tenant_downloads");
  const options = { maxTimeMS: commandTimeMs };
  return {
    /** Keeps a batch, to be counted; one that is there already is left as it is. */
    insert: (batch: Omit<DownloadBatch, "waiting">) => insertOnce(batches, [{ ...batch, waiting: true }]),

    /** Days of a skill with downloads, from a date on, oldest first. */
    listOfSkill: (skillId: string, from: string): Promise<Day[]> =>
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
    /** The same over those skills alone that still exist, or over some of them. */
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
    /** All that an organization's skills were ever downloaded. */
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
      // First what is still to be counted, so that nothing of it comes back.
      await batches.updateMany({ "rows.skillId": skillId }, { $pull: { rows: { skillId } } });
      await daily.deleteMany({ skillId });
      await database.raw.collection(formerRows).deleteMany({ skillId });
    },
    removeOfTenant: (tenantId: string) => removeSlice(ofTenants, { tenantId }),
    /** Removes counted batches that are older than a time, in slices; returns how many were removed. */
    async removeBefore(time: Date): Promise<number> {
      const former = database.raw.collection<{ _id: string; createdAt: Date }>(formerRows);
      const went = await Promise.all([
        removeSlice(batches, { createdAt: { $lt: time }, waiting: { $exists: false } }),
        removeSlice(former, { createdAt: { $lt: time } }),
      ]);
      return went[0] + went[1];
    },
  };
}

/** Rows were once documents of their own, already counted; they lapse in their time. */
const formerRows = "downloads";
export const formerRowIndexes: IndexDescription[] = [
  { key: { createdAt: 1 } },
  { key: { skillId: 1, createdAt: -1 } },
];

/** An organization's days are made of its skills' where there are none yet, whole or not at all. */
export async function adoptFormerDownloads(database: Database): Promise<void> {
  const ofTenants = database.raw.collection("daily_tenant_downloads");
  const daily = database.raw.collection("daily_downloads");
  if ((await ofTenants.findOne({})) !== null || (await daily.findOne({})) === null) return;
  const key = { tenantId: "$tenantId", date: "$date" };
  await daily
    .aggregate([
      { $group: { _id: key, ...sums } },
      { $set: { tenantId: "$_id.tenantId", date: "$_id.date" } },
      { $set: { _id: { $concat: ["$tenantId", ":", "$date"] } } },
      { $out: "daily_tenant_downloads" },
    ])
    .toArray();
}
