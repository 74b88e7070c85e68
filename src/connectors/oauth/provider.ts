/**
 * The OAuth client of one connector at the authorization server of its MCP server. It starts with the stored
 * credentials and collects changes, which the caller stores in one write. Clients and tokens of another issuer than the
 * one that the library has found are not used.
 */
import { createHash, randomBytes } from "node:crypto";
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { limits } from "../../../contract/limits.ts";
import type { App } from "../../app.ts";

/** Where and how a client revokes tokens (RFC 7009). */
export interface Revocation {
  endpoint: string;
  /** Methods of authentication of clients there; none if the server names none. */
  methods: string[];
}

/** Tokens with the time at which the access token expires, in milliseconds. */
export type KeptTokens = StoredOAuthTokens & {
  expiresAt?: number;
  revocation?: Revocation;
};

/** The state of an authorization that the user has begun. */
export interface FlowSecrets {
  codeVerifier: string;
  discovery: OAuthDiscoveryState;
  scope?: string;
}

export interface ProviderState {
  client?: StoredOAuthClientInformation;
  flow?: FlowSecrets;
}

/** The results of an authorization. */
export interface ProviderChanges {
  client?: StoredOAuthClientInformation;
  tokens?: KeptTokens;
  issuer?: string;
  codeVerifier?: string;
  discovery?: OAuthDiscoveryState;
  state?: string;
  authorizationUrl?: URL;
}

export const callbackPath = "/mcp-central/callback";
export const clientDocumentPath = "/mcp-central/client.json";

export const hashState = (state: string) => createHash("sha256").update(state).digest("base64url");

/** Metadata of this service as a client of authorization servers (RFC 7591). */
export function clientMetadata(baseUrl: string) {
  return {
    client_name: "Skill registry (hosted connectors)",
    client_uri: baseUrl,
    redirect_uris: [`${baseUrl}${callbackPath}`],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

export function openProvider(
  app: App,
  stored: ProviderState,
): { provider: OAuthClientProvider; changes: ProviderChanges } {
  const changes: ProviderChanges = {};
  const { baseUrl } = app.config;
  const isPublic = baseUrl.startsWith("https:");
  const provider: OAuthClientProvider = {
    redirectUrl: `${baseUrl}${callbackPath}`,
    clientMetadata: clientMetadata(baseUrl),
    // Authorization servers fetch it, which only works for a service with https.
    clientMetadataUrl: isPublic ? `${baseUrl}${clientDocumentPath}` : undefined,
    state() {
      changes.state = randomBytes(32).toString("base64url");
      return changes.state;
    },
    clientInformation(context) {
      const known = changes.client ?? stored.client;
      return context && known?.issuer !== context.issuer ? undefined : known;
    },
    saveClientInformation(information, context) {
      changes.client = { ...information, ...(context ? { issuer: context.issuer } : {}) };
    },
    // An authorization always begins anew: renewal is done by `renew.ts`, under a lease.
    tokens: () => changes.tokens,
    saveTokens(tokens, context) {
      const discovery = changes.discovery ?? stored.flow?.discovery;
      const revocation = revocationOf(discovery?.authorizationServerMetadata);
      changes.tokens = { ...withExpiry(tokens, app.now()), revocation };
      if (context) changes.issuer = context.issuer;
    },
    redirectToAuthorization(url) {
      changes.authorizationUrl = url;
    },
    saveCodeVerifier(verifier) {
      changes.codeVerifier = verifier;
    },
    codeVerifier() {
      const verifier = changes.codeVerifier ?? stored.flow?.codeVerifier;
      if (verifier === undefined) throw new Error("no authorization was begun");
      return verifier;
    },
    saveDiscoveryState(state) {
      changes.discovery = state;
    },
    discoveryState: () => changes.discovery ?? stored.flow?.discovery,
  };
  return { provider, changes };
}

export function withExpiry(tokens: StoredOAuthTokens, now: Date): KeptTokens {
  const seconds = Number(tokens.expires_in);
  return seconds > 0 ? { ...tokens, expiresAt: now.getTime() + seconds * 1000 } : tokens;
}

function revocationOf(metadata: object = {}): Revocation | undefined {
  const named = metadata as Record<string, unknown>;
  const endpoint = named["revocation_endpoint"];
  const methods = named["revocation_endpoint_auth_methods_supported"];
  if (typeof endpoint !== "string" || endpoint.length > limits.mcpUrl) return undefined;
  return {
    endpoint,
    methods: Array.isArray(methods) ? methods.filter((one) => typeof one === "string") : [],
  };
}
