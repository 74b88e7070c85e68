/** The collections of the OAuth authorization server. */
import type { IndexDescription } from "mongodb";
import type { Database } from "../database.ts";
import { oauthClientIndexes, openOauthClients } from "./clients.ts";
import { oauthGrantIndexes, openOauthGrants } from "./grants.ts";
import { oauthRequestIndexes, openOauthRequests } from "./requests.ts";

export const oauthIndexes: Record<string, IndexDescription[]> = {
  oauth_clients: oauthClientIndexes,
  oauth_grants: oauthGrantIndexes,
  oauth_requests: oauthRequestIndexes,
};

export type Oauth = ReturnType<typeof openOauth>;

export function openOauth(database: Database) {
  return {
    clients: openOauthClients(database),
    grants: openOauthGrants(database),
    requests: openOauthRequests(database),
  };
}
