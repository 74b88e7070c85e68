/**
 * Exclusive use of a connection: a sync holds its lease, and other work that calls the host registers a visit. A later
 * lease has a higher fence, and a write with a lower one has no effect.
 */
import type { Collection } from "mongodb";
import { withoutOutbox } from "../outbox.ts";
import type { SyncProblem } from "../sync/problem.ts";
import type { SyncRefusal } from "../sync/runs.ts";
import { alive, withoutLease, type ConnectionDoc } from "./document.ts";

export interface SyncResult {
  /** The `wanted` read with the lease. */
  done: number;
  /** The `fullWanted` read with the lease; set at the end of a full sync. */
  fullDone?: number;
  now: Date;
  status: "active" | "blocked" | "failing";
  /** Head of the branch; absent if it was not read, which keeps the recorded one. */
  lastRemoteOid?: string;
  problem?: SyncProblem;
  /** Time of the next attempt; set with `failing`. */
  retryAt?: Date;
  /** No sync begins before. */
  notBefore?: Date;
  /** Absent if the sync ended before they were known, which keeps the recorded ones. */
  refusals?: SyncRefusal[];
}

const leaseTo = (holder: string, until: Date, now: Date) => [
  { $set: { fence: { $add: ["$fence", 1] } } },
  { $set: { lease: { holder: { $literal: holder }, fence: "$fence", takenAt: now, until } } },
];

const onlyId = { projection: { _id: 1 } } as const;

export function leaseOperations(connections: Collection<ConnectionDoc>) {
  return {
    /**
     * Takes the lease unless another holder has it. Returns the connection with the lease, or null if the lease is
     * held, if the host asked to wait, or if the connection no longer exists.
     */
    takeLease: (id: string, holder: string, until: Date, now: Date) =>
      connections.findOneAndUpdate(
        { _id: id, ...alive, ...withoutLease(now), notBefore: { $not: { $gt: now } } },
        leaseTo(holder, until, now),
        { returnDocument: "after", ...withoutOutbox },
      ),
    /** Takes the lease of an ending connection, returned with its outbox; null while a lease or visit is registered. */
    takeLeaseToEnd: (id: string, holder: string, until: Date, now: Date) =>
      connections.findOneAndUpdate(
        {
          _id: id,
          status: "disconnecting",
          ...withoutLease(now),
          visits: { $not: { $elemMatch: { until: { $gt: now } } } },
        },
        leaseTo(holder, until, now),
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
    /** Whether the lease with this fence is still held, and the connection is not being ended. */
    holdsLease: async (id: string, fence: number): Promise<boolean> =>
      (await connections.findOne({ _id: id, fence, "lease.fence": fence, ...alive }, onlyId)) !== null,
    isAlive: async (id: string): Promise<boolean> =>
      (await connections.findOne({ _id: id, ...alive }, onlyId)) !== null,
    /** Registers work that calls the host. False if the connection is being ended. */
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
    /** Releases the lease of a crashed holder; its requests stay open. */
    async releaseLease(id: string, holder: string): Promise<void> {
      await connections.updateOne({ _id: id, "lease.holder": holder }, { $unset: { lease: true } });
    },
    /** Counts that a sync has made way for others. */
    async countSlice(id: string): Promise<void> {
      await connections.updateOne({ _id: id }, { $inc: { slices: 1 } });
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
            // Open requests were made after the lease was taken.
            wantedSince: { $cond: [isDone, "$$REMOVE", isFailing ? "$wantedSince" : "$lease.takenAt"] },
            dueAt: { $cond: [isDone, "$$REMOVE", retryAt ?? now] },
          },
        },
        { $unset: ["lease", "slices"] },
      ]);
      return ended.matchedCount === 1;
    },
  };
}
