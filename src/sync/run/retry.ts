/** Failures of a sync: whether it is retried, and when. */
import { RepoError } from "../../../repos/errors.ts";
import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import type { SyncProblem } from "../../../storage/sync/problem.ts";
import type { App } from "../../app.ts";
import { blockedBy, toSentence } from "../connection/host-errors.ts";

/** First and longest pause after a failure; each one is twice as long as the one before. */
const retryMs = { first: 15_000, most: 3_600_000 };
/** Pause after a rate limit for which the host names no time. */
const limitedMs = 60_000;

/** `blocked`: someone has to solve the problem. `failed`: the sync is retried automatically. */
export function problemOf(app: App, error: unknown): { outcome: "blocked" | "failed"; problem: SyncProblem } {
  const at = app.now();
  const blocked = blockedBy(error);
  if (blocked) return { outcome: "blocked", problem: { code: blocked.code, message: blocked.message, at } };
  if (error instanceof RepoError) {
    const problem = { code: error.code, message: toSentence(error), at };
    return { outcome: error.retryable ? "failed" : "blocked", problem };
  }
  app.log.error({ error }, "a sync failed unexpectedly");
  const message = "Something went wrong on our side: the sync is retried automatically.";
  return { outcome: "failed", problem: { code: "internal", message, at } };
}

/** Time for which the host must not be contacted: further requests would only prolong it. */
export function waitOf(error: unknown): number | undefined {
  if (!(error instanceof RepoError)) return undefined;
  return error.retryAfterMs ?? (error.code === "rate_limited" ? limitedMs : undefined);
}

/** Time of the next attempt: the more failures in a row, the later. */
export function retryAt({ failures }: ConnectionDoc, now: Date, waitMs = 0): Date {
  const ms = Math.min(retryMs.first * 2 ** Math.min(failures, 20), retryMs.most);
  return new Date(now.getTime() + Math.max(ms, waitMs) * (1 + Math.random() / 4));
}
