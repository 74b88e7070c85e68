/** One HTTP request to the MCP server, as its handlers see it. */
import type { Actor } from "../access/actor.ts";
import type { ServiceError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { ErrorTranslator } from "../http/errors.ts";
import type { Budget, RateLimits } from "../http/rate-limit.ts";

/** Services that every call uses. */
export interface CallServices {
  baseUrl: () => string;
  log: Log;
  translators: ErrorTranslator[];
  rateLimits: RateLimits;
}

export interface Call {
  actor: Actor;
  /** The caller as they are now. Throws if the credential is no longer valid. */
  authenticate(): Promise<Actor>;
  requestId: string;
  /** Aborted when the caller has left or the time is over. */
  signal: AbortSignal;
  /** Takes a point of the caller's budget. Throws `rate_limited`. */
  spend(budget: Budget): Promise<void>;
  /** A client with `initialize` has declared that it opens pages for its user. */
  opensPages: boolean;
  /** The error of an anonymous caller for whom a sign-in could help; the response is 401 then. */
  challenge?: ServiceError;
}
