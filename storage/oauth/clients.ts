/** Dynamically registered OAuth clients (RFC 7591). Clients with a metadata document have no record. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { removeSlice } from "../maintenance/slices.ts";

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

export const oauthClientsCollection = defineCollection({
  name: "oauth_clients",
  indexes: [{ key: { usedAt: 1 } }],
  open: (clients: Collection<OauthClientDoc>) => ({
    find: (id: string) => clients.findOne({ _id: id }),
    async touch(id: string, usedAt: Date): Promise<void> {
      await clients.updateOne({ _id: id }, { $max: { usedAt } });
    },
    /** Removes a slice of the clients that were not used since a time. */
    removeUnused: (before: Date) => removeSlice(clients, { usedAt: { $lte: before } }),
  }),
});
