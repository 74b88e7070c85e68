/**
 * What a repository held of each skill when both sides last agreed: the base of the comparison that decides who
 * changed. Nobody's lease is checked here: a row carries the fence of its writer, and an older one writes nothing.
 */
import type { IndexDescription } from "mongodb";
import type { Database } from "./database.ts";
import { putFenced, removeFenced, type FencedRow } from "./fenced-rows.ts";
import { connectionIdsIn, removeSlice } from "./slices.ts";

export interface SyncBase {
  skillId: string;
  /** Path of the skill's directory from the root of the repository. */
  path: string;
  /** Id of the directory's tree without `.svc.json`. */
  contentTree: string;
  /** Id of the `.svc.json` blob; absent where the repository had none. */
  svcBlob?: string;
  /** Revision of the skill's document as exported. */
  skillRevision: number;
  /** Number of the skill's newest version then: what came later is not in the books. */
  version?: number;
  /** Reason for which the skill is not in sync, shown to users. One skill never blocks the others. */
  problem?: { code: string; message: string; at: Date };
  /** Where the repository has moved the directory to, until a full sync puts it back. */
  strayPath?: string;
}

export type SyncBaseDoc = SyncBase & FencedRow;

export const syncBaseIndexes: IndexDescription[] = [
  { key: { connectionId: 1, skillId: 1 }, unique: true, name: "skill_base" },
  { key: { connectionId: 1, path: 1 } },
  { key: { connectionId: 1, "problem.at": 1 }, sparse: true },
  { key: { tenantId: 1 } },
];

export type SyncBases = ReturnType<typeof openSyncBases>;

export function openSyncBases(database: Database) {
  const bases = database.collection<SyncBaseDoc>("sync_bases");
  return {
    /** All of a connection, in no order. */
    listOf: (connectionId: string) => bases.find({ connectionId }).toArray(),
    /** The directories of all of a connection's skills. */
    listPaths: (connectionId: string) =>
      bases
        .find({ connectionId }, { projection: { _id: 0, skillId: 1, path: 1, strayPath: 1 } })
        .toArray() as Promise<Pick<SyncBaseDoc, "skillId" | "path" | "strayPath">[]>,
    /** Merge bases of several skills. */
    listBySkills: (connectionId: string, skillIds: string[]) =>
      bases.find({ connectionId, skillId: { $in: skillIds } }).toArray(),
    /** Those whose directory is at this path; more than one while two skills change places. */
    listByPath: (connectionId: string, path: string) => bases.find({ connectionId, path }).toArray(),
    /** Those with a problem, the newest first. */
    listProblems: (connectionId: string, limit: number) =>
      bases
        .find({ connectionId, "problem.at": { $exists: true } })
        .sort({ "problem.at": -1 })
        .limit(limit)
        .toArray(),
    /** All of them in the same order; a reader that stops early ends the query. */
    eachProblem: (connectionId: string): AsyncIterable<SyncBaseDoc> =>
      bases.find({ connectionId, "problem.at": { $exists: true } }).sort({ "problem.at": -1 }),
    count: (connectionId: string) => bases.countDocuments({ connectionId }),
    /** Writes rows whole. Rows that a later holder of the lease has written stay as they are. */
    putMany: (
      connection: { _id: string; tenantId: string },
      fence: number,
      rows: readonly SyncBase[],
    ): Promise<void> =>
      putFenced(connection, fence, rows, (writes) => bases.bulkWrite(writes, { ordered: false })),
    /** Takes rows away, but those that a later holder of the lease has written. */
    removeMany: (connectionId: string, fence: number, skillIds: readonly string[]): Promise<void> =>
      removeFenced(connectionId, fence, skillIds, (filter) => bases.deleteMany(filter)),
    connectionIds: () => connectionIdsIn(bases),
    removeOfConnection: (connectionId: string) => removeSlice(bases, { connectionId }),
    removeOfTenant: (tenantId: string) => removeSlice(bases, { tenantId }),
  };
}
