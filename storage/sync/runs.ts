/** History of the syncs of each organization, limited by age and number. It outlasts the connection. */
import type { Collection, Filter } from "mongodb";
import type { SyncOutcome } from "../../contract/vocabulary.ts";
import { defineCollection } from "../collection.ts";
import type { RequestCause } from "../connections/cause.ts";
import { listIds } from "../ids.ts";
import { connectionIdsIn, removeSlice } from "../maintenance/slices.ts";
import type { SyncProblem } from "./problem.ts";

export interface SyncCounts {
  /** New versions of known skills. */
  imported: number;
  /** New skills. */
  created: number;
  /** Number of imports where both sides had changed. */
  conflicts: number;
  /** Skills whose directory was written. */
  exported: number;
  /** Directories that were removed. */
  removed: number;
  /** Skills that could not be imported or exported. */
  refused: number;
  /** Pushes that were repeated because the branch had changed concurrently. */
  retries: number;
}

/** A directory or skill that was skipped; the others were synced. */
export interface SyncRefusal {
  path: string;
  code: string;
  /** Message for people. */
  message: string;
}

/** Counts of a run for the skills of one folder, null for the root. */
export interface FolderCounts extends Pick<
  SyncCounts,
  "imported" | "created" | "conflicts" | "exported" | "removed"
> {
  folderId: string | null;
}

export interface SyncRunDoc {
  _id: string;
  connectionId: string;
  tenantId: string;
  full: boolean;
  /** Absent from runs of earlier versions of the service. */
  cause?: RequestCause;
  startedAt: Date;
  endedAt?: Date;
  outcome: SyncOutcome;
  counts: SyncCounts;
  /** Counts by folder, for readers who can't see all folders; absent from runs of earlier versions of the service. */
  folders?: FolderCounts[];
  /** Head of the branch at the end. */
  commit?: string;
  problem?: SyncProblem;
  /** The first refusals; `counts.refused` is their total number. */
  refusals?: SyncRefusal[];
}

/** The rows of an organization, those of its previous connections included, or of one connection. */
export type OwnerOf = { tenantId: string } | { connectionId: string };

export const syncRunsCollection = defineCollection({
  name: "sync_runs",
  indexes: [
    { key: { connectionId: 1, _id: -1 } },
    { key: { tenantId: 1, _id: -1 } },
    { key: { startedAt: 1 } },
  ],
  open: (runs: Collection<SyncRunDoc>) => ({
    async start(run: SyncRunDoc): Promise<void> {
      await runs.insertOne(run);
    },
    /** Records the progress of a run. */
    async updateCounts(id: string, counts: SyncCounts): Promise<void> {
      await runs.updateOne({ _id: id, outcome: "running" }, { $set: { counts } });
    },
    async finish(
      id: string,
      result: Pick<
        SyncRunDoc,
        "endedAt" | "outcome" | "counts" | "folders" | "commit" | "problem" | "refusals"
      >,
    ): Promise<void> {
      await runs.updateOne({ _id: id }, { $set: result });
    },
    /** Removes a run that changed nothing and had no problem. */
    async remove(id: string): Promise<void> {
      await runs.deleteOne({ _id: id });
    },
    /** Closes interrupted runs, for the next holder of the lease. With a problem, they are recorded as failed. */
    async closeInterrupted(
      connectionId: string,
      exceptId: string | undefined,
      now: Date,
      problem?: SyncProblem,
    ): Promise<void> {
      const end = problem ? { outcome: "failed" as const, problem } : { outcome: "stopped" as const };
      await runs.updateMany(
        { connectionId, outcome: "running", ...(exceptId === undefined ? {} : { _id: { $ne: exceptId } }) },
        { $set: { ...end, endedAt: now } },
      );
    },
    /** Newest first; `before` is the id of the last row of the previous page. */
    list({ before, limit, ...of }: OwnerOf & { before?: string; limit: number }) {
      const filter: Filter<SyncRunDoc> = { ...of };
      if (before !== undefined) filter._id = { $lt: before };
      return runs.find(filter).sort({ _id: -1 }).limit(limit).toArray();
    },
    /** Keeps the newest runs of an organization; returns how many were removed. */
    async trim(tenantId: string, kept: number): Promise<number> {
      const [oldest] = await listIds(runs, { tenantId }, { sort: { _id: -1 }, skip: kept, limit: 1 });
      if (!oldest) return 0;
      return (await runs.deleteMany({ tenantId, _id: { $lte: oldest } })).deletedCount;
    },
    removeBefore: (date: Date) => removeSlice(runs, { startedAt: { $lt: date } }),
    connectionIds: () => connectionIdsIn(runs),
  }),
});
