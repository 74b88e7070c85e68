import { isDatabaseOutage } from "../../storage/database.ts";

/**
 * The engine of the queue does not respond. No work is lost: the queue is never the source of truth, and jobs that were
 * not queued are found and queued at the next start or by the reconcile job.
 */
export class QueueUnavailableError extends Error {
  constructor(what: string, cause?: unknown) {
    const reason = cause instanceof Error ? `: ${cause.message}` : "";
    super(`The job queue does not answer (${what})${reason}`, { cause });
    this.name = "QueueUnavailableError";
  }
}

/** The queue can't be opened: nothing accepts connections at its address, or the credentials are refused. */
export class QueueUnreachableError extends Error {
  constructor(cause: Error) {
    const { code, message } = cause as NodeJS.ErrnoException;
    super(`The job queue can't be opened: ${message || code}. Check REDIS_URL.`, { cause });
    this.name = "QueueUnreachableError";
  }
}

/** The Redis server removes keys of its own choice when its memory is full, and with them jobs. */
export class QueueEvictsError extends Error {
  constructor(policy: string) {
    super(
      `The Redis server of REDIS_URL evicts keys when its memory is full (maxmemory-policy ${policy}), which would lose ` +
        "jobs: set its maxmemory-policy to noeviction, or use another server.",
    );
    this.name = "QueueEvictsError";
  }
}

/** An attempt at a job took longer than its policy allows; it is retried. */
export class JobTimeoutError extends Error {
  constructor(name: string, limitMs: number) {
    super(`${name} took longer than ${limitMs / 1000} s`);
    this.name = "JobTimeoutError";
  }
}

/**
 * Whether a job failed because the database was unavailable, here or in a child process: the attempt does not count, or
 * an outage would use up the attempts of every job.
 */
export const isOutage = (error: unknown): boolean =>
  isDatabaseOutage(error) || (error instanceof Error && "isOutage" in error && error.isOutage === true);

/** Whether an error has `retryable: false`: a retry can't help, so the job fails at once. */
export function isPermanent(error: unknown): boolean {
  return typeof error === "object" && error !== null && "retryable" in error && error.retryable === false;
}
