/**
 * What was proposed of each skill since the connected branch and the platform last agreed on it: so that a proposal
 * that is taken up late, when the platform has gone on, is not taken for somebody's edit.
 */
import type { IndexDescription } from "mongodb";
import type { Database } from "./database.ts";
import { putFenced, removeFenced, type FencedRow } from "./fenced-rows.ts";
import { connectionIdsIn, removeSlice } from "./slices.ts";

export interface ProposedContent {
  /** Path of the skill's directory from the root of the repository. */
  path: string;
  contentTree: string;
}

export interface SyncProposed {
  skillId: string;
  /** The content tree of the base then; null where there was none. */
  since: string | null;
  /** The latest last. */
  contents: ProposedContent[];
}

export type SyncProposedDoc = SyncProposed & FencedRow;

export const syncProposedIndexes: IndexDescription[] = [
  { key: { connectionId: 1, skillId: 1 }, unique: true, name: "skill_proposed" },
  { key: { tenantId: 1 } },
];

export type SyncProposedRows = ReturnType<typeof openSyncProposed>;

export function openSyncProposed(database: Database) {
  const rows = database.collection<SyncProposedDoc>("sync_proposed");
  return {
    /** All of a connection, in no order. */
    listOf: (connectionId: string) => rows.find({ connectionId }).toArray(),
    /** Writes rows whole. Rows that a later holder of the lease has written stay as they are. */
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
    removeOfTenant: (tenantId: string) => removeSlice(rows, { tenantId }),
  };
}
