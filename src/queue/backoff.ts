// Pause of a failed job before its next attempt.
import type { JobPolicy } from "./jobs.ts";

/** Random share of a pause, so that jobs that failed together are not retried together. */
const jitter = 0.3;
/** Upper limit of a requested delay; a longer one is cut to this. */
const longestAskedMs = 6 * 3_600_000;

/** Name in a job's options by which the engine calls this strategy. */
export const policyBackoff = "policy";

/**
 * The pause before the next attempt: that of the policy, doubled with each attempt made, or what the error asks for
 * (`retryAfterMs`, as of a host that limits its callers) where that is longer.
 */
export function pauseBeforeRetry(policy: JobPolicy, attemptsMade: number, error: unknown): number {
  const full = policy.backoffMs * 2 ** (Math.max(1, attemptsMade) - 1);
  const drawn = Math.round(full * (1 - jitter * Math.random()));
  return Math.max(drawn, askedBy(error));
}

function askedBy(error: unknown): number {
  if (typeof error !== "object" || error === null || !("retryAfterMs" in error)) return 0;
  const asked = error.retryAfterMs;
  return typeof asked === "number" && asked > 0 ? Math.min(asked, longestAskedMs) : 0;
}
