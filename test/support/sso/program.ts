/** A program that a person has given access by OAuth, in the fewest requests. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { OauthTokenPayload } from "../../../contract/payloads/accounts/oauth.ts";
import type { TestService } from "../service.ts";
import { formOf } from "./saml-browser.ts";

const redirectUri = "http://127.0.0.1:4711/callback";
const verifier = "v".repeat(43);

export interface Program {
  /** Code of the error with which a tool that reads a skill ends, or "read". */
  reads(skill: string): Promise<string>;
  /** Replaces the tokens by the refresh token. Returns the status. */
  renew(): Promise<number>;
}

export async function newClient(service: TestService): Promise<string> {
  const registered = await service.call<never>("POST", "/oauth/register", {
    body: { redirect_uris: [redirectUri], client_name: "Agent" },
  });
  return String(registered.body["client_id"]);
}

/** Opens the question to a person. Returns its path. */
export async function askConsent(service: TestService, clientId: string, cookie: string): Promise<string> {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    state: "s",
    scope: "read",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource: `${service.url}/mcp`,
  });
  const opened = await service.raw("GET", `/oauth/authorize?${query.toString()}`, { cookie });
  return opened.headers.get("location") ?? "";
}

export async function allow(
  service: TestService,
  consent: string,
  cookie: string,
  tenantId: string,
): Promise<Response> {
  const request = new URL(consent, service.url).searchParams.get("request")!;
  const chosen = { [`organization-${tenantId}`]: "yes" };
  const form = await formOf({ request, decision: "allow", access: "read", ...chosen });
  return service.raw("POST", "/oauth/consent", { cookie, ...form });
}

/** Gives a new program access to one organization. */
export async function connectProgram(
  service: TestService,
  cookie: string,
  tenantId: string,
): Promise<Program> {
  const clientId = await newClient(service);
  const consent = await askConsent(service, clientId, cookie);
  const allowed = await allow(service, consent, cookie, tenantId);
  const address = /url=(.+)$/.exec(allowed.headers.get("refresh") ?? "")?.[1];
  assert.ok(address, await allowed.text());
  const exchange = async (fields: Record<string, string>) => {
    const response = await service.raw("POST", "/oauth/token", {
      bytes: Buffer.from(new URLSearchParams({ client_id: clientId, ...fields }).toString()),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    return { status: response.status, tokens: (await response.json()) as OauthTokenPayload };
  };
  const code = new URL(address).searchParams.get("code")!;
  let { status, tokens } = await exchange({
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    resource: `${service.url}/mcp`,
  });
  assert.equal(status, 200, JSON.stringify(tokens));
  return {
    reads: (skill) => readByAgent(service, tokens.access_token, skill),
    async renew() {
      const renewed = await exchange({ grant_type: "refresh_token", refresh_token: tokens.refresh_token });
      if (renewed.status === 200) ({ tokens } = renewed);
      return renewed.status;
    },
  };
}

/** Code of the error with which the tool `get_skill` ends, or "read". */
export async function readByAgent(service: TestService, token: string, skill: string): Promise<string> {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call" };
  const response = await service.raw("POST", "/mcp", {
    token,
    bytes: Buffer.from(JSON.stringify({ ...call, params: { name: "get_skill", arguments: { skill } } })),
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  });
  const text = await response.text();
  if (response.status !== 200) return String(response.status);
  return /\b(sso_required|mfa_required|not_found|unauthenticated|forbidden)\b/.exec(text)?.[1] ?? "read";
}
