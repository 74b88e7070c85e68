/** Turns an error of a handler into the error response. Unknown errors are bugs: logged in full, and never sent. */
import type { FailureBody, FailureCode } from "../../contract/errors.ts";
import { ServiceError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Route } from "./route.ts";

/** Translates errors of storage or repositories; undefined for other errors. The first translation is used. */
export type ErrorTranslator = (error: unknown, requestId: string) => ServiceError | undefined;

export function toServiceError(
  error: unknown,
  requestId: string,
  { translators, log }: { translators: ErrorTranslator[]; log: Log },
): ServiceError {
  if (error instanceof ServiceError) return error;
  for (const translate of translators) {
    const translated = translate(error, requestId);
    if (translated) return translated;
  }
  log.error({ error, requestId }, "a request failed unexpectedly");
  return new ServiceError(
    "internal",
    "Something went wrong on our side. Try again, or report the request id.",
  );
}

/** Errors of RFC 6749, sections 4.1.2.1 and 5.2, that stand for ours. Any other is a request that can't be read. */
const oauthErrors: Partial<Record<FailureCode, string>> = {
  unauthenticated: "invalid_client",
  rate_limited: "temporarily_unavailable",
  unavailable: "temporarily_unavailable",
  internal: "server_error",
};

/** A failure of an endpoint that follows OAuth's standards. */
export const presentOauthFailure = (
  { code, message }: ServiceError,
  unreadable: NonNullable<Route["oauthFailures"]>,
) => ({ error: oauthErrors[code] ?? unreadable, error_description: message });

export function presentFailure(error: ServiceError, requestId: string): FailureBody {
  return {
    success: false,
    error: error.message,
    code: error.code,
    details: error.details,
    requestId,
  };
}
