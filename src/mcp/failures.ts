/** Errors of the MCP server: of the closed table, as results of tools, JSON-RPC errors and HTTP responses. */
import { ProtocolError, ProtocolErrorCode, type CallToolResult } from "@modelcontextprotocol/server";
import { ServiceError, unauthenticated } from "../errors.ts";
import { toServiceError } from "../http/errors.ts";
import { Reply, type RequestInfo } from "../http/route.ts";
import type { Call, CallServices } from "./call.ts";

/** The error of a call; remembers that the caller should sign in. */
export function failureOf(thrown: unknown, call: Call, services: CallServices): ServiceError {
  const error = toServiceError(thrown, call.requestId, services);
  if (error.code === "unauthenticated" && call.actor.kind === "anonymous") call.isChallenged = true;
  return error;
}

const factsOf = (error: ServiceError, requestId: string) => ({
  code: error.code,
  details: error.details,
  requestId,
});

/** The message for the agent, then the code and details as JSON. */
export function presentToolFailure(error: ServiceError, requestId: string): CallToolResult {
  return {
    isError: true,
    content: [
      { type: "text", text: error.message },
      { type: "text", text: JSON.stringify(factsOf(error, requestId)) },
    ],
  };
}

/** The error of a method whose result can hold none. */
export function protocolFailure(error: ServiceError, requestId: string): ProtocolError {
  const isOurs = error.status >= 500;
  const code = isOurs ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  return new ProtocolError(code, error.message, factsOf(error, requestId));
}

interface Endpoint {
  baseUrl: string;
  path: string;
  /** Whether the request had a credential, which is not valid then (RFC 6750, section 3.1). */
  hasCredential: boolean;
}

/** A response, as text for the agent, that also asks its program for a sign-in. */
export function withChallenge(reply: Reply, endpoint: Endpoint): Reply {
  reply.status = 401;
  reply.headers["www-authenticate"] = challengeOf(endpoint);
  return reply;
}

/** A body that is not JSON. */
class UnreadableMessage extends ServiceError {}

/** Reads the messages of a request. Throws UnreadableMessage, or an error of the body's type or size. */
export async function readMessages(info: RequestInfo, limitBytes: number): Promise<unknown> {
  try {
    const body = await info.readJson(limitBytes);
    if (body !== undefined) return body;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "invalid_request") throw error;
    throw new UnreadableMessage(error.code, error.message);
  }
  throw new UnreadableMessage("invalid_request", "The body is empty: send a message of JSON-RPC.");
}

function protocolCodeOf(error: ServiceError): ProtocolErrorCode {
  if (error instanceof UnreadableMessage) return ProtocolErrorCode.ParseError;
  return error.status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidRequest;
}

/** An HTTP response with a JSON-RPC error for a call that was not handled at all. */
export function presentRefusal(error: ServiceError, requestId: string, endpoint: Endpoint): Reply {
  const headers: Record<string, string> = {};
  if (error.code === "unauthenticated") headers["www-authenticate"] = challengeOf(endpoint);
  if (error.code === "rate_limited")
    headers["retry-after"] = String(Number(error.details?.["retryAfterSeconds"] ?? 1));
  if (error.code === "unavailable") headers["retry-after"] = "1";
  const body = {
    jsonrpc: "2.0",
    id: null,
    error: { code: protocolCodeOf(error), message: error.message, data: factsOf(error, requestId) },
  };
  return new Reply(JSON.stringify(body), { status: error.status, type: "application/json", headers });
}

/** Leads clients to the authorization server (RFC 9728, section 5.1). */
function challengeOf({ baseUrl, path, hasCredential }: Endpoint): string {
  const error = hasCredential ? 'error="invalid_token", ' : "";
  return `Bearer ${error}resource_metadata="${baseUrl}/.well-known/oauth-protected-resource${path}"`;
}

const howToSignIn =
  "authenticate this server in your program, or send Authorization: Bearer with an API token.";

/** For anonymous callers where agents need a sign-in. */
export const signInFirst = () => unauthenticated(`This service requires a sign-in: ${howToSignIn}`);

/** For anonymous callers of tools that act for a person or an organization. */
export const signInNeeded = (tool: string) => unauthenticated(`"${tool}" requires a sign-in: ${howToSignIn}`);
