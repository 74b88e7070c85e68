/**
 * Rate limits by caller. Counters live in this process, or in Redis where one is configured; with Redis away the
 * memory counters take over, so a limit is never lifted by an outage.
 */
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { limits } from "../../../contract/limits.ts";
import { ServiceError } from "../../errors.ts";
import type { RateBudget } from "../route.ts";

/**
 * Points per period of seconds. `general` counts every request of a caller, `mail` what one account or address can make
 * the service send to one recipient. `password` counts failed password checks of one account by one client,
 * `password-unknown-clients` those of one account by all clients that have never signed in to it. `factor` and
 * `factor-unknown-clients` count failed second factors in the same way, and `ticket` those of one sign-in. `notice`
 * counts mails about new sessions and tokens of one account, `sso-log` failed sign-ins of one identity provider that
 * are logged.
 */
const budgets: Record<
  | RateBudget
  | "general"
  | "password"
  | "password-unknown-clients"
  | "factor"
  | "factor-unknown-clients"
  | "ticket"
  | "sso-log"
  | "mail"
  | "notice",
  { points: number; seconds: number }
> = {
  general: { points: 6000, seconds: 60 },
  "sign-in": { points: 20, seconds: 60 },
  password: { points: 10, seconds: 900 },
  "password-unknown-clients": { points: 20, seconds: 60 },
  factor: { points: 10, seconds: 900 },
  "factor-unknown-clients": { points: 20, seconds: 3600 },
  ticket: { points: limits.ticketAttempts, seconds: limits.signInTicketMs / 1000 },
  "sign-up": { points: 10, seconds: 3600 },
  sso: { points: 120, seconds: 60 },
  "sso-log": { points: 300, seconds: 3600 },
  passkey: { points: 120, seconds: 60 },
  recovery: { points: 30, seconds: 3600 },
  mail: { points: 5, seconds: 3600 },
  notice: { points: 20, seconds: 3600 },
  device: { points: 120, seconds: 60 },
  // The pipelines of an organization share an address.
  exchange: { points: 300, seconds: 60 },
  oauth: { points: 120, seconds: 60 },
  "oauth-register": { points: 100, seconds: 3600 },
  search: { points: 600, seconds: 60 },
  // Up to twelve searches each.
  "found-by": { points: 60, seconds: 60 },
  picture: { points: 120, seconds: 60 },
  diff: { points: 60, seconds: 60 },
  // A package takes two: it is announced, and sent.
  upload: { points: 2400, seconds: 60 },
  publish: { points: 1200, seconds: 60 },
  register: { points: 60, seconds: 3600 },
  share: { points: 120, seconds: 3600 },
  report: { points: 20, seconds: 3600 },
  invite: { points: 300, seconds: 3600 },
  export: { points: 30, seconds: 60 },
  analytics: { points: 60, seconds: 60 },
  "domain-check": { points: 20, seconds: 60 },
  // A clone takes up to four: git first asks without credentials. It does not wait and try again.
  clone: { points: 2400, seconds: 60 },
  registry: { points: 600, seconds: 60 },
  // Each call sends requests to an address of the user's choice.
  connect: { points: 60, seconds: 60 },
};

export type Budget = keyof typeof budgets;

/** Calls that one caller can make in so many seconds. */
export const budgetOf = (budget: Budget) => budgets[budget];

/** The network address of a caller, whose budgets depend on `ADDRESS_LIMIT_FACTOR` and `ADDRESS_LIMIT_EXEMPT`. */
export interface CallerAddress {
  /** HMAC-SHA256 of the address. */
  ipHash: string | undefined;
  /** The address is in an exempt network. */
  isExempt?: boolean;
}

export interface RateLimits {
  /**
   * Takes one point of the budget of a caller: of an address, or of an account or another subject by its name. Throws
   * `rate_limited` with `retryAfterSeconds` when none is left.
   */
  consume(budget: Budget, caller: CallerAddress | string): Promise<void>;
  /** Gives a point back that `consume` has taken. */
  refund(budget: Budget, caller: string): Promise<void>;
}

/** `addressFactor` multiplies the points of addresses, since many people may share one. Default: 1. */
export function openRateLimits(options: {
  enabled: boolean;
  addressFactor?: number;
  redis?: object;
}): RateLimits {
  const bySubject = openLimiters(1, options.redis);
  const byAddress = openLimiters(options.addressFactor ?? 1, options.redis);
  return {
    async refund(budget, caller) {
      if (options.enabled) await bySubject.get(budget)!.reward(caller);
    },
    async consume(budget, caller) {
      const isAddress = typeof caller !== "string";
      if (!options.enabled || (isAddress && caller.isExempt)) return;
      try {
        if (isAddress) await byAddress.get(budget)!.consume(caller.ipHash ?? "unknown");
        else await bySubject.get(budget)!.consume(caller);
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000));
        const wait = `Wait ${seconds} s and try again.`;
        throw new ServiceError("rate_limited", `Too many requests. ${wait}`, { retryAfterSeconds: seconds });
      }
    },
  };
}

function openLimiters(factor: number, redis: object | undefined): Map<string, RateLimiterAbstract> {
  const limiters = new Map<string, RateLimiterAbstract>();
  for (const [name, { points: base, seconds }] of Object.entries(budgets)) {
    const points = Math.floor(base * factor);
    const memory = new RateLimiterMemory({ keyPrefix: name, points, duration: seconds });
    const store = { storeClient: redis, keyPrefix: `svc:rate:${name}`, points, duration: seconds };
    limiters.set(name, redis ? new RateLimiterRedis({ ...store, insuranceLimiter: memory }) : memory);
  }
  return limiters;
}
