/** Downloads: one raw row each, kept for a while, and counts per day and source that stay. */
import type { IndexDescription } from "mongodb";
import type { DownloadSource } from "../contract/vocabulary.ts";
import type { Database } from "./database.ts";

export interface DownloadRow {
  _id: string;
  skillId: string;
  tenantId: string;
  versionId: string;
  source: DownloadSource;
  /** HMAC-SHA256 of the address. */
  ipHash?: string;
  userId?: string;
  createdAt: Date;
}

export interface DailyDownloads {
  /** `<skillId>:<yyyy-mm-dd>` */
  _id: string;
  skillId: string;
  tenantId: string;
  date: string;
  cli: number;
  web: number;
  api: number;
}

export const downloadIndexes: IndexDescription[] = [
  { key: { createdAt: 1 } },
  { key: { skillId: 1, createdAt: -1 } },
];
export const dailyDownloadIndexes: IndexDescription[] = [{ key: { skillId: 1, date: -1 } }];

export type Downloads = ReturnType<typeof openDownloads>;

export function openDownloads(database: Database) {
  const rows = database.collection<DownloadRow>("downloads");
  const daily = database.collection<DailyDownloads>("daily_downloads");
  return {
    /** Writes rows and adds them to the daily counts. */
    async record(batch: DownloadRow[]): Promise<void> {
      if (batch.length === 0) return;
      await rows.insertMany(batch, { ordered: false });
      const counts = new Map<string, { row: DownloadRow; date: string; count: number }>();
      for (const row of batch) {
        const date = row.createdAt.toISOString().slice(0, 10);
        const key = `${row.skillId}:${date}:${row.source}`;
        const seen = counts.get(key);
        if (seen) seen.count++;
        else counts.set(key, { row, date, count: 1 });
      }
      await daily.bulkWrite(
        [...counts.values()].map(({ row, date, count }) => ({
          updateOne: {
            filter: { _id: `${row.skillId}:${date}` },
            update: {
              $inc: { [row.source]: count },
              $setOnInsert: { skillId: row.skillId, tenantId: row.tenantId, date },
            },
            upsert: true,
          },
        })),
        { ordered: false },
      );
    },
    /** Days with downloads from a date on, oldest first. */
    listDaily: (skillId: string, from: string) =>
      daily
        .find({ skillId, date: { $gte: from } })
        .sort({ date: 1 })
        .toArray(),
    async removeOfSkill(skillId: string): Promise<void> {
      await Promise.all([rows.deleteMany({ skillId }), daily.deleteMany({ skillId })]);
    },
    async removeRowsBefore(time: Date, slice = 1000): Promise<number> {
      const old = await rows
        .find({ createdAt: { $lt: time } }, { projection: { _id: 1 } })
        .limit(slice)
        .toArray();
      if (old.length === 0) return 0;
      return (await rows.deleteMany({ _id: { $in: old.map((row) => row._id) } })).deletedCount;
    },
  };
}
