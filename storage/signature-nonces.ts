/** Nonces of signed calls, for as long as their call could be sent again. */
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
    /** Uses a nonce up. False when it was before: of several calls at once, one gets it. */
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
