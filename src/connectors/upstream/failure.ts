/** Causes of a failed connection or call, as a closed list: text of a remote server is never stored or logged. */
import {
  AuthorizationServerMismatchError,
  InsufficientScopeError,
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  RegistrationRejectedError,
  SseError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { ConnectorProblem } from "../../../contract/vocabulary.ts";
import { RepoError, type RepoFailure } from "../../../repos/errors.ts";
import { SilentHostError } from "../../../repos/transport/http-errors.ts";
import { ConnectorError } from "./problems.ts";

const ofGuard: Partial<Record<RepoFailure, ConnectorProblem>> = {
  remote_forbidden: "forbidden_address",
  invalid_remote: "forbidden_address",
  remote_too_large: "too_large",
  remote_protocol: "not_mcp",
};

const ofAuthorization = [
  UnauthorizedError,
  OAuthError,
  IssuerMismatchError,
  AuthorizationServerMismatchError,
  RegistrationRejectedError,
];

const temporary: readonly string[] = [
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
  OAuthErrorCode.TooManyRequests,
];

/** Whether an authorization server has failed, and the same request can succeed later. */
export function isTemporary(error: unknown): boolean {
  return error instanceof OAuthError && temporary.includes(error.code);
}

/** The cause of an error, by the first known one in its chain. */
export function problemOf(error: unknown): ConnectorProblem {
  for (const one of chainOf(error)) {
    const problem = directProblem(one);
    if (problem) return problem;
  }
  return error instanceof TypeError || error instanceof SyntaxError ? "not_mcp" : "server_failed";
}

/** Whether the server no longer has the session of a client, so that it has not handled the call. */
export function isSessionLost(error: unknown): boolean {
  return [...chainOf(error)].some((one) => one instanceof SdkHttpError && one.status === 404);
}

function directProblem(error: unknown): ConnectorProblem | undefined {
  if (error instanceof ConnectorError) return error.problem;
  if (error instanceof SilentHostError) return "timed_out";
  if (error instanceof RepoError) return ofGuard[error.code] ?? "unreachable";
  if (isTemporary(error)) return "server_failed";
  if (ofAuthorization.some((kind) => error instanceof kind)) return "unauthorized";
  if (error instanceof InsufficientScopeError) return "refused";
  if (error instanceof SdkHttpError) return ofStatus(error.status);
  // Without a status, the stream has ended before its first event.
  if (error instanceof SseError) return error.code === undefined ? "unreachable" : ofStatus(error.code);
  if (!(error instanceof SdkError)) return undefined;
  if (error.code === SdkErrorCode.RequestTimeout) return "timed_out";
  if (error.code === SdkErrorCode.ConnectionClosed) return "unreachable";
  const unreadable = [
    SdkErrorCode.ClientHttpUnexpectedContent,
    SdkErrorCode.InvalidResult,
    SdkErrorCode.ListPaginationExceeded,
  ];
  return unreadable.includes(error.code) ? "not_mcp" : undefined;
}

function ofStatus(status: number): ConnectorProblem {
  if (status === 401) return "unauthorized";
  if (status === 403) return "refused";
  if (status === 429) return "rate_limited";
  return status >= 500 ? "server_failed" : "not_mcp";
}

/** An error, its cause, and the causes that the library keeps in `data`. */
function* chainOf(error: unknown): Generator {
  const seen = new Set<unknown>();
  const open = [error];
  while (open.length > 0) {
    const next = open.shift();
    if (!(next instanceof Error) || seen.has(next)) continue;
    seen.add(next);
    yield next;
    const { cause, data } = next as { cause?: unknown; data?: { cause?: unknown; error?: unknown } };
    open.push(cause, data?.cause, data?.error);
  }
}
