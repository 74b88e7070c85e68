/** Responses that are the same for every caller: credentials are ignored, and pages of any origin can read them. */
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import type { Budget } from "../http/request/rate-limit.ts";
import { routesOf } from "../http/route.ts";

/** For routes whose requests are counted by the caller's address alone (`countRequest`). */
export const publicRoute = routesOf({
  method: "get",
  tag: "Other clients",
  auth: "deferred",
  crossOrigin: "always",
});

export async function countRequest(app: App, { origin }: Actor, budget: Budget = "general"): Promise<void> {
  if (origin.ipHash) await app.rateLimits.consume(budget, origin);
}

/** Caches ask each time, so that what is no longer public is gone at once. */
export const publicHeaders = (etag: string) => ({ etag: `"${etag}"`, "cache-control": "public, no-cache" });
