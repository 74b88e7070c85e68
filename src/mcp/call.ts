/** One HTTP request to the MCP server, as its handlers see it. */
import type { Actor } from "../access/actor.ts";
import type { ErrorTranslator } from "../http/errors.ts";
import type { Budget, RateLimits } from "../http/request/rate-limit.ts";
import type { Log } from "../log.ts";

/** Services that every call uses. */
export interface CallServices {
  baseUrl: () => string;
  log: Log;
  translators: ErrorTranslator[];
  rateLimits: RateLimits;
  /** Whether agents without a sign-in can use the MCP server. */
  allowsAnonymous(): Promise<boolean>;
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
  /** Whether the response may be a stream of events, with reports of progress. */
  takesStream: boolean;
  /** A client with `initialize` has declared that it opens pages for its user. */
  opensPages: boolean;
  /** An anonymous caller could do more with a sign-in: the response asks for one by its status. */
  isChallenged?: true;
}
