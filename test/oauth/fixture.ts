/** An OAuth client as tests drive it, without a browser: over real HTTP, with the steps of a person in between. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import type { OauthTokenPayload } from "../../contract/payloads/accounts/oauth.ts";
import type { Actor, UserActor } from "../../src/access/actor.ts";
import { authenticate } from "../../src/auth/authenticate.ts";
import type { AccountsService, Answer } from "../support/accounts-app.ts";

export const callback = "http://127.0.0.1:4711/callback";

export interface Pkce {
  verifier: string;
  challenge: string;
}

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

export async function register(
  service: AccountsService,
  redirectUris: unknown = [callback],
  more: object = {},
): Promise<Answer> {
  return service.call("POST", "/oauth/register", { json: { redirect_uris: redirectUris, ...more } });
}

export async function newClient(service: AccountsService, name = "Agent"): Promise<string> {
  const answer = await register(service, [callback], { client_name: name });
  assert.equal(answer.status, 201, answer.text);
  return String(answer.body["client_id"]);
}

export async function newOrganization(service: AccountsService, cookie: string, slug: string) {
  const answer = await service.call("POST", "/api/tenants", { cookie, json: { name: slug, slug } });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.id;
}

/** Parameters of a request that is valid for `newClient`. */
export function requestOf(service: AccountsService, clientId: string, { challenge }: Pkce) {
  return {
    response_type: "code",
    client_id: clientId,
    redirect_uri: callback,
    state: "a+b c&d",
    scope: "read write",
    code_challenge: challenge,
    code_challenge_method: "S256",
    resource: `${service.url}/mcp`,
  };
}

/** Opens the authorization endpoint, and follows it to the consent. */
export async function openConsent(
  service: AccountsService,
  cookie: string,
  parameters: Record<string, string>,
): Promise<{ answer: Answer; id: string }> {
  const target = `/oauth/authorize?${new URLSearchParams(parameters).toString()}`;
  const opened = await service.call("GET", target, { cookie });
  if (opened.status !== 303) return { answer: opened, id: "" };
  const location = opened.headers.get("location")!;
  const id = new URL(location, service.url).searchParams.get("request") ?? "";
  return { answer: await service.call("GET", location, { cookie }), id };
}

export interface Decision {
  decision?: string;
  access?: string;
  tenantIds?: string[];
}

export function decide(
  service: AccountsService,
  cookie: string,
  id: string,
  { decision = "allow", access = "write", tenantIds = [] }: Decision = {},
): Promise<Answer> {
  const chosen = Object.fromEntries(tenantIds.map((tenantId) => [`organization-${tenantId}`, "yes"]));
  const form = { request: id, decision, access, ...chosen };
  return service.call("POST", "/oauth/consent", { cookie, form });
}

/** The address at the client to which a decision leads. */
export function returnOf(answer: Answer): URL {
  const [, address] = /^0; url=(.+)$/.exec(answer.headers.get("refresh") ?? "") ?? [];
  assert.ok(address, `${answer.status} leads nowhere: ${answer.text.slice(0, 2000)}`);
  return new URL(address);
}

export function requestTokens(service: AccountsService, fields: Record<string, string>): Promise<Answer> {
  return service.call("POST", "/oauth/token", { urlencoded: fields });
}

export interface Connected {
  clientId: string;
  code: string;
  tokens: OauthTokenPayload;
  exchange(more?: Record<string, string>): Promise<Answer>;
  renew(refreshToken: string, more?: Record<string, string>): Promise<Answer>;
}

/** A code that is not exchanged yet. */
export async function obtainCode(service: AccountsService, cookie: string, decision: Decision = {}) {
  const clientId = await newClient(service);
  const pkce = newPkce();
  const { answer, id } = await openConsent(service, cookie, requestOf(service, clientId, pkce));
  assert.equal(answer.status, 200, answer.text);
  const code = returnOf(await decide(service, cookie, id, decision)).searchParams.get("code")!;
  const exchange = (more: Record<string, string> = {}) =>
    requestTokens(service, {
      grant_type: "authorization_code",
      code,
      client_id: clientId,
      redirect_uri: callback,
      code_verifier: pkce.verifier,
      resource: `${service.url}/mcp`,
      ...more,
    });
  const renew = (refreshToken: string, more: Record<string, string> = {}) =>
    requestTokens(service, {
      grant_type: "refresh_token",
      refresh_token: refreshToken,
      client_id: clientId,
      ...more,
    });
  return { clientId, code, exchange, renew };
}

/** A client with access, as after a complete sign-in. */
export async function connect(
  service: AccountsService,
  cookie: string,
  decision: Decision = {},
): Promise<Connected> {
  const made = await obtainCode(service, cookie, decision);
  const answer = await made.exchange();
  assert.equal(answer.status, 200, answer.text);
  return { ...made, tokens: tokensOf(answer) };
}

export const tokensOf = (answer: Answer) => answer.body as object as OauthTokenPayload;

/** The actor of an access token at a resource of the service. */
export async function actorOf(service: AccountsService, token: string, path = "/mcp"): Promise<UserActor> {
  const actor: Actor = await authenticate(service.app, {
    authorization: `Bearer ${token}`,
    sessionCookie: undefined,
    signed: undefined,
    audience: service.app.config.baseUrl + path,
    origin: { ipHash: undefined, source: "mcp", client: "api" },
  });
  assert.ok(actor.kind === "user");
  return actor;
}

export const errorOf = (answer: Answer) => {
  assert.equal(answer.status, 400, answer.text);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.deepEqual(Object.keys(answer.body).sort(), ["error", "error_description"]);
  return answer.body.error;
};
