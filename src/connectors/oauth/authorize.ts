/** The authorization of a connector at the provider of its server: the way there, and the exchange of the code. */
import {
  auth,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type StoredOAuthClientInformation,
} from "@modelcontextprotocol/client";
import { limits } from "../../../contract/limits.ts";
import { mayBeUnencrypted } from "../../../repos/transport/connections.ts";
import type { PublicConnector } from "../../../storage/connectors/connectors.ts";
import type { App } from "../../app.ts";
import { openUpstreamFetch } from "../upstream/connect.ts";
import { loadTarget, type Challenge } from "../upstream/credentials.ts";
import { ConnectorError } from "../upstream/problems.ts";
import type { Target } from "../upstream/target.ts";
import type { UsableConnector } from "../usable.ts";
import { readSecret, withSecrets } from "../vault.ts";
import { hashState, openProvider, type FlowSecrets, type ProviderChanges } from "./provider.ts";
import { revokeTokens } from "./revoke.ts";

/**
 * Discovers the authorization server, registers there if necessary, and stores the state of the flow. Returns the
 * address to which the user's browser goes.
 */
export async function beginAuthorization(
  app: App,
  { connector, sessionId }: UsableConnector & { sessionId: string },
  target: Target,
  { resourceMetadataUrl, scope }: Challenge,
): Promise<URL> {
  const { connectors } = app.storage;
  const stored = await connectors.withSecrets(connector._id);
  if (!stored || stored.credentialsRevision !== connector.credentialsRevision) throw new UnauthorizedError();
  const client = readSecret<StoredOAuthClientInformation>(app, stored, "client");
  const { provider, changes } = openProvider(app, { client });
  const requests = openUpstreamFetch(app);
  try {
    await auth(provider, {
      serverUrl: target.url,
      fetchFn: (url, init) => requests.fetch(url, init),
      resourceMetadataUrl,
      scope,
    });
  } finally {
    requests.close();
  }
  const { authorizationUrl, state, codeVerifier, discovery } = changes;
  if (!authorizationUrl || !state || !codeVerifier || !discovery) throw new UnauthorizedError();
  checkAddress(app, authorizationUrl);
  const flow: FlowSecrets = { codeVerifier, discovery, scope };
  const vault = withSecrets(app, stored, { flow, client: changes.client });
  const expiresAt = new Date(app.now().getTime() + limits.connectorFlowMs);
  const set = { vault, flow: { stateHash: hashState(state), sessionId, expiresAt } };
  if (!(await connectors.change(stored._id, { revision: stored.revision, set, now: app.now() })))
    throw new UnauthorizedError();
  return authorizationUrl;
}

/** The browser must not be sent to a script, or to a page without encryption. */
function checkAddress(app: App, url: URL): void {
  const { protocol } = url;
  const isAllowed =
    protocol === "https:" ||
    (protocol === "http:" && (app.config.mcpCentral.privateNetwork || mayBeUnencrypted(url)));
  if (!isAllowed) throw new ConnectorError("forbidden_address");
}

/**
 * Exchanges the code of a callback, once, and stores the tokens. The caller has compared the state. Returns the changed
 * connector.
 */
export async function finishExchange(
  app: App,
  { connector, server }: UsableConnector,
  parameters: URLSearchParams,
): Promise<PublicConnector> {
  const { connectors } = app.storage;
  const stored = await connectors.withSecrets(connector._id);
  const flow = stored && readSecret<FlowSecrets>(app, stored, "flow");
  if (!stored || !flow || stored.revision !== connector.revision) throw new UnauthorizedError();
  const client = readSecret<StoredOAuthClientInformation>(app, stored, "client");
  const { target } = await loadTarget(app, { connector, server });
  const begun = withSecrets(app, stored, { flow: null });
  const patch = { vault: begun, flow: null };
  if (!(await connectors.change(stored._id, { revision: stored.revision, patch, now: app.now() })))
    throw new UnauthorizedError();

  const { provider, changes } = openProvider(app, { client, flow });
  const requests = openUpstreamFetch(app);
  try {
    const transport = new StreamableHTTPClientTransport(target.url, {
      authProvider: provider,
      fetch: (url, init) => requests.fetch(url, init),
    });
    await transport.finishAuth(parameters);
  } finally {
    requests.close();
  }
  const connected = await storeTokens(app, connector, changes);
  if (connected) return connected;
  // The connector was deleted or connected again since: nothing else would end these tokens.
  if (changes.tokens) await revokeTokens(app, stored, changes.tokens);
  throw new UnauthorizedError();
}

async function storeTokens(
  app: App,
  { _id, credentialsRevision }: PublicConnector,
  { tokens, issuer }: ProviderChanges,
): Promise<PublicConnector | null> {
  const { connectors } = app.storage;
  const current = await connectors.withSecrets(_id);
  if (current?.credentialsRevision !== credentialsRevision || !tokens || !issuer) return null;
  const set = {
    vault: withSecrets(app, current, { tokens }),
    issuer,
    // Clients without these tokens, in any process, are not used any more.
    credentialsRevision: credentialsRevision + 1,
  };
  return connectors.change(_id, { revision: current.revision, set, now: app.now() });
}
