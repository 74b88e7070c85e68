/** Nonces of signed calls, and ids of identity tokens, kept for the time in which they could be replayed. */
import type { IndexDescription } from "mongodb";
import { isDuplicate, type Database } from "./database.ts";

interface SignatureNonceDoc {
  /** The key and the nonce, or the hash of a token's issuer and id. */
  _id: string;
  expiresAt: Date;
}

export const signatureNonceIndexes: IndexDescription[] = [{ key: { expiresAt: 1 } }];

export type SignatureNonces = ReturnType<typeof openSignatureNonces>;

export function openSignatureNonces(database: Database) {
  const nonces = database.collection<SignatureNonceDoc>("signature_nonces");
  return {
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
  };
}
