/**
 * Authorization requests (RFC 6749, section 4.1.1, with PKCE and RFC 8707). A request is stored as it was sent, so that
 * its address stays short on the way through the sign-in, and is checked whenever it is read.
 */
import { randomBytes } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { OauthAccess } from "../../contract/vocabulary.ts";
import type { App } from "../app.ts";
import { OAuthError } from "../auth/oauth-error.ts";
import { ServiceError } from "../errors.ts";
import { loadClient, type Client } from "./clients.ts";
import { isRedirectUriOf, withParameters } from "./redirect-uris.ts";
import { accessOfScope, readResources, resources, scopesOf } from "./resources.ts";

/** The parameters that are read, with their maximum lengths. */
const lengths = {
  response_type: 100,
  response_mode: 100,
  client_id: limits.redirectUri,
  redirect_uri: limits.redirectUri,
  scope: 1000,
  state: 4000,
  code_challenge: 200,
  code_challenge_method: 100,
  resource: 1000,
} as const;
type Name = keyof typeof lengths;
type Parameters = Partial<Record<Name, string>>;

/** A request that is complete and allowed for its client. */
export interface CheckedRequest {
  id: string;
  client: Client;
  redirectUri: string;
  state: string | undefined;
  codeChallenge: string;
  /** At least one, in their canonical form. */
  resources: readonly [string, ...string[]];
  /** Choices of the person, in rising order. */
  offered: readonly OauthAccess[];
  suggested: OauthAccess;
}

/** A fault of a request. `returnTo`: address at the client that reports it; only if that address is the client's. */
export class RequestFault extends Error {
  readonly returnTo: string | undefined;

  constructor(message: string, returnTo?: string) {
    super(message);
    this.name = "RequestFault";
    this.returnTo = returnTo;
  }
}

/** Stores a request and returns its id. Throws RequestFault for parameters that are repeated or too long. */
export async function storeRequest(app: App, given: Readonly<Record<string, unknown>>): Promise<string> {
  const parameters: Parameters = {};
  for (const name of Object.keys(lengths) as Name[]) {
    const value = Object.hasOwn(given, name) ? joinedIf(name === "resource", given[name]) : undefined;
    if (value === undefined) continue;
    if (typeof value !== "string") throw new RequestFault(`The parameter "${name}" is there more than once.`);
    if (value.length > lengths[name])
      throw new RequestFault(`The parameter "${name}" is longer than ${lengths[name]} characters.`);
    parameters[name] = value;
  }
  const _id = randomBytes(24).toString("base64url");
  const createdAt = app.now();
  const expiresAt = new Date(createdAt.getTime() + limits.oauthRequestMs);
  await app.storage.oauthRequests.insert({ _id, parameters, createdAt, expiresAt });
  return _id;
}

/** The parameter `resource` may be there several times (RFC 8707, section 2). Its values have no spaces. */
const joinedIf = (isRepeatable: boolean, value: unknown) =>
  isRepeatable && Array.isArray(value) ? value.join(" ") : value;

/** Reads a stored request. Throws RequestFault, or `not_found` if it was decided or has expired. */
export async function readRequest(app: App, id: string): Promise<CheckedRequest> {
  const found = /^[\w-]{32}$/.test(id) ? await app.storage.oauthRequests.find(id, app.now()) : null;
  if (!found) throw requestOver();
  return checkRequest(app, id, found.parameters);
}

export function requestOver(): ServiceError {
  return new ServiceError(
    "not_found",
    "This request has already been decided, or is older than 30 minutes: connect again in the program.",
  );
}

async function checkRequest(app: App, id: string, parameters: Parameters): Promise<CheckedRequest> {
  const { client, redirectUri } = await checkClient(app, parameters);
  const { state } = parameters;
  const fail = (error: string, message: string) => {
    const response = { error, error_description: message };
    return new RequestFault(message, responseAddress(app, { redirectUri, state }, response));
  };
  if (parameters.response_type !== "code")
    throw fail("unsupported_response_type", 'The program does not ask for a code (response_type "code").');
  if ((parameters.response_mode ?? "query") !== "query")
    throw fail("invalid_request", 'The response_mode must be "query".');
  if (parameters.code_challenge_method !== "S256")
    throw fail("invalid_request", "PKCE with the code_challenge_method S256 is required.");
  const codeChallenge = parameters.code_challenge ?? "";
  if (!/^[\w-]{43}$/.test(codeChallenge))
    throw fail("invalid_request", "The code_challenge is not a SHA-256 in base64url without padding.");
  const [resource, ...more] = readResources(app, (parameters.resource ?? "").split(" ")) ?? [];
  if (resource === undefined)
    throw fail(
      "invalid_target",
      `The resource must be ${listOf(resources.map(({ path }) => app.config.baseUrl + path))}.`,
    );
  const scopes = scopesOf(app, [resource, ...more]);
  const access = accessOfScope(scopes, parameters.scope);
  if (!access)
    throw fail("invalid_scope", `The scope must be ${listOf(scopes.map((scope) => `"${scope}"`))}.`);
  return { id, client, redirectUri, state, codeChallenge, resources: [resource, ...more], ...access };
}

const listOf = (choices: readonly string[]) => choices.join(" or ");

/** Nothing may lead to the client before this check. */
async function checkClient(app: App, parameters: Parameters) {
  const { client_id: clientId, redirect_uri: redirectUri } = parameters;
  if (clientId === undefined) throw new RequestFault("The client_id is missing.");
  if (redirectUri === undefined) throw new RequestFault("The redirect_uri is missing.");
  try {
    const client = await loadClient(app, clientId);
    if (isRedirectUriOf(client.redirectUris, redirectUri)) return { client, redirectUri };
  } catch (error) {
    if (error instanceof OAuthError) throw new RequestFault(error.message);
    throw error;
  }
  throw new RequestFault("The redirect_uri is not one of those that the program has registered.");
}

/** Address at the client to which a response is sent, with the issuer against mix-ups (RFC 9207). */
export function responseAddress(
  app: App,
  { redirectUri, state }: Pick<CheckedRequest, "redirectUri" | "state">,
  response: { code: string } | { error: string; error_description: string },
): string {
  return withParameters(redirectUri, { ...response, state, iss: app.config.baseUrl });
}
