/**
 * Connections of organizations to code repositories, one each. What is asked of one is a number that grows (`wanted`)
 * and what has been done of it another (`done`), so that any number of requests are one, and none is lost. Whoever
 * works on a connection holds its lease; a later holder has a higher fence, and a write with an older one does nothing.
 */
import type { Document, Filter, IndexDescription } from "mongodb";
import type { HostKind, SyncMode, SyncStatus } from "../contract/vocabulary.ts";
import type { Database } from "./database.ts";
import { outboxOperations, outboxUpdate, type EventRow, type WithOutbox } from "./outbox.ts";
import { removeSlice } from "./slices.ts";
import type { SyncProblem } from "./sync-problem.ts";
import type { SyncRefusal } from "./sync-runs.ts";

export interface ConnectionHost {
  kind: HostKind;
  /** The host's own id of the repository, which survives renames: GitHub's number, or the address of a local one. */
  repositoryId: string;
  /** `owner/name`, or the last part of a local one's address: for people. */
  fullName: string;
  /** Where git reaches it; without credentials. */
  url: string;
  /** With `github-app`. */
  installationId?: number;
  /** Set for `local`, in addition to its credential. */
  username?: string;
}

export interface ConnectionDoc extends WithOutbox {
  _id: string;
  tenantId: string;
  /** The repository as no two connections may have it with the same branch. */
  repositoryKey: string;
  host: ConnectionHost;
  /** Token or password, sealed with the connection's id. */
  credential?: string;
  /** A webhook that the service made for this connection, with its sealed secret. */
  webhook?: { id: string; secret: string };
  /** When it is renewed, or that is tried again which the host did not let us make. */
  webhookAt?: Date;
  branch: string;
  /** Imported versions are this member's, who need not be one any more. */
  connectedBy: { userId: string; username: string; name: string };
  /** The `connectedBy` whose loss of access was reported to the owners. */
  goneConnector?: string;
  mode: SyncMode;
  status: SyncStatus;
  /** Why it is `blocked` or `failing`. */
  problem?: SyncProblem;
  /** The newest that there was, over or not. */
  lastProblem?: SyncProblem;
  wanted: number;
  done: number;
  /** The `wanted` of the last request for a full sync. */
  fullWanted: number;
  /** The `wanted` of the last sync that a person asked for after the loss of the branch was reported. */
  newBranchWanted?: number;
  /** The `fullWanted` of the last full sync that came to its end: while it lags, each sync is a full one. */
  fullDone?: number;
  /** Since when something has been asked for that is not done. */
  wantedSince?: Date;
  /** When it is to be looked at; absent while nothing is asked for. */
  dueAt?: Date;
  /** The host has asked to be left alone until then, whatever is asked for. */
  notBefore?: Date;
  /** Skills and directories that the last completed sync skipped, the first of them. */
  refusals?: SyncRefusal[];
  /** When the branch's head is to be asked for. */
  pollAt: Date;
  /** The branch as it was found then, and the etag of that answer. */
  headOid?: string;
  headEtag?: string;
  /** The branch as the last sync left it. */
  lastRemoteOid?: string;
  lastSyncAt?: Date;
  /** From the request to the end of the last sync. */
  lastLagMs?: number;
  /** Skills that were erased since the mirror, which may still hold their bytes, was last made afresh. */
  erasures?: number;
  /** Syncs that failed in a row. */
  failures: number;
  /** Fence of the last lease. */
  fence: number;
  lease?: { holder: string; fence: number; takenAt: Date; until: Date };
  /** Work that asks the host outside of a sync. */
  visits?: { id: string; until: Date }[];
  createdAt: Date;
  updatedAt: Date;
}

export const connectionIndexes: IndexDescription[] = [
  { key: { tenantId: 1 }, unique: true, name: "tenant_connection" },
  { key: { repositoryKey: 1, branch: 1 }, unique: true, name: "connected_branch" },
  { key: { "host.kind": 1, "host.repositoryId": 1, _id: 1 } },
  { key: { dueAt: 1 }, sparse: true },
  { key: { pollAt: 1 } },
  { key: { status: 1, _id: 1 } },
  { key: { unsettledAt: 1 }, sparse: true },
];

export interface SyncRequest {
  /** Also put back what is missing in the repository. */
  full?: boolean;
  /** The request of a person. */
  manual?: boolean;
  /** Changes the mode as well; where it is not `from`, nothing is done. */
  mode?: { from: SyncMode; to: SyncMode } | undefined;
  /** Another member becomes the author of imports. */
  connectedBy?: ConnectionDoc["connectedBy"] | undefined;
  /** A skill was erased, and is to be in the mirror no longer. */
  erased?: boolean;
  now: Date;
  events?: EventRow[];
}

export interface SyncResult {
  /** The `wanted` that was read when the lease was taken. */
  done: number;
  /** With the end of a full sync: the `fullWanted` that was read then. */
  fullDone?: number | undefined;
  now: Date;
  status: "active" | "blocked" | "failing";
  /** Told where the branch was seen; else what is known of it stays. */
  lastRemoteOid?: string | undefined;
  problem?: SyncProblem | undefined;
  /** With `failing`: when it is tried again. */
  retryAt?: Date | undefined;
  /** Nothing is tried before. */
  notBefore?: Date | undefined;
  /** Told where a sync came so far as to know; else what is known stays. */
  refusals?: SyncRefusal[] | undefined;
}

export type Connections = ReturnType<typeof openConnections>;

export function openConnections(database: Database) {
  const connections = database.collection<ConnectionDoc>("connections");
  const withoutOutbox = { projection: { outbox: 0 } } as const;
  const onlyId = { projection: { _id: 1 } } as const;
  const alive: Filter<ConnectionDoc> = { status: { $ne: "disconnecting" } };

  return {
    /** Throws a duplicate error of index `tenant_connection` or `connected_branch`. */
    async insert(connection: ConnectionDoc): Promise<void> {
      await connections.insertOne(connection);
    },
    find: (id: string) => connections.findOne({ _id: id }, withoutOutbox),
    findOfTenant: (tenantId: string) => connections.findOne({ tenantId }, withoutOutbox),
    /** Whether any organization has connected this branch. */
    isConnected: async (repositoryKey: string, branch: string): Promise<boolean> =>
      (await connections.findOne({ repositoryKey, branch }, { projection: { _id: 1 } })) !== null,
    /** Those that a push to a repository concerns; several may have different branches of one. */
    listOfRepository: (kind: HostKind, repositoryId: string, limit = 100) =>
      connections
        .find({ "host.kind": kind, "host.repositoryId": repositoryId, ...alive }, withoutOutbox)
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    /** All of them, newest first within a status. In reverse order of names, "active" comes last. */
    list: (after: Pick<ConnectionDoc, "status" | "_id"> | undefined, limit: number) =>
      connections
        .find(
          after
            ? {
                status: { $lte: after.status },
                $or: [{ status: { $ne: after.status } }, { _id: { $lt: after._id } }],
              }
            : {},
          withoutOutbox,
        )
        .sort({ status: -1, _id: -1 })
        .limit(limit)
        .toArray(),

    /**
     * Asks for a sync, in one write, by the organization's id or the connection's own. Answers its id and what is
     * wanted now; null where nothing is connected.
     */
    async request(
      of: { tenantId: string } | { id: string },
      { full = false, manual = false, mode, connectedBy, erased = false, now, events = [] }: SyncRequest,
    ): Promise<{ _id: string; wanted: number } | null> {
      const which: Filter<ConnectionDoc> = "id" in of ? { _id: of.id } : { tenantId: of.tenantId };
      if (mode) which.mode = mode.from;
      const update: Document[] = [
        {
          $set: {
            wanted: { $add: ["$wanted", 1] },
            wantedSince: { $ifNull: ["$wantedSince", now] },
            dueAt: { $max: [now, "$notBefore"] },
            updatedAt: now,
            ...(mode ? { mode: mode.to } : {}),
            ...(connectedBy ? { connectedBy: { $literal: connectedBy } } : {}),
            ...(erased ? { erasures: { $add: [{ $ifNull: ["$erasures", 0] }, 1] } } : {}),
          },
        },
      ];
      if (full) update.push({ $set: { fullWanted: "$wanted" } });
      const isLost = { $eq: ["$problem.code", "branch_missing"] };
      if (manual)
        update.push({ $set: { newBranchWanted: { $cond: [isLost, "$wanted", "$newBranchWanted"] } } });
      if (events.length > 0) {
        const appended = { $concatArrays: [{ $ifNull: ["$outbox", []] }, { $literal: events }] };
        update.push({ $set: { outbox: appended, unsettledAt: { $ifNull: ["$unsettledAt", now] } } });
      }
      return connections.findOneAndUpdate({ ...which, ...alive }, update, {
        returnDocument: "after",
        projection: { _id: 1, wanted: 1 },
      });
    },
    /** Connections whose work is due, the longest waiting first; leased ones are left out. */
    listDue: (now: Date, limit: number) =>
      connections
        .find(
          {
            dueAt: { $lte: now },
            ...alive,
            $or: [{ lease: { $exists: false } }, { "lease.until": { $lte: now } }],
          },
          withoutOutbox,
        )
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray(),
    /** Connections whose branch is to be asked for. */
    listToPoll: (now: Date, limit: number) =>
      connections
        .find({ pollAt: { $lte: now }, ...alive }, withoutOutbox)
        .sort({ pollAt: 1 })
        .limit(limit)
        .toArray(),
    /** Without `head`, what is known of it stays. */
    async markPolled(
      id: string,
      { pollAt, head }: { pollAt: Date; head?: { oid: string; etag?: string } | undefined },
    ): Promise<void> {
      const found = head && {
        headOid: { $literal: head.oid },
        headEtag: head.etag === undefined ? "$$REMOVE" : { $literal: head.etag },
      };
      await connections.updateOne({ _id: id }, [{ $set: { pollAt, ...found } }]);
    },

    /**
     * Takes the lease, where nobody holds one that still runs. The answer is the connection as it was at that moment;
     * null where it is held, where the host is to be left alone, or where it is not there any more.
     */
    takeLease: (id: string, holder: string, until: Date, now: Date) =>
      connections.findOneAndUpdate(
        {
          _id: id,
          ...alive,
          $or: [{ lease: { $exists: false } }, { "lease.until": { $lte: now } }],
          notBefore: { $not: { $gt: now } },
        },
        [
          { $set: { fence: { $add: ["$fence", 1] } } },
          { $set: { lease: { holder: { $literal: holder }, fence: "$fence", takenAt: now, until } } },
        ],
        { returnDocument: "after", ...withoutOutbox },
      ),
    /** Takes the lease of an ending connection, returned with its outbox; null while a lease or visit is registered. */
    takeLeaseToEnd: (id: string, holder: string, until: Date, now: Date) =>
      connections.findOneAndUpdate(
        {
          _id: id,
          status: "disconnecting",
          $or: [{ lease: { $exists: false } }, { "lease.until": { $lte: now } }],
          visits: { $not: { $elemMatch: { until: { $gt: now } } } },
        },
        [
          { $set: { fence: { $add: ["$fence", 1] } } },
          { $set: { lease: { holder: { $literal: holder }, fence: "$fence", takenAt: now, until } } },
        ],
        { returnDocument: "after" },
      ),
    /** False if another worker has the lease, or the connection is being ended: the caller must stop. */
    async renewLease(id: string, fence: number, until: Date): Promise<boolean> {
      const result = await connections.updateOne(
        { _id: id, fence, "lease.fence": fence, ...alive },
        { $set: { "lease.until": until } },
      );
      return result.matchedCount === 1;
    },
    /** Whether the lease of that fence is still held, and the connection not being ended. */
    holdsLease: async (id: string, fence: number): Promise<boolean> =>
      (await connections.findOne({ _id: id, fence, "lease.fence": fence, ...alive }, onlyId)) !== null,
    isAlive: async (id: string): Promise<boolean> =>
      (await connections.findOne({ _id: id, ...alive }, onlyId)) !== null,
    /** Registers work that asks the host. False where the connection is being ended. */
    async beginVisit(id: string, visit: { id: string; until: Date }, now: Date): Promise<boolean> {
      const others = {
        $filter: { input: { $ifNull: ["$visits", []] }, cond: { $gt: ["$$this.until", now] } },
      };
      const begun = await connections.updateOne({ _id: id, ...alive }, [
        { $set: { visits: { $concatArrays: [others, [{ $literal: visit }]] } } },
      ]);
      return begun.matchedCount === 1;
    },
    async endVisit(id: string, visitId: string): Promise<void> {
      await connections.updateOne({ _id: id }, { $pull: { visits: { id: visitId } } });
    },
    /** Gives the lease back of a holder that is known to be dead; all that it was to do is left to do. */
    async releaseLease(id: string, holder: string): Promise<void> {
      await connections.updateOne({ _id: id, "lease.holder": holder }, { $unset: { lease: true } });
    },
    /** Records the end of a sync and releases the lease. False if another worker has taken the connection over. */
    async finish(id: string, fence: number, result: SyncResult): Promise<boolean> {
      const { done, fullDone, now, status, problem, retryAt, notBefore, lastRemoteOid, refusals } = result;
      const isDone = { $gte: ["$done", "$wanted"] };
      const isFailing = status === "failing";
      const lag = { $subtract: [now, { $ifNull: ["$wantedSince", now] }] };
      const ended = await connections.updateOne({ _id: id, fence, "lease.fence": fence }, [
        {
          $set: {
            done: isFailing ? "$done" : { $max: ["$done", done] },
            status: { $cond: [{ $eq: ["$status", "disconnecting"] }, "$status", status] },
            problem: problem === undefined ? "$$REMOVE" : { $literal: problem },
            ...(problem === undefined ? {} : { lastProblem: { $literal: problem } }),
            ...(fullDone === undefined ? {} : { fullDone }),
            failures: isFailing ? { $add: ["$failures", 1] } : 0,
            updatedAt: now,
            ...(lastRemoteOid === undefined ? {} : { lastRemoteOid: { $literal: lastRemoteOid } }),
            ...(refusals === undefined ? {} : { refusals: { $literal: refusals } }),
            ...(notBefore === undefined ? {} : { pollAt: { $max: ["$pollAt", notBefore] } }),
            notBefore: notBefore ?? "$$REMOVE",
            ...(status === "active" ? { lastSyncAt: now, lastLagMs: lag } : {}),
          },
        },
        {
          $set: {
            // Requests since the lease was taken have waited at most from then on.
            wantedSince: { $cond: [isDone, "$$REMOVE", isFailing ? "$wantedSince" : "$lease.takenAt"] },
            dueAt: { $cond: [isDone, "$$REMOVE", retryAt ?? now] },
          },
        },
        { $unset: "lease" },
      ]);
      return ended.matchedCount === 1;
    },

    /** The mirror was made afresh after so many erasures; any later one is for the next sync. */
    async settleErasures(id: string, erasures: number): Promise<void> {
      await connections.updateOne({ _id: id, erasures }, { $unset: { erasures: true } });
    },

    /** False where another process has noted something else since. */
    async noteGoneConnector(id: string, from: string | undefined, to: string | undefined): Promise<boolean> {
      const noted = await connections.updateOne(
        { _id: id, goneConnector: from ?? { $exists: false } },
        to === undefined ? { $unset: { goneConnector: true } } : { $set: { goneConnector: to } },
      );
      return noted.matchedCount === 1;
    },
    /** Updates the display name of the repository at the host. */
    async rename(id: string, { fullName, url }: { fullName: string; url: string }): Promise<void> {
      await connections.updateOne({ _id: id }, { $set: { "host.fullName": fullName, "host.url": url } });
    },
    /** Sets when the registration of the webhook is retried. */
    async retryWebhook(id: string, at: Date): Promise<void> {
      await connections.updateOne({ _id: id }, { $set: { webhookAt: at } });
    },
    /** False where the connection is being ended. */
    async setWebhook(id: string, webhook: { id: string; secret: string }, renewAt: Date): Promise<boolean> {
      const update = { $set: { webhook, webhookAt: renewAt } };
      return (await connections.updateOne({ _id: id, ...alive }, update)).matchedCount === 1;
    },
    /**
     * The end of a connection: from here on nobody works on it. The credential stays until what it opened is taken
     * back. Null when none is connected, or it is ending already.
     */
    disconnect: (tenantId: string, now: Date, events: EventRow[]) => {
      const outbox = outboxUpdate(events);
      return connections.findOneAndUpdate(
        { tenantId, ...alive },
        {
          $set: { status: "disconnecting", updatedAt: now, ...outbox.$set },
          $unset: { dueAt: true, problem: true },
          $push: outbox.$push,
        },
        { returnDocument: "after" },
      );
    },
    /** With their outboxes. */
    listDisconnecting: (limit: number) =>
      connections.find({ status: "disconnecting" }).limit(limit).toArray(),
    async removeDisconnected(id: string): Promise<void> {
      await connections.deleteOne({ _id: id, status: "disconnecting" });
    },
    removeOfTenant: (tenantId: string) => removeSlice(connections, { tenantId }),
    ...outboxOperations(connections),
  };
}
