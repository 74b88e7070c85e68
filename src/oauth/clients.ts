/** Clients of the authorization server, by their client ids. */
import type { App } from "../app.ts";
import { OAuthError } from "../auth/oauth-error.ts";
import { isDocumentAddress, readClientDocument } from "./client-documents.ts";

export interface Client {
  id: string;
  /** The client's own claim; empty if it makes none. */
  name: string;
  /** Host of the client's metadata document; undefined for a registered client, about which nothing is verified. */
  host: string | undefined;
  redirectUris: readonly string[];
}

/** The client of a client id. Throws OAuthError. */
export async function loadClient(app: App, clientId: string): Promise<Client> {
  if (isDocumentAddress(clientId)) {
    const { name, redirectUris } = await readClientDocument(app, clientId);
    return { id: clientId, name, host: new URL(clientId).host, redirectUris };
  }
  const found = isClientId(clientId) ? await app.storage.oauthClients.find(clientId) : null;
  if (!found)
    throw new OAuthError(
      "invalid_client",
      "This client is not registered here, or its registration has ended: register it again.",
    );
  return { id: clientId, name: found.name, host: undefined, redirectUris: found.redirectUris };
}

const isClientId = (text: string) => /^lskc_[\w-]{22}$/.test(text);

/** Notes that a client was used. Only registered clients have a record. */
export async function noteClientUse(app: App, clientId: string): Promise<void> {
  if (isClientId(clientId)) await app.storage.oauthClients.touch(clientId, app.now());
}
