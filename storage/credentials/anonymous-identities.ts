/**
 * Anonymous identities: an Ed25519 key, a generated name, and the share slots. An identity is a tenant without an
 * organization: its shares have its id as `tenantId` and its name as `tenantSlug`.
 *
 * One conditional write takes a slot and reserves its slug before the skill is created, so that concurrent shares never
 * exceed the limit.
 */
import type { Collection, Document } from "mongodb";
import { defineCollection } from "../collection.ts";
import { removeSlice } from "../maintenance/slices.ts";
import type { WithOutbox } from "../outbox.ts";

export interface ShareSlot {
  skillId: string;
  slug: string;
  /** Time of the reservation; removed once the skill exists. */
  reservedAt?: Date;
}

export interface AnonymousIdentityDoc extends WithOutbox {
  _id: string;
  /** 32 bytes in base64url. */
  publicKey: string;
  /** `anon-` and ten letters: both the username and the slug of the tenant. */
  username: string;
  shares: ShareSlot[];
  /** Time since which nothing is shared. */
  idleSince?: Date;
  createdAt: Date;
}

export type AnonymousIdentity = Pick<AnonymousIdentityDoc, "_id" | "publicKey" | "username" | "shares">;

const projection = { outbox: 0, pendingSince: 0 } as const;

export const anonymousIdentitiesCollection = defineCollection({
  name: "anonymous_identities",
  indexes: [
    { key: { publicKey: 1 }, unique: true, name: "identity_key" },
    { key: { username: 1 }, unique: true, name: "identity_username" },
    { key: { idleSince: 1 }, sparse: true },
  ],
  outbox: true,
  open: (identities: Collection<AnonymousIdentityDoc>) => ({
    find: (id: string) => identities.findOne<AnonymousIdentity>({ _id: id }, { projection }),
    findByKey: (publicKey: string) => identities.findOne<AnonymousIdentity>({ publicKey }, { projection }),
    findByUsername: (username: string) => identities.findOne<AnonymousIdentity>({ username }, { projection }),
    /** Records the use of an identity without shares; null if it was removed concurrently. */
    touch: (publicKey: string, now: Date) =>
      identities.findOneAndUpdate(
        { publicKey },
        [{ $set: { idleSince: { $cond: [{ $eq: ["$shares", []] }, now, "$$REMOVE"] } } }],
        { returnDocument: "after", projection },
      ),

    /** Takes one of `most` slots. False if none is free, the slug is reserved, or the identity no longer exists. */
    async reserveSlot(id: string, place: ShareSlot, most: number): Promise<boolean> {
      const result = await identities.updateOne(
        { _id: id, [`shares.${most - 1}`]: { $exists: false }, "shares.slug": { $ne: place.slug } },
        { $push: { shares: place }, $unset: { idleSince: true } },
      );
      return result.modifiedCount === 1;
    },
    /** Marks a share slot as used by its skill permanently. False if the slot was released concurrently. */
    async confirmSlot(id: string, skillId: string): Promise<boolean> {
      const result = await identities.updateOne(
        { _id: id, "shares.skillId": skillId },
        { $unset: { "shares.$.reservedAt": true } },
      );
      return result.matchedCount === 1;
    },
    /** Adds a slot for an existing skill without one, regardless of the limit: the skill counts. */
    async addSlot(id: string, place: ShareSlot): Promise<void> {
      await identities.updateOne(
        { _id: id, "shares.skillId": { $ne: place.skillId } },
        { $push: { shares: place }, $unset: { idleSince: true } },
      );
    },
    /** Releases a share slot if there is one. With `unkept` only a slot whose skill does not exist yet. */
    async releaseSlot(id: string, skillId: string, now: Date, unkept = false): Promise<void> {
      const shares = unkept ? { skillId, reservedAt: { $exists: true } } : { skillId };
      const result = await identities.updateOne({ _id: id }, { $pull: { shares } } as Document);
      if (result.modifiedCount === 1)
        await identities.updateOne({ _id: id, shares: { $size: 0 } }, { $set: { idleSince: now } });
    },

    /** A slice of all identities in order of their ids, for the reconcile job. */
    listAfter: (id: string | undefined, limit: number) =>
      identities
        .find<AnonymousIdentity>(id === undefined ? {} : { _id: { $gt: id } }, { projection })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    /**
     * Removes up to `slice` identities that have shared nothing since before a time and whose events are in the log.
     */
    removeIdle: (before: Date, slice = 1000) => {
      const idle = { idleSince: { $lt: before }, shares: { $size: 0 }, pendingSince: { $exists: false } };
      return removeSlice(identities, idle, slice);
    },
  }),
});
