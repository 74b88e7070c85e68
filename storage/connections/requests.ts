/** Requests for syncs, and the queries for connections whose sync or poll is due. */
import type { Collection, Document, Filter } from "mongodb";
import type { SyncMode } from "../../contract/vocabulary.ts";
import { withoutOutbox, type EventRow } from "../outbox.ts";
import type { RequestCause } from "./cause.ts";
import { alive, withoutLease, type ConnectionDoc } from "./document.ts";

export interface SyncRequest {
  /** Also restore skills that are missing in the repository. */
  full?: boolean;
  /** Requested by a person. */
  manual?: boolean;
  /** Also changes settings. If one is not `from`, nothing is changed. */
  mode?: { from: SyncMode; to: SyncMode };
  marketplace?: { from: ConnectionDoc["marketplace"]; to: ConnectionDoc["marketplace"] };
  /** New author of imports. */
  connectedBy?: ConnectionDoc["connectedBy"];
  /** A skill was erased, and must be removed from the mirror. */
  erased?: boolean;
  /** Default: a change. */
  cause?: RequestCause;
  now: Date;
  events?: EventRow[];
}

export function requestOperations(connections: Collection<ConnectionDoc>) {
  return {
    /**
     * Requests a sync in one write, by the organization's or the connection's id. Returns the connection's id and the
     * number of the request, or null if there is no connection.
     */
    async request(
      of: { tenantId: string } | { id: string },
      request: SyncRequest,
    ): Promise<{ _id: string; wanted: number } | null> {
      const { full = false, manual = false, mode, marketplace, connectedBy, erased = false, now } = request;
      const { events = [] } = request;
      const which: Filter<ConnectionDoc> = "id" in of ? { _id: of.id } : { tenantId: of.tenantId };
      if (mode) which.mode = mode.from;
      if (marketplace) which.marketplace = marketplace.from ?? { $exists: false };
      const update: Document[] = [
        {
          $set: {
            wanted: { $add: ["$wanted", 1] },
            wantedSince: { $ifNull: ["$wantedSince", now] },
            dueAt: { $max: [now, "$notBefore"] },
            updatedAt: now,
            cause: causeAfter(request.cause ?? { kind: "change" }),
            ...(mode ? { mode: mode.to } : {}),
            ...(marketplace ? { marketplace: { $literal: marketplace.to } } : {}),
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
        update.push({ $set: { outbox: appended, pendingSince: { $ifNull: ["$pendingSince", now] } } });
      }
      return connections.findOneAndUpdate({ ...which, ...alive }, update, {
        returnDocument: "after",
        projection: { _id: 1, wanted: 1 },
      });
    },
    /** Connections without a lease whose sync is due, oldest first. */
    listDue: (now: Date, limit: number) =>
      connections
        .find({ dueAt: { $lte: now }, ...alive, ...withoutLease(now) }, withoutOutbox)
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray(),
    /** Connections whose poll is due, oldest first. */
    listToPoll: (now: Date, limit: number) =>
      connections
        .find({ pollAt: { $lte: now }, ...alive }, withoutOutbox)
        .sort({ pollAt: 1 })
        .limit(limit)
        .toArray(),
    /** Records a poll. Without `head`, the recorded head is unchanged. */
    async markPolled(
      id: string,
      { pollAt, head }: { pollAt: Date; head?: { oid: string; etag?: string } },
    ): Promise<void> {
      const found = head && {
        headOid: { $literal: head.oid },
        headEtag: head.etag === undefined ? "$$REMOVE" : { $literal: head.etag },
      };
      await connections.updateOne({ _id: id }, [{ $set: { pollAt, ...found } }]);
    },
  };
}

/** An open request keeps its cause, unless a person asks now. */
function causeAfter(cause: RequestCause): Document {
  const literal = { $literal: cause };
  if (cause.by) return literal;
  const isOpen = { $gt: ["$wanted", "$done"] };
  return { $cond: [isOpen, { $ifNull: ["$cause", literal] }, literal] };
}
