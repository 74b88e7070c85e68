/** The progress of the forwarding of organizations' audit logs. Its setting is part of the organization. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { isDuplicate } from "../database.ts";

export interface AuditForwardingDoc {
  /** The organization. */
  _id: string;
  /** Time of the last delivery. */
  deliveredAt?: Date;
  /** Failed attempts since then. */
  failures?: number;
  failingSince?: Date;
  error?: string;
  nextAttemptAt?: Date;
  /** The process that delivers, until `leasedUntil`. */
  lease?: string;
  leasedUntil?: Date;
}

export const auditForwardingsCollection = defineCollection({
  name: "audit_forwardings",
  indexes: [{ key: { failingSince: 1 }, sparse: true, name: "forwarding_failures" }],
  open: (forwardings: Collection<AuditForwardingDoc>) => ({
    find: (tenantId: string) => forwardings.findOne({ _id: tenantId }),

    /** Makes a process the only one that delivers. Null while another one does. */
    async begin(tenantId: string, lease: string, now: Date, until: Date): Promise<AuditForwardingDoc | null> {
      try {
        return await forwardings.findOneAndUpdate(
          { _id: tenantId, $or: [{ leasedUntil: { $exists: false } }, { leasedUntil: { $lte: now } }] },
          { $set: { lease, leasedUntil: until } },
          { upsert: true, returnDocument: "after" },
        );
      } catch (error) {
        if (isDuplicate(error)) return null;
        throw error;
      }
    },
    /** False if another process has taken over. */
    async noteDelivery(tenantId: string, lease: string, now: Date, until: Date): Promise<boolean> {
      const { matchedCount } = await forwardings.updateOne(
        { _id: tenantId, lease },
        {
          $set: { deliveredAt: now, leasedUntil: until },
          $unset: { failures: true, failingSince: true, error: true, nextAttemptAt: true },
        },
      );
      return matchedCount === 1;
    },
    async noteFailure(
      tenantId: string,
      lease: string,
      { error, now, nextAttemptAt }: { error: string; now: Date; nextAttemptAt: Date },
    ): Promise<void> {
      await forwardings.updateOne({ _id: tenantId, lease }, [
        {
          $set: {
            error: { $literal: error },
            nextAttemptAt,
            failures: { $add: [{ $ifNull: ["$failures", 0] }, 1] },
            failingSince: { $ifNull: ["$failingSince", now] },
          },
        },
      ]);
    },
    /** The number of organizations whose receiver has failed since before a time, and the first failure of all. */
    async readFailing(before: Date): Promise<{ count: number; since?: Date }> {
      const [count, first] = await Promise.all([
        forwardings.countDocuments({ failingSince: { $lte: before } }),
        forwardings.findOne({ failingSince: { $gt: new Date(0) } }, { sort: { failingSince: 1 } }),
      ]);
      return { count, since: first?.failingSince };
    },
    /** Those of some organizations that have failed since before a time. */
    listFailing: (tenantIds: readonly string[], before: Date): Promise<AuditForwardingDoc[]> =>
      forwardings.find({ _id: { $in: [...tenantIds] }, failingSince: { $lte: before } }).toArray(),
    async end(tenantId: string, lease: string): Promise<void> {
      await forwardings.updateOne({ _id: tenantId, lease }, { $unset: { lease: true, leasedUntil: true } });
    },
    /** Forgets the failures, so that the next attempt is due. */
    async retry(tenantId: string): Promise<void> {
      await forwardings.updateOne(
        { _id: tenantId },
        { $unset: { failures: true, failingSince: true, error: true, nextAttemptAt: true } },
      );
    },
    async remove(tenantId: string): Promise<void> {
      await forwardings.deleteOne({ _id: tenantId });
    },
  }),
});
