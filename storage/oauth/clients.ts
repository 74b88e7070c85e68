/** Dynamically registered OAuth clients (RFC 7591). Clients with a metadata document have no record. */
import type { IndexDescription } from "mongodb";
import type { Database } from "../database.ts";
import { removeSlice } from "../slices.ts";

export interface OauthClientDoc {
  /** The client id. */
  _id: string;
  /** The client's own claim, which nothing verifies. */
  name: string;
  redirectUris: string[];
  createdAt: Date;
  /** Last registration, consent or issue of tokens. */
  usedAt: Date;
}

export const oauthClientIndexes: IndexDescription[] = [{ key: { usedAt: 1 } }];

export function openOauthClients(database: Database) {
  const clients = database.collection<OauthClientDoc>("oauth_clients");
  return {
    async insert(client: OauthClientDoc): Promise<void> {
      await clients.insertOne(client);
    },
    find: (id: string) => clients.findOne({ _id: id }),
    async touch(id: string, usedAt: Date): Promise<void> {
      await clients.updateOne({ _id: id }, { $max: { usedAt } });
    },
    /** Removes a slice of the clients that were not used since a time. */
    removeUnused: (before: Date) => removeSlice(clients, { usedAt: { $lte: before } }),
  };
}
