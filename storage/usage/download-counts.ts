/**
 * Counts each download exactly once, despite crashes and concurrent processes.
 *
 * One document (`download_counting`) assigns batches to the current number. A compare-and-set on it assigns the next
 * batches to the next number, after those of the current number are in all counts. A count includes a number only if it
 * includes no equal or higher number yet (`through`). Therefore an interrupted counting is repeated as a whole without
 * counting twice, and a late process with an old number changes nothing.
 */
import { isDuplicate, type Database } from "../database.ts";
import { listIds } from "../ids.ts";
import { isOnlyThereAlready } from "../outbox.ts";
import type {
  DailyDownloads,
  DownloadBatch,
  DownloadRow,
  SourceCounts,
  TenantDownloads,
} from "./downloads.ts";

interface Counting {
  _id: "downloads";
  number: number;
  batchIds: string[];
  claimedAt: Date;
}

/** Batches that are counted together, under a unique number. */
export interface Claim {
  number: number;
  batchIds: string[];
  rows: DownloadRow[];
}

const batchConcurrency = 10;
/** Time after which other processes repeat a counting. */
export const patienceMs = 15_000;

export function openDownloadCounts(database: Database) {
  const batches = database.collection<DownloadBatch>("download_batches");
  const counting = database.collection<Counting>("download_counting");
  const daily = database.collection<DailyDownloads>("daily_downloads");
  const ofTenants = database.collection<TenantDownloads>("daily_tenant_downloads");

  async function claimed(number: number, batchIds: string[]): Promise<Claim> {
    const found = await batches.find({ _id: { $in: batchIds } }).toArray();
    return { number, batchIds, rows: found.flatMap((batch) => batch.rows) };
  }

  return {
    /**
     * Claims the next batches to be counted: pending ones, or those of an interrupted counting. `busy` while another
     * process may be counting, which then continues with the pending ones. Undefined if nothing is pending.
     */
    async claim(now: Date): Promise<Claim | "busy" | undefined> {
      for (;;) {
        const present = await counting.findOne({ _id: "downloads" });
        const { number, batchIds } = present ?? { number: 0, batchIds: [] };
        if (present && (await isLeft(batchIds))) {
          if (now.getTime() - present.claimedAt.getTime() < patienceMs) return "busy";
          return claimed(number, batchIds);
        }
        // Read after the number: if a batch is counted in between, the number changes.
        const ids = await listIds(batches, { waiting: true }, { sort: { _id: 1 }, limit: batchConcurrency });
        if (ids.length === 0) return undefined;
        if (await advance(present !== null, { number: number + 1, batchIds: ids, claimedAt: now }))
          return claimed(number + 1, ids);
      }
    },

    /** Adds the rows to their skills' and organizations' days. */
    async add(number: number, rows: readonly DownloadRow[]): Promise<void> {
      const through = { $not: { $gte: number } };
      const ofSkills = tally(rows, (row) => row.skillId).map(({ _id, row, date, counts, versions }) => {
        const { skillId, tenantId } = row;
        const byVersion = [...versions].map(([id, count]) => [`versions.${id}`, count] as const);
        const added = { $inc: { ...counts, ...Object.fromEntries(byVersion) }, $set: { through: number } };
        const update = { ...added, $setOnInsert: { skillId, tenantId, date } };
        return { updateOne: { filter: { _id, through }, update, upsert: true } };
      });
      const ofOrganizations = tally(rows, (row) => row.tenantId).map(({ _id, row, date, counts }) => {
        const added = { $inc: counts, $set: { through: number } };
        const update = { ...added, $setOnInsert: { tenantId: row.tenantId, date } };
        return { updateOne: { filter: { _id, through }, update, upsert: true } };
      });
      if (ofSkills.length === 0) return;
      await Promise.all([
        unlessThere(daily.bulkWrite(ofSkills, { ordered: false })),
        unlessThere(ofTenants.bulkWrite(ofOrganizations, { ordered: false })),
      ]);
    },

    /** Marks batches as included in all counts. */
    async finish(batchIds: string[]): Promise<void> {
      await batches.updateMany({ _id: { $in: batchIds } }, { $unset: { waiting: "" } });
    },
  };

  async function isLeft(batchIds: string[]): Promise<boolean> {
    return (
      (await batches.findOne({ _id: { $in: batchIds }, waiting: true }, { projection: { _id: 1 } })) !== null
    );
  }

  /** Whether this process has the number now. */
  async function advance(exists: boolean, next: Omit<Counting, "_id">): Promise<boolean> {
    const _id = "downloads";
    if (exists) {
      const { matchedCount } = await counting.updateOne({ _id, number: next.number - 1 }, { $set: next });
      return matchedCount === 1;
    }
    try {
      await counting.insertOne({ _id, ...next });
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }
}

interface Tallied {
  _id: string;
  /** Any of the rows: all have the same values in the fields that form the id. */
  row: DownloadRow;
  date: string;
  counts: SourceCounts;
  /** Numbers by the ids of versions. */
  versions: Map<string, number>;
}

/** Rows grouped by day and by the id that `idOf` returns. */
function tally(rows: readonly DownloadRow[], idOf: (row: DownloadRow) => string): Tallied[] {
  const tallied = new Map<string, Tallied>();
  for (const row of rows) {
    const date = row.createdAt.toISOString().slice(0, 10);
    const _id = `${idOf(row)}:${date}`;
    let one = tallied.get(_id);
    if (!one)
      tallied.set(_id, (one = { _id, row, date, counts: { cli: 0, web: 0, api: 0 }, versions: new Map() }));
    one.counts[row.source]++;
    one.versions.set(row.versionId, (one.versions.get(row.versionId) ?? 0) + 1);
  }
  return [...tallied.values()];
}

/**
 * If a count includes the number already, the filter finds nothing and the upsert fails with a duplicate id, as
 * intended.
 */
async function unlessThere(written: Promise<unknown>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!isOnlyThereAlready(error)) throw error;
  }
}
