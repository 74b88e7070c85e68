/** Keys that sign statements about versions. None is ever removed, so that an earlier signature can still be judged. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { isDuplicate } from "../database.ts";
import { outboxFields, outboxUpdate, type EventRow, type WithOutbox } from "../outbox.ts";

export interface SigningKeyDoc extends WithOutbox {
  /** SHA-256 of the public key (SPKI), base64url. */
  _id: string;
  /** SPKI in DER, base64. */
  publicKey: string;
  /** PKCS #8 in base64, encrypted; absent once the key signs nothing any more. */
  sealed?: string;
  /** Statements of an earlier or a later time are not valid. */
  notBefore: Date;
  notAfter?: Date;
  /** Set if no statement of the key is valid any more. */
  revokedAt?: Date;
  createdAt: Date;
  /** Only the first key of a service has it. */
  isFirst?: true;
}

export const signingKeysCollection = defineCollection({
  name: "signing_keys",
  indexes: [
    { key: { isFirst: 1 }, unique: true, sparse: true, name: "first_signing_key" },
    { key: { notBefore: -1 } },
    { key: { notAfter: 1 }, sparse: true },
  ],
  outbox: true,
  open: (keys: Collection<SigningKeyDoc>) => ({
    /** All of them, the newest first: an administrator makes each. */
    list: () =>
      keys
        .find({}, { projection: { outbox: 0, pendingSince: 0 } })
        .sort({ notBefore: -1 })
        .toArray(),
    /** False if the service has a first key already. */
    async insertFirst(key: SigningKeyDoc): Promise<boolean> {
      try {
        await keys.insertOne({ ...key, isFirst: true });
        return true;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
    async insert(key: SigningKeyDoc, events: EventRow[]): Promise<void> {
      await keys.insertOne({ ...key, ...outboxFields(events) });
    },
    /** Ends the validity of keys that have no end yet. */
    async retire(ids: readonly string[], notAfter: Date): Promise<void> {
      await keys.updateMany({ _id: { $in: [...ids] }, notAfter: { $exists: false } }, { $set: { notAfter } });
    },
    /** False if the key is revoked already, or there is none. */
    async revoke(id: string, revokedAt: Date, events: EventRow[]): Promise<boolean> {
      const outbox = outboxUpdate(events);
      const { modifiedCount } = await keys.updateOne(
        { _id: id, revokedAt: { $exists: false } },
        { $set: { revokedAt, ...outbox.$set }, $unset: { sealed: true }, $push: outbox.$push },
      );
      return modifiedCount === 1;
    },
    /** Removes the private parts of keys whose validity has ended. */
    async forgetPrivate(before: Date): Promise<void> {
      await keys.updateMany({ notAfter: { $lt: before } }, { $unset: { sealed: true } });
    },
  }),
});
