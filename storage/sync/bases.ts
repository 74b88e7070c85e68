/**
 * Merge bases: the state of each skill on which repository and service last agreed, by which changes of either side are
 * detected. Leases are not checked here: a row has the fence of its writer, and a write with an older fence has no
 * effect.
 */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { putFenced, removeFenced, type FencedRow } from "../fenced-rows.ts";
import { connectionIdsIn, removeSlice } from "../maintenance/slices.ts";

export interface SyncBase {
  skillId: string;
  /** Path of the skill's directory from the root of the repository. */
  path: string;
  /** Id of the directory's tree without `.svc.json`. */
  contentTree: string;
  /** Id of the `.svc.json` blob; absent if the repository had none. */
  svcBlob?: string;
  /** Revision of the skill's document as exported. */
  skillRevision: number;
  /** Number of the skill's newest version at that time. */
  version?: number;
  /** Reason for which the skill is not in sync, shown to users. One skill never blocks the others. */
  problem?: { code: string; message: string; at: Date };
  /** Path to which the repository has moved the directory, until a full sync moves it back. */
  strayPath?: string;
  /** Last move of the directory by the service. `second`: another directory of the skill, to be removed. */
  lastMove?: { from: string; at: Date; second?: { path: string; contentTree: string; version?: number } };
}

export type SyncBaseDoc = SyncBase & FencedRow;

export const syncBasesCollection = defineCollection({
  name: "sync_bases",
  indexes: [
    { key: { connectionId: 1, skillId: 1 }, unique: true, name: "skill_base" },
    { key: { connectionId: 1, path: 1 } },
    { key: { connectionId: 1, "problem.at": 1 }, sparse: true },
    { key: { tenantId: 1 } },
  ],
  open: (bases: Collection<SyncBaseDoc>) => ({
    /** All merge bases of a connection, in no particular order. */
    listOf: (connectionId: string) => bases.find({ connectionId }).toArray(),
    /** Directories of all skills of a connection. */
    listPaths: (
      connectionId: string,
    ): Promise<Pick<SyncBaseDoc, "skillId" | "path" | "strayPath" | "lastMove">[]> =>
      bases
        .find({ connectionId }, { projection: { _id: 0, skillId: 1, path: 1, strayPath: 1, lastMove: 1 } })
        .toArray(),
    /** Merge bases of several skills. */
    listBySkills: (connectionId: string, skillIds: string[]) =>
      bases.find({ connectionId, skillId: { $in: skillIds } }).toArray(),
    /** Merge bases at a path; several while skills exchange their paths. */
    listByPath: (connectionId: string, path: string) => bases.find({ connectionId, path }).toArray(),
    /** Merge bases with a problem, newest first. */
    listProblems: (connectionId: string, limit: number) =>
      bases
        .find({ connectionId, "problem.at": { $exists: true } })
        .sort({ "problem.at": -1 })
        .limit(limit)
        .toArray(),
    /** All merge bases with a problem, newest first; a reader that stops early ends the query. */
    eachProblem: (connectionId: string): AsyncIterable<SyncBaseDoc> =>
      bases.find({ connectionId, "problem.at": { $exists: true } }).sort({ "problem.at": -1 }),
    count: (connectionId: string) => bases.countDocuments({ connectionId }),
    /** Replaces rows. Rows of a later holder of the lease are not changed. */
    putMany: (
      connection: { _id: string; tenantId: string },
      fence: number,
      rows: readonly SyncBase[],
    ): Promise<void> =>
      putFenced(connection, fence, rows, (writes) => bases.bulkWrite(writes, { ordered: false })),
    /** Removes rows, except those of a later holder of the lease. */
    removeMany: (connectionId: string, fence: number, skillIds: readonly string[]): Promise<void> =>
      removeFenced(connectionId, fence, skillIds, (filter) => bases.deleteMany(filter)),
    connectionIds: () => connectionIdsIn(bases),
    removeOfConnection: (connectionId: string) => removeSlice(bases, { connectionId }),
  }),
});
