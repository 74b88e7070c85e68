/** The set-up secret of an empty service: one record, which every process of the service shares. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";

export interface SetupDoc {
  _id: "setup";
  /** Encrypted with the record's id, since it is shown again at each start. */
  sealedToken: string;
}

export const setupCollection = defineCollection({
  name: "setup",
  open: (setup: Collection<SetupDoc>) => ({
    find: () => setup.findOne({ _id: "setup" }),
    /** Stores a secret unless there is one; returns the stored one. */
    async claim(sealedToken: string): Promise<SetupDoc> {
      const doc = await setup.findOneAndUpdate(
        { _id: "setup" },
        { $setOnInsert: { sealedToken } },
        { upsert: true, returnDocument: "after" },
      );
      return doc!;
    },
    async replace(sealedToken: string): Promise<void> {
      await setup.updateOne({ _id: "setup" }, { $set: { sealedToken } }, { upsert: true });
    },
    async remove(): Promise<void> {
      await setup.deleteOne({ _id: "setup" });
    },
  }),
});
