/**
 * Calls through hosted connectors: which tool, how it ended, how long it took. They contain no arguments or results.
 */
import type { Collection } from "mongodb";
import type { ConnectorCallKind, ConnectorCallOutcome } from "../../contract/vocabulary.ts";
import { batchedInsert } from "../batches/batched-insert.ts";
import { defineCollection } from "../collection.ts";
import { commandTimeMs } from "../database.ts";
import { removeSlice } from "../maintenance/slices.ts";

export interface ConnectorCallDoc {
  _id: string;
  userId: string;
  tenantId: string;
  connectorId: string;
  /** The connector's slug. */
  connector: string;
  serverId: string;
  kind: ConnectorCallKind;
  /** Name of the tool or prompt; absent for resources, whose address may tell more. */
  name?: string;
  outcome: ConnectorCallOutcome;
  ms: number;
  /** Bytes of the result. */
  bytes: number;
  at: Date;
}

/** No caller waits for the record of a call: those of this time share a command. */
const collectMs = 20;

const latestFirst = { at: -1, _id: -1 } as const;

/** Calls of one server in a period. */
export interface CallFigures {
  _id: string;
  calls: number;
  failed: number;
}

export const connectorCallsCollection = defineCollection({
  name: "connector_calls",
  indexes: [
    { key: { userId: 1, ...latestFirst } },
    { key: { userId: 1, connectorId: 1, ...latestFirst } },
    { key: { tenantId: 1, at: 1 } },
    { key: { at: 1 } },
  ],
  open: (calls: Collection<ConnectorCallDoc>) => ({
    insert: batchedInsert(calls, collectMs),
    /** Calls of a user since a time, latest first; of one connector, or of all. */
    list: (
      owner: { userId: string } | { userId: string; connectorId: string },
      since: Date,
      after: { at: Date; id: string } | undefined,
      limit: number,
    ): Promise<ConnectorCallDoc[]> =>
      calls
        .find(
          {
            ...owner,
            at: { $gte: since },
            ...(after ? { $or: [{ at: { $lt: after.at } }, { at: after.at, _id: { $lt: after.id } }] } : {}),
          },
          { maxTimeMS: commandTimeMs },
        )
        .sort(latestFirst)
        .limit(limit)
        .toArray(),
    /** Numbers of an organization's calls since a time, by server. */
    countByServer: (tenantId: string, since: Date): Promise<CallFigures[]> =>
      calls
        .aggregate<CallFigures>(
          [
            { $match: { tenantId, at: { $gte: since } } },
            {
              $group: {
                _id: "$serverId",
                calls: { $sum: 1 },
                failed: { $sum: { $cond: [{ $in: ["$outcome", ["failed", "timed_out"]] }, 1, 0] } },
              },
            },
          ],
          { maxTimeMS: commandTimeMs },
        )
        .toArray(),
    removeBefore: (time: Date) => removeSlice(calls, { at: { $lt: time } }),
    removeOfUser: (userId: string) => removeSlice(calls, { userId }),
  }),
});
