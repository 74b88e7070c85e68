/** Skills that had changed on both sides: which version won, which one lost, and whose push it was. */
import type { Filter, IndexDescription } from "mongodb";
import type { Database } from "./database.ts";
import { insertOnce } from "./outbox.ts";
import { connectionIdsIn, removeSlice } from "./slices.ts";

export interface SyncConflictDoc {
  /** `skillId:winning`: a version is imported once, and so is its conflict. */
  _id: string;
  connectionId: string;
  tenantId: string;
  skillId: string;
  /** Path of the directory in the repository. */
  path: string;
  /** The number of the version that the repository's content became. */
  winning: number;
  /** The number of the version that was current here. */
  losing: number;
  /** Of the repository, with its author; without one where it is merely the tip at which the content was found. */
  commit: string;
  authorName?: string;
  at: Date;
}

export const syncConflictIndexes: IndexDescription[] = [
  { key: { connectionId: 1, at: -1, _id: -1 } },
  { key: { skillId: 1 } },
  { key: { tenantId: 1 } },
  { key: { at: 1 } },
];

interface ConflictQuery {
  connectionId: string;
  before?: { at: Date; id: string } | undefined;
}

const readAtOnce = 100;

export type SyncConflicts = ReturnType<typeof openSyncConflicts>;

export function openSyncConflicts(database: Database) {
  const conflicts = database.collection<SyncConflictDoc>("sync_conflicts");
  const find = ({ connectionId, before }: ConflictQuery) => {
    const filter: Filter<SyncConflictDoc> = { connectionId };
    if (before) filter.$or = [{ at: { $lt: before.at } }, { at: before.at, _id: { $lt: before.id } }];
    return conflicts.find(filter).sort({ at: -1, _id: -1 });
  };
  return {
    /** Recording one again changes nothing. */
    record: (rows: readonly Omit<SyncConflictDoc, "_id">[]) =>
      insertOnce(
        conflicts,
        rows.map((row) => ({ _id: `${row.skillId}:${row.winning}`, ...row })),
      ),
    /** The newest first; `before` is the last row of the page before. */
    list: (query: ConflictQuery & { limit: number }): Promise<SyncConflictDoc[]> =>
      find(query).limit(query.limit).toArray(),
    /** All of them in the same order; a reader that stops early ends the query. */
    each: (query: ConflictQuery): AsyncIterable<SyncConflictDoc> => find(query).batchSize(readAtOnce),
    removeBefore: (date: Date) => removeSlice(conflicts, { at: { $lt: date } }),
    removeOfSkill: async (skillId: string): Promise<void> => {
      await conflicts.deleteMany({ skillId });
    },
    connectionIds: () => connectionIdsIn(conflicts),
    removeOfConnection: (connectionId: string) => removeSlice(conflicts, { connectionId }),
    removeOfTenant: (tenantId: string) => removeSlice(conflicts, { tenantId }),
  };
}
