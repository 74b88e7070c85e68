/** Fingerprints of the keys by which stored secrets are encrypted, and which every process of the service must have. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { isDuplicate } from "../database.ts";

export interface KnownKey {
  id: string;
  /** Derived from the key, which can't be found from it. */
  fingerprint: string;
  /** Time at which another key became the current one. */
  replacedAt?: Date;
}

export interface KeyRingDoc {
  _id: "ring";
  revision: number;
  /** Id of the key that encrypts. */
  current: string;
  keys: KnownKey[];
}

export const keyRingCollection = defineCollection({
  name: "key_ring",
  open: (rings: Collection<KeyRingDoc>) => ({
    find: () => rings.findOne({ _id: "ring" }),
    /** False if there is one already. */
    async insert(ring: Omit<KeyRingDoc, "_id" | "revision">): Promise<boolean> {
      try {
        await rings.insertOne({ _id: "ring", revision: 1, ...ring });
        return true;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
    /** False if the ring has changed since `revision`. */
    async replace(revision: number, ring: Omit<KeyRingDoc, "_id" | "revision">): Promise<boolean> {
      const update = { $set: { ...ring, revision: revision + 1 } };
      return (await rings.updateOne({ _id: "ring", revision }, update)).modifiedCount === 1;
    },
  }),
});
