/** Authorization requests that wait for a person's decision. Each is decided once, by its removal. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { removeSlice } from "../maintenance/slices.ts";

export interface OauthRequestDoc {
  /** Random, since it is part of an address. */
  _id: string;
  /** The parameters as they were sent. They are checked whenever the request is read. */
  parameters: Record<string, string>;
  createdAt: Date;
  expiresAt: Date;
}

export const oauthRequestsCollection = defineCollection({
  name: "oauth_requests",
  indexes: [{ key: { expiresAt: 1 } }],
  open: (requests: Collection<OauthRequestDoc>) => ({
    find: (id: string, now: Date) => requests.findOne({ _id: id, expiresAt: { $gt: now } }),
    /** Removes a request that is to be decided. False if it has expired, or was decided before. */
    async take(id: string, now: Date): Promise<boolean> {
      return (await requests.deleteOne({ _id: id, expiresAt: { $gt: now } })).deletedCount === 1;
    },
    removeExpired: (now: Date) => removeSlice(requests, { expiresAt: { $lte: now } }),
  }),
});
