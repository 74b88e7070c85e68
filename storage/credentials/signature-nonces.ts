/** Nonces of signed calls, and ids of identity tokens, kept for the time in which they could be replayed. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { isDuplicate } from "../database.ts";

interface SignatureNonceDoc {
  /** The key and the nonce, or the hash of a token's issuer and id. */
  _id: string;
  expiresAt: Date;
}

export const signatureNoncesCollection = defineCollection({
  name: "signature_nonces",
  indexes: [{ key: { expiresAt: 1 } }],
  open: (nonces: Collection<SignatureNonceDoc>) => ({
    /** Claims a nonce. False if it was used before: of concurrent calls, one gets it. */
    async claim(id: string, expiresAt: Date): Promise<boolean> {
      try {
        await nonces.insertOne({ _id: id, expiresAt });
        return true;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        return false;
      }
    },
    /** Whether a nonce was claimed. */
    has: async (id: string) => (await nonces.findOne({ _id: id }, { projection: { _id: 1 } })) !== null,
    async removeExpired(now: Date): Promise<number> {
      return (await nonces.deleteMany({ expiresAt: { $lte: now } })).deletedCount;
    },
  }),
});
