/**
 * Renewal of a connector's access token. Refresh tokens are often single-use, so one process at a time renews, under a
 * lease in the connector's document; others wait and use its result. The authorization server is discovered again each
 * time: tokens of another issuer are dropped.
 */
import { setTimeout as sleep } from "node:timers/promises";
import {
  discoverOAuthServerInfo,
  OAuthError,
  refreshAuthorization,
  selectResourceURL,
  UnauthorizedError,
  type FetchLike,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
} from "@modelcontextprotocol/client";
import { SingleFlight } from "../../../contract/concurrency/single-flight.ts";
import type { Patch } from "../../../storage/change.ts";
import type { ConnectorDoc } from "../../../storage/connectors/connectors.ts";
import type { App } from "../../app.ts";
import { perApp } from "../../per-app.ts";
import { openUpstreamFetch } from "../upstream/connect.ts";
import { isTemporary } from "../upstream/failure.ts";
import { ConnectorError } from "../upstream/problems.ts";
import { readSecret, withSecrets } from "../vault.ts";
import { withExpiry, type KeptTokens } from "./provider.ts";
import { revokeTokens } from "./revoke.ts";

/** Longer than all requests of a renewal may take. */
const leaseMs = 150_000;
const waitMs = 40_000;
const pollIntervalMs = 200;

const flightsOf = perApp(() => new SingleFlight<string>(Infinity));

/** A connector as its user has connected it. */
interface Connection {
  id: string;
  credentialsRevision: number;
}

/**
 * A valid access token instead of `previous`. Throws `UnauthorizedError` if the tokens can't be renewed: the connector
 * needs its user then, and its status says so. The user may also have connected again, possibly to another address,
 * which alone may get the later tokens. Throws other errors if the authorization server can't be reached.
 */
export async function renewToken(
  app: App,
  connection: Connection,
  url: URL,
  previous: string | undefined,
): Promise<string> {
  const key = `${connection.id} ${connection.credentialsRevision} ${previous ?? ""}`;
  return flightsOf(app).run(key, () => renew(app, connection, url, previous));
}

async function renew(
  app: App,
  connection: Connection,
  url: URL,
  previous: string | undefined,
): Promise<string> {
  const { connectors } = app.storage;
  const { id } = connection;
  const holder = app.newId();
  for (const deadline = performance.now() + waitMs; ; await sleep(pollIntervalMs)) {
    const renewed = await tokenUnless(app, connection, previous);
    if (renewed !== undefined) return renewed;
    const now = app.now();
    if (await connectors.takeRenewal(id, holder, new Date(now.getTime() + leaseMs), now)) break;
    if (performance.now() > deadline) throw new Error("another process renews the tokens of the connector");
  }
  try {
    // Another process may have finished between the look and the lease.
    return (await tokenUnless(app, connection, previous)) ?? (await renewLeased(app, connection, url));
  } finally {
    await connectors.endRenewal(id, holder);
  }
}

/** The stored access token if it is another one. Throws if there is nothing to renew. */
async function tokenUnless(
  app: App,
  connection: Connection,
  previous: string | undefined,
): Promise<string | undefined> {
  const { tokens } = await loadTokens(app, connection);
  return tokens.access_token === previous ? undefined : tokens.access_token;
}

/** Throws if there are no tokens, or those of a later connection. */
async function loadTokens(app: App, { id, credentialsRevision }: Connection) {
  const connector = await app.storage.connectors.withSecrets(id);
  const isPresent = connector?.credentialsRevision === credentialsRevision;
  const tokens = isPresent ? readSecret<KeptTokens>(app, connector, "tokens") : undefined;
  if (!connector || !tokens) throw new UnauthorizedError();
  return { connector, tokens };
}

async function renewLeased(app: App, connection: Connection, url: URL): Promise<string> {
  const { id } = connection;
  const { connector, tokens } = await loadTokens(app, connection);
  const requests = openUpstreamFetch(app);
  try {
    const renewed = await requestTokens(
      tokens,
      readSecret<StoredOAuthClientInformation>(app, connector, "client"),
      url,
      (asked, init) => requests.fetch(asked, init),
    );
    const { issuer, revocation } = tokens;
    const kept: KeptTokens = { ...withExpiry(renewed, app.now()), issuer, revocation };
    await replaceTokens(app, id, tokens, kept).catch(async (error: unknown) => {
      // The connector was deleted or connected again since: nothing else would end these tokens.
      await revokeTokens(app, connector, kept);
      throw error;
    });
    return renewed.access_token;
  } catch (error) {
    if (!isFinal(error)) throw error;
    await replaceTokens(app, id, tokens, null);
    throw new UnauthorizedError();
  } finally {
    requests.close();
  }
}

async function requestTokens(
  tokens: KeptTokens,
  client: StoredOAuthClientInformation | undefined,
  url: URL,
  fetchFn: FetchLike,
) {
  const discovery = watchFailures(fetchFn);
  const found = await discoverOAuthServerInfo(url, { fetchFn: discovery.fetch });
  const metadata = found.authorizationServerMetadata;
  const issuer = metadata?.issuer ?? found.authorizationServerUrl;
  const isOurs = issuer === tokens.issuer && client?.issuer === issuer;
  if (!isOurs && discovery.hasFailed()) throw new ConnectorError("server_failed");
  if (!isOurs || !tokens.refresh_token || !client) throw new UnauthorizedError();
  const selected = await selectResourceURL(url, {} as OAuthClientProvider, found.resourceMetadata);
  return refreshAuthorization(found.authorizationServerUrl, {
    clientInformation: client,
    refreshToken: tokens.refresh_token,
    fetchFn,
    metadata,
    resource: selected ? (found.resourceMetadata?.resource ?? selected) : undefined,
  });
}

/**
 * Notes failures of a server. Discovery goes on without the document that it could not load, and so finds another
 * issuer, or none.
 */
function watchFailures(fetchFn: FetchLike): { fetch: FetchLike; hasFailed: () => boolean } {
  let hasFailed = false;
  return {
    async fetch(asked, init) {
      const response = await fetchFn(asked, init).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
      if (response.status >= 500 || response.status === 429) hasFailed = true;
      return response;
    },
    hasFailed: () => hasFailed,
  };
}

/** Whether the same request would fail again: all but failures of the network and of the authorization server. */
function isFinal(error: unknown): boolean {
  if (error instanceof UnauthorizedError) return true;
  return error instanceof OAuthError && !isTemporary(error);
}

/**
 * Stores renewed tokens, or none, unless others were stored since. The refresh token was used, so the write is repeated
 * after a change of anything else. Throws `UnauthorizedError` if the connector was deleted or connected again.
 */
async function replaceTokens(
  app: App,
  id: string,
  previous: KeptTokens,
  tokens: KeptTokens | null,
): Promise<void> {
  const { connectors } = app.storage;
  for (;;) {
    const connector = await connectors.withSecrets(id);
    const stored = connector && readSecret<KeptTokens>(app, connector, "tokens");
    if (!connector || stored?.access_token !== previous.access_token) throw new UnauthorizedError();
    const vault = withSecrets(app, connector, { tokens });
    const patch: Patch<ConnectorDoc> = tokens
      ? { vault, status: "connected", problem: null }
      : { vault, status: "needs_auth", problem: "unauthorized", issuer: null };
    if (await connectors.change(id, { revision: connector.revision, patch, now: app.now() })) return;
  }
}
