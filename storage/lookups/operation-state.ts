/** State of the whole service for its operators: sums over all organizations, never of one. */
import type { SyncProblemCode, SyncStatus } from "../../contract/vocabulary.ts";
import type { ConnectionDoc } from "../connections/document.ts";
import type { Database } from "../database.ts";

export interface SyncState {
  connections: { status: SyncStatus; count: number }[];
  problems: { code: SyncProblemCode; count: number }[];
  /** Time of the oldest request that is not done, by the status of its connection. */
  oldest: { status: SyncStatus; since: Date }[];
}

/** The next time at which something expires, which may have passed; absent if there is none. */
export interface NextExpiries {
  /** Last valid certificate of an identity provider. */
  certificate?: Date;
  /** Metadata of an identity provider that was entered as a text. */
  metadata?: Date;
  /** Key for encrypted assertions. */
  encryptionKey?: Date;
}

export function openOperationState(database: Database) {
  return {
    async readSyncs(): Promise<SyncState> {
      const [byStatus, byProblem, byAge] = await Promise.all([
        // The index has what both first stages need.
        database.aggregate<{ _id: SyncStatus; count: number }>("connections", [
          { $match: { status: { $gt: "" } } },
          { $group: { _id: "$status", count: { $sum: 1 } } },
        ]),
        database.aggregate<{ _id: SyncProblemCode; count: number }>("connections", [
          { $match: { status: { $in: ["blocked", "failing"] } } },
          { $group: { _id: "$problem.code", count: { $sum: 1 } } },
        ]),
        database.aggregate<{ _id: ConnectionDoc["status"]; since: Date | null }>("connections", [
          { $match: { dueAt: { $exists: true } } },
          { $group: { _id: "$status", since: { $min: "$wantedSince" } } },
        ]),
      ]);
      return {
        connections: byStatus.map(({ _id, count }) => ({ status: _id, count })),
        problems: byProblem.flatMap(({ _id, count }) => (_id ? [{ code: _id, count }] : [])),
        oldest: byAge.flatMap(({ _id, since }) => (since ? [{ status: _id, since }] : [])),
      };
    },
    /** Expiries of enabled identity providers. */
    async nextExpiries(): Promise<NextExpiries> {
      const [found] = await database.aggregate<{ [K in keyof NextExpiries]: Date | null }>("sso_providers", [
        { $match: { active: true, enabled: true } },
        {
          $group: {
            _id: null,
            certificate: { $min: { $max: "$saml.certificates.notAfter" } },
            metadata: { $min: "$saml.validUntil" },
            encryptionKey: { $min: "$encryption.current.notAfter" },
          },
        },
      ]);
      return {
        certificate: found?.certificate ?? undefined,
        metadata: found?.metadata ?? undefined,
        encryptionKey: found?.encryptionKey ?? undefined,
      };
    },
  };
}
