/** Dynamic registration of clients (RFC 7591). Clients have no secrets, so a registration proves nothing. */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import type { RegisteredClientPayload } from "../../contract/payloads/accounts/oauth.ts";
import type { App } from "../app.ts";
import { OAuthError } from "../auth/oauth-error.ts";
import { readClientName } from "./client-text.ts";
import { faultOfRedirectUri } from "./redirect-uris.ts";

/** Other fields are ignored (section 2); those of the response are what was registered. */
export const ClientMetadata = z.looseObject({
  redirect_uris: z.unknown().optional(),
  client_name: z.unknown().optional(),
  grant_types: z.unknown().optional(),
  response_types: z.unknown().optional(),
});
export type ClientMetadata = z.output<typeof ClientMetadata>;

/** Registers a client. Throws OAuthError. */
export async function registerClient(app: App, input: ClientMetadata): Promise<RegisteredClientPayload> {
  const redirectUris = readRedirectUris(input.redirect_uris);
  requireAmong(input.grant_types, "authorization_code", "grant_types");
  requireAmong(input.response_types, "code", "response_types");
  const now = app.now();
  const client = {
    _id: `lskc_${randomBytes(16).toString("base64url")}`,
    name: readClientName(input.client_name),
    redirectUris,
    createdAt: now,
    usedAt: now,
  };
  await app.storage.oauthClients.insert(client);
  return {
    client_id: client._id,
    client_id_issued_at: Math.floor(now.getTime() / 1000),
    client_name: client.name === "" ? undefined : client.name,
    redirect_uris: redirectUris,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

function readRedirectUris(given: unknown): string[] {
  const refuse = (message: string) => new OAuthError("invalid_redirect_uri", message);
  if (!Array.isArray(given) || given.length === 0 || given.length > limits.redirectUris)
    throw refuse(`redirect_uris must be a list of 1 to ${limits.redirectUris} URIs.`);
  return given.map((uri: unknown) => {
    if (typeof uri !== "string") throw refuse("A redirect URI is not a text.");
    const fault = faultOfRedirectUri(uri);
    if (fault !== undefined) throw refuse(`The redirect URI "${uri.slice(0, 200)}" ${fault}.`);
    return uri;
  });
}

/** Some clients send null or an empty list for what they leave to the service. */
function requireAmong(given: unknown, needed: string, field: string): void {
  if ((given ?? undefined) === undefined) return;
  if (Array.isArray(given) && (given.length === 0 || given.includes(needed))) return;
  throw new OAuthError("invalid_client_metadata", `${field} must contain "${needed}".`);
}
