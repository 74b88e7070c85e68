/** Authorization requests that wait for a person's decision. Each is decided once, by its removal. */
import type { IndexDescription } from "mongodb";
import type { Database } from "../database.ts";
import { removeSlice } from "../slices.ts";

export interface OauthRequestDoc {
  /** Random, since it is part of an address. */
  _id: string;
  /** The parameters as they were sent. They are checked whenever the request is read. */
  parameters: Record<string, string>;
  createdAt: Date;
  expiresAt: Date;
}

export const oauthRequestIndexes: IndexDescription[] = [{ key: { expiresAt: 1 } }];

export function openOauthRequests(database: Database) {
  const requests = database.collection<OauthRequestDoc>("oauth_requests");
  return {
    async insert(request: OauthRequestDoc): Promise<void> {
      await requests.insertOne(request);
    },
    find: (id: string, now: Date) => requests.findOne({ _id: id, expiresAt: { $gt: now } }),
    /** Removes a request that is to be decided. False if it has expired, or was decided before. */
    async take(id: string, now: Date): Promise<boolean> {
      return (await requests.deleteOne({ _id: id, expiresAt: { $gt: now } })).deletedCount === 1;
    },
    removeExpired: (now: Date) => removeSlice(requests, { expiresAt: { $lte: now } }),
  };
}
