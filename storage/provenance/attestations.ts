/** Signed statements about the origin of versions, at most one for each. They can be made again from the versions. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { insertOnce } from "../outbox.ts";

export interface AttestationDoc {
  /** The version's id. */
  _id: string;
  tenantId: string;
  skillId: string;
  /** Id of the signing key. */
  keyId: string;
  predicateType: string;
  /** The statement as it was signed. */
  payload: string;
  /** DER in base64. */
  signature: string;
  signedAt: Date;
}

export const attestationsCollection = defineCollection({
  name: "attestations",
  indexes: [{ key: { skillId: 1 } }, { key: { tenantId: 1 } }, { key: { keyId: 1, signedAt: -1 } }],
  open: (attestations: Collection<AttestationDoc>) => ({
    find: (versionId: string) => attestations.findOne({ _id: versionId }),
    /** Inserts statements; versions that have one keep it. */
    record: (rows: AttestationDoc[]) => insertOnce(attestations, rows),
    async replace(row: AttestationDoc): Promise<void> {
      await attestations.replaceOne({ _id: row._id }, row, { upsert: true });
    },
    /** Those of the versions that have a statement by one of these keys. */
    async listSigned(versionIds: readonly string[], keyIds: readonly string[]): Promise<Set<string>> {
      const rows = await attestations
        .find({ _id: { $in: [...versionIds] }, keyId: { $in: [...keyIds] } }, { projection: { _id: 1 } })
        .toArray();
      return new Set(rows.map(({ _id }) => _id));
    },
    /** Time of the last statement that a key has signed. */
    findLastTime: async (keyId: string) =>
      (await attestations.findOne({ keyId }, { sort: { signedAt: -1 }, projection: { signedAt: 1 } }))
        ?.signedAt,
    async removeOfSkill(skillId: string): Promise<void> {
      await attestations.deleteMany({ skillId });
    },
  }),
});
