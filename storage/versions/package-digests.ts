/** Digests of versions as other registries' clients compute them. They are derived from the version, on first use. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { batchedLookup, oneOf } from "../lookups/batched-lookup.ts";

export interface PackageDigestDoc {
  /** The version's id. */
  _id: string;
  tenantId: string;
  skillId: string;
  version: number;
  /** The zip that is served to other clients. */
  zip?: ZipDigest;
  /** ClawHub's fingerprints of the files: each release of its client computes one of them. */
  fingerprints?: string[];
}

export interface ZipDigest {
  /** Hexadecimal SHA-256 of its bytes. */
  sha256: string;
  size: number;
}

type Key = Pick<PackageDigestDoc, "_id" | "tenantId" | "skillId" | "version">;

export const packageDigestsCollection = defineCollection({
  name: "package_digests",
  indexes: [{ key: { skillId: 1, fingerprints: 1, version: -1 } }, { key: { tenantId: 1 } }],
  open: openPackageDigests,
});

function openPackageDigests(digests: Collection<PackageDigestDoc>) {
  return {
    /** Concurrent calls share a query. */
    findZip: batchedLookup<ZipDigest>(async (ids) => {
      const rows = await digests.find({ _id: oneOf(ids), zip: { $exists: true } }).toArray();
      return new Map(rows.map(({ _id, zip }) => [_id, zip!]));
    }),
    /** Adds digests of a version, which are the same each time that they are computed. */
    async record({ _id, ...key }: Key, found: Pick<PackageDigestDoc, "zip" | "fingerprints">): Promise<void> {
      await digests.updateOne({ _id }, { $set: { ...key, ...found } }, { upsert: true });
    },
    /** The latest version of a skill with the fingerprint that is recorded. */
    findByFingerprint: (skillId: string, fingerprint: string) =>
      digests.findOne(
        { skillId, fingerprints: fingerprint },
        { projection: { version: 1 }, sort: { version: -1 } },
      ),
    async removeOfSkill(skillId: string): Promise<void> {
      await digests.deleteMany({ skillId });
    },
  };
}
