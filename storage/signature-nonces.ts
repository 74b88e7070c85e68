/** Nonces of signed calls, kept for the time in which the call could be replayed. */
import type { IndexDescription } from "mongodb";
import { isDuplicate, type Database } from "./database.ts";

interface SignatureNonceDoc {
  /** The key and the nonce. */
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
    async removeExpired(now: Date): Promise<number> {
      return (await nonces.deleteMany({ expiresAt: { $lte: now } })).deletedCount;
    },
  };
}
