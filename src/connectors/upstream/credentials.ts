/** The stored credentials of a connector, for its client. Decrypted here, when a connection is opened. */
import {
  extractWWWAuthenticateParams,
  UnauthorizedError,
  type AuthProvider,
} from "@modelcontextprotocol/client";
import type { App } from "../../app.ts";
import type { KeptTokens } from "../oauth/provider.ts";
import { renewToken } from "../oauth/renew.ts";
import type { UsableConnector } from "../usable.ts";
import { readSecret } from "../vault.ts";
import { sentToken } from "./connect.ts";
import { ConnectorError } from "./problems.ts";
import { addressOf, targetOf, type SuppliedValues, type Target } from "./target.ts";

/** Access tokens are renewed this long before they expire. */
const earlyMs = 30_000;

export interface LoadedTarget {
  target: Target;
  tokens: KeptTokens | undefined;
  /** The connection of the user to which both belong. */
  credentialsRevision: number;
}

/**
 * The target of a connector with its credentials. Throws `ConnectorError` if values are missing, or if the server has
 * another address than the one that the user has approved: then nothing is decrypted.
 */
export async function loadTarget(
  app: App,
  { connector, server }: Pick<UsableConnector, "connector" | "server">,
): Promise<LoadedTarget> {
  const stored = await app.storage.connectors.withSecrets(connector._id);
  if (!stored) throw new ConnectorError("no_access");
  if (stored.approvedAddress !== addressOf(server.config)) throw new ConnectorError("address_changed");
  const variables = readSecret<SuppliedValues>(app, stored, "variables") ?? {};
  const target = targetOf(server.config, variables);
  if (typeof target === "string") throw new ConnectorError(target);
  const tokens = readSecret<KeptTokens>(app, stored, "tokens");
  return { target, tokens, credentialsRevision: stored.credentialsRevision };
}

/** The parameters of a server's request for authorization, filled in by `authOf`. */
export interface Challenge {
  resourceMetadataUrl?: URL;
  scope?: string;
}

/** The access token of a client, renewed when it expires or the server no longer accepts it. */
export function authOf(
  app: App,
  connectorId: string,
  { target, tokens, credentialsRevision }: LoadedTarget,
  challenge: Challenge = {},
): AuthProvider {
  let current = tokens?.access_token;
  let expiresAt = tokens?.expiresAt;
  const renew = async () => {
    if (current === undefined) throw new UnauthorizedError();
    current = await renewToken(app, { id: connectorId, credentialsRevision }, target.url, current);
    expiresAt = undefined;
  };
  return {
    async token() {
      if (expiresAt !== undefined && tokens?.refresh_token && expiresAt - earlyMs <= app.now().getTime())
        await renew();
      return current;
    },
    async onUnauthorized({ response }) {
      const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
      Object.assign(challenge, { resourceMetadataUrl, scope });
      const refused = sentToken(response);
      // Another call of this client has renewed the token since this one was sent.
      if (refused !== undefined && refused !== current) return;
      await renew();
    },
  };
}
