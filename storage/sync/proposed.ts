/**
 * Contents with which each skill was proposed since its merge base. By them, a proposal that is merged after further
 * changes of the platform is not taken for an edit.
 */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { putFenced, removeFenced, type FencedRow } from "../fenced-rows.ts";
import { connectionIdsIn, removeSlice } from "../maintenance/slices.ts";

export interface ProposedContent {
  /** Path of the skill's directory from the root of the repository. */
  path: string;
  contentTree: string;
}

export interface SyncProposed {
  skillId: string;
  /** Content tree of the merge base at that time, or null if there was none. */
  since: string | null;
  /** Latest last. */
  contents: ProposedContent[];
}

export type SyncProposedDoc = SyncProposed & FencedRow;

export const syncProposedCollection = defineCollection({
  name: "sync_proposed",
  indexes: [
    { key: { connectionId: 1, skillId: 1 }, unique: true, name: "skill_proposed" },
    { key: { tenantId: 1 } },
  ],
  open: (rows: Collection<SyncProposedDoc>) => ({
    /** All rows of a connection, in no particular order. */
    listOf: (connectionId: string) => rows.find({ connectionId }).toArray(),
    /** Replaces rows. Rows of a later holder of the lease are not changed. */
    putMany: (
      connection: { _id: string; tenantId: string },
      fence: number,
      given: readonly SyncProposed[],
    ): Promise<void> =>
      putFenced(connection, fence, given, (writes) => rows.bulkWrite(writes, { ordered: false })),
    removeMany: (connectionId: string, fence: number, skillIds: readonly string[]): Promise<void> =>
      removeFenced(connectionId, fence, skillIds, (filter) => rows.deleteMany(filter)),
    connectionIds: () => connectionIdsIn(rows),
    removeOfConnection: (connectionId: string) => removeSlice(rows, { connectionId }),
  }),
});
