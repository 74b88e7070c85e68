/**
 * Conflicts: skills that had changed on both sides, with the winning and the losing version and the author of the push.
 * They outlast the connection.
 */
import type { Collection, Filter } from "mongodb";
import { defineCollection } from "../collection.ts";
import { removeSlice } from "../maintenance/slices.ts";
import { insertOnce } from "../outbox.ts";
import type { OwnerOf } from "./runs.ts";

export interface SyncConflictDoc {
  /** `skillId:winning`: a version is imported once, so its conflict is recorded once. */
  _id: string;
  connectionId: string;
  tenantId: string;
  skillId: string;
  /** Path of the directory in the repository. */
  path: string;
  /** Number of the version that was created from the repository's content. */
  winning: number;
  /** Number of the version that was current in the service. */
  losing: number;
  /** Commit of the repository and its author; without an author if only the tip with the content is known. */
  commit: string;
  authorName?: string;
  /** Number of the version on which both sides last agreed, if it is known. */
  base?: number;
  at: Date;
  /** Set once a person has marked the result as fine. */
  seen?: { userId: string; username: string; at: Date };
}

type ConflictQuery = OwnerOf & {
  before?: { at: Date; id: string };
  /** Only those that are not marked as fine, or only the others. */
  seen?: boolean;
};

const readBatchSize = 100;

export const syncConflictsCollection = defineCollection({
  name: "sync_conflicts",
  indexes: [
    { key: { connectionId: 1, at: -1, _id: -1 } },
    { key: { skillId: 1 } },
    { key: { tenantId: 1, at: -1, _id: -1 } },
    { key: { at: 1 } },
  ],
  open: openSyncConflicts,
});

function openSyncConflicts(conflicts: Collection<SyncConflictDoc>) {
  const find = ({ before, seen, ...of }: ConflictQuery) => {
    const filter: Filter<SyncConflictDoc> = { ...of };
    if (seen !== undefined) filter.seen = { $exists: seen };
    if (before) filter.$or = [{ at: { $lt: before.at } }, { at: before.at, _id: { $lt: before.id } }];
    return conflicts.find(filter).sort({ at: -1, _id: -1 });
  };
  return {
    /** Recording a conflict again changes nothing. */
    record: (rows: readonly Omit<SyncConflictDoc, "_id">[]) =>
      insertOnce(
        conflicts,
        rows.map((row) => ({ _id: `${row.skillId}:${row.winning}`, ...row })),
      ),
    /** Newest first; `before` is the last row of the previous page. */
    list: ({ limit, ...query }: ConflictQuery & { limit: number }): Promise<SyncConflictDoc[]> =>
      find(query).limit(limit).toArray(),
    /** All conflicts, newest first; a reader that stops early ends the query. */
    each: (query: ConflictQuery): AsyncIterable<SyncConflictDoc> => find(query).batchSize(readBatchSize),
    findOf: (tenantId: string, id: string) => conflicts.findOne({ _id: id, tenantId }),
    /** Marks a conflict, or removes the mark. The first mark stays. */
    async mark(id: string, seen: NonNullable<SyncConflictDoc["seen"]> | undefined): Promise<void> {
      if (seen) await conflicts.updateOne({ _id: id, seen: { $exists: false } }, { $set: { seen } });
      else await conflicts.updateOne({ _id: id }, { $unset: { seen: true } });
    },
    removeBefore: (date: Date) => removeSlice(conflicts, { at: { $lt: date } }),
    removeOfSkill: async (skillId: string): Promise<void> => {
      await conflicts.deleteMany({ skillId });
    },
  };
}
