/** Errors of the MCP server: of the closed table, as results of tools, JSON-RPC errors and HTTP responses. */
import { ProtocolError, ProtocolErrorCode, type CallToolResult } from "@modelcontextprotocol/server";
import { unauthenticated, type ServiceError } from "../errors.ts";
import { toServiceError } from "../http/errors.ts";
import { Reply } from "../http/route.ts";
import type { Call, CallServices } from "./call.ts";

/** The error of a call; remembers that the caller should sign in. */
export function failureOf(thrown: unknown, call: Call, services: CallServices): ServiceError {
  const error = toServiceError(thrown, call.requestId, services);
  if (error.code === "unauthenticated" && call.actor.kind === "anonymous") call.challenge ??= error;
  return error;
}

const factsOf = (error: ServiceError, requestId: string) => ({
  code: error.code,
  ...(error.details === undefined ? {} : { details: error.details }),
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

/** The same for methods without a result that could hold an error. */
export function protocolFailure(error: ServiceError, requestId: string): ProtocolError {
  const isOurs = error.status >= 500;
  const code = isOurs ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  return new ProtocolError(code, error.message, factsOf(error, requestId));
}

interface Endpoint {
  baseUrl: string;
  path: string;
}

/** An HTTP response with a JSON-RPC error for a call that was not handled at all. */
export function presentRefusal(error: ServiceError, requestId: string, endpoint: Endpoint): Reply {
  const headers: Record<string, string> = {};
  if (error.code === "unauthenticated") headers["www-authenticate"] = challengeOf(endpoint);
  if (error.code === "rate_limited")
    headers["retry-after"] = String(Number(error.details?.["retryAfterSeconds"] ?? 1));
  if (error.code === "unavailable") headers["retry-after"] = "1";
  const code = error.status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidRequest;
  const body = {
    jsonrpc: "2.0",
    id: null,
    error: { code, message: error.message, data: factsOf(error, requestId) },
  };
  return new Reply(JSON.stringify(body), { status: error.status, type: "application/json", headers });
}

/** Leads clients to the authorization server (RFC 9728, section 5.1). */
function challengeOf({ baseUrl, path }: Endpoint): string {
  return `Bearer error="invalid_token", resource_metadata="${baseUrl}/.well-known/oauth-protected-resource${path}"`;
}

/** For anonymous callers of tools that act for a person or an organization. */
export function signInNeeded(tool: string): ServiceError {
  return unauthenticated(`"${tool}" needs a sign-in: send Authorization: Bearer with an API token.`);
}
