/**
 * Revocation of a connector's tokens at their authorization server (RFC 7009), when they are no longer needed. It is an
 * attempt: the tokens are gone here in any case, and a server that does not take them back delays nothing for long.
 */
import {
  selectClientAuthMethod,
  type FetchLike,
  type StoredOAuthClientInformation,
} from "@modelcontextprotocol/client";
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import type { ConnectorWithSecrets } from "../../../storage/connectors/connectors.ts";
import type { App } from "../../app.ts";
import { openUpstreamFetch } from "../upstream/connect.ts";
import { problemOf } from "../upstream/failure.ts";
import { readSecret } from "../vault.ts";
import type { KeptTokens } from "./provider.ts";

/** Time for one connector. */
const oneMs = 10_000;
const atOnce = 5;

/** Revokes the tokens of connectors, as far as their servers offer it, up to a deadline. Never throws. */
export async function revokeAll(
  app: App,
  connectors: readonly ConnectorWithSecrets[],
  end = Infinity,
): Promise<void> {
  await mapLimit(connectors, atOnce, async (connector) => {
    if (performance.now() > end) return;
    try {
      const tokens = readSecret<KeptTokens>(app, connector, "tokens");
      if (tokens) await revokeTokens(app, connector, tokens);
    } catch (error) {
      app.log.warn(
        { connectorId: connector._id, name: nameOf(error) },
        "the tokens of a connector do not open",
      );
    }
  });
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : "unknown");

/** Revokes tokens that a connector had, as its client. Never throws. */
export async function revokeTokens(
  app: App,
  connector: ConnectorWithSecrets,
  tokens: KeptTokens,
): Promise<void> {
  const { revocation } = tokens;
  if (!revocation) return;
  const client = readSecret<StoredOAuthClientInformation>(app, connector, "client");
  if (!client || client.issuer !== tokens.issuer) return;
  const requests = openUpstreamFetch(app);
  const signal = AbortSignal.timeout(oneMs);
  const facts = { connectorId: connector._id };
  try {
    // Without its refresh token first, another access token could still be made.
    for (const kind of ["refresh_token", "access_token"] as const) {
      const token = tokens[kind];
      if (token === undefined) continue;
      const asked = requestFor(client, revocation.methods, { token, token_type_hint: kind });
      const { status } = await send(requests.fetch, revocation.endpoint, { ...asked, signal });
      app.log.info({ ...facts, kind, status }, "asked to revoke a token of a connector");
    }
  } catch (error) {
    const problem = signal.aborted ? "timed_out" : problemOf(error);
    app.log.info({ ...facts, problem }, "a token of a connector could not be revoked");
  } finally {
    requests.close();
  }
}

async function send(fetch: FetchLike, endpoint: string, init: RequestInit): Promise<Response> {
  const response = await fetch(endpoint, { ...init, method: "POST" });
  await response.body?.cancel();
  return response;
}

/** A request by the client's method of authentication (RFC 6749, section 2.3). */
function requestFor(
  client: StoredOAuthClientInformation,
  methods: string[],
  parameters: Record<string, string>,
): { headers: Headers; body: URLSearchParams } {
  const { client_id: id, client_secret: secret } = client;
  const headers = new Headers({ accept: "application/json" });
  const body = new URLSearchParams(parameters);
  const method = selectClientAuthMethod(client, methods);
  if (method === "client_secret_basic" && secret !== undefined) {
    const pair = [id, secret].map((part) => encodeURIComponent(part)).join(":");
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
  } else {
    body.set("client_id", id);
    if (method === "client_secret_post" && secret !== undefined) body.set("client_secret", secret);
  }
  return { headers, body };
}
