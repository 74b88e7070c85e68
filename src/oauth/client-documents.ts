/**
 * Client ID Metadata Documents: a client id that is an https URL leads to a document that describes the client. It is
 * read within the rules for outbound addresses, without redirects, and kept for five minutes; the one who controls the
 * address controls the client.
 */
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { SingleFlight } from "../../contract/concurrency/single-flight.ts";
import { limits } from "../../contract/limits.ts";
import { RepoError } from "../../repos/errors.ts";
import { fetchJson } from "../../repos/transport/fetch-json.ts";
import type { App } from "../app.ts";
import { OAuthError } from "../auth/oauth-error.ts";
import { perApp } from "../per-app.ts";
import { readClientName } from "./client-text.ts";
import { faultOfRedirectUri } from "./redirect-uris.ts";

const freshMs = 5 * 60_000;
/** Pause after a failure, in which callers get the same error. */
const failureMs = 10_000;
const requestMs = 5000;
const documentsKept = 1000;
const concurrentReads = 10;

export interface DescribedClient {
  name: string;
  redirectUris: string[];
}

const Metadata = z.looseObject({
  client_id: z.string(),
  client_name: z.unknown().optional(),
  redirect_uris: z.array(z.string()).min(1).max(limits.redirectUris),
  token_endpoint_auth_method: z.literal("none").optional(),
  client_secret: z.undefined().optional(),
  client_secret_expires_at: z.undefined().optional(),
});

interface Known {
  client: DescribedClient | OAuthError;
  readAt: number;
}

interface Cache {
  known: LRUCache<string, Known>;
  reading: SingleFlight<Known>;
}

const cacheOf = perApp<Cache>(() => ({
  known: new LRUCache({ max: documentsKept }),
  reading: new SingleFlight(concurrentReads),
}));

/** Whether a client id is the address of a document, valid or not. */
export const isDocumentAddress = (clientId: string) => /^https?:/i.test(clientId);

/** The client of a metadata document. Throws OAuthError. */
export async function readClientDocument(app: App, clientId: string): Promise<DescribedClient> {
  if (app.config.oauth.clientDocuments === false)
    throw new OAuthError(
      "invalid_client",
      "This service does not accept client metadata documents (OAUTH_CLIENT_DOCUMENTS): register the client instead.",
    );
  checkAddress(app, clientId);
  const { known, reading } = cacheOf(app);
  const now = app.now().getTime();
  let found = known.get(clientId);
  const keptMs = found?.client instanceof OAuthError ? failureMs : freshMs;
  if (!found || now - found.readAt >= keptMs)
    found = await reading.run(clientId, async () => {
      const read = { client: await request(app, clientId), readAt: app.now().getTime() };
      known.set(clientId, read);
      return read;
    });
  if (found.client instanceof OAuthError) throw found.client;
  return found.client;
}

/** The canonical form is required, since the document's own `client_id` is compared with it as a text. */
function checkAddress(app: App, clientId: string): void {
  const refuse = (fault: string) => new OAuthError("invalid_client", `The client id ${fault}.`);
  if (clientId.length > limits.redirectUri || !URL.canParse(clientId)) throw refuse("is not a valid address");
  const { href, protocol, hostname, username, password, pathname, search } = new URL(clientId);
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol !== "https:" && !(isLocal && app.config.oauth.privateNetwork))
    throw refuse("does not begin with https://");
  if (clientId.includes("#") || search !== "" || clientId.includes("?"))
    throw refuse("has a query or a fragment");
  if (username !== "" || password !== "") throw refuse("has user information");
  if (href !== clientId || pathname === "/")
    throw refuse("is not the canonical address of a document with a path");
}

async function request(app: App, clientId: string): Promise<DescribedClient | OAuthError> {
  const { host } = new URL(clientId);
  try {
    const document = await fetchJson(clientId, {
      allowPrivateNetwork: app.config.oauth.privateNetwork,
      maxBytes: limits.clientDocumentBytes,
      requestMs,
      maxRedirects: 0,
    });
    return readMetadata(clientId, document);
  } catch (error) {
    if (error instanceof OAuthError) return error;
    if (!(error instanceof RepoError)) throw error;
    app.log.info({ error, host }, "the metadata document of an OAuth client could not be read");
    return new OAuthError("invalid_client", `The client's document can't be read: ${error.message}.`);
  }
}

function readMetadata(clientId: string, document: unknown): DescribedClient {
  const { host } = new URL(clientId);
  const parsed = Metadata.safeParse(document);
  if (!parsed.success) {
    const at = parsed.error.issues[0]?.path.join(".") ?? "";
    throw new OAuthError("invalid_client", `The client's document at ${host} is not valid at "${at}".`);
  }
  const { client_id, client_name, redirect_uris: redirectUris } = parsed.data;
  if (client_id !== clientId)
    throw new OAuthError("invalid_client", `The client's document at ${host} names another client id.`);
  const usable = redirectUris.filter((uri) => faultOfRedirectUri(uri) === undefined);
  return { name: readClientName(client_name), redirectUris: usable };
}
