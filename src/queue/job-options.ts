/** Options of jobs and schedules, as BullMQ takes them. */
import type { JobsOptions } from "bullmq";
import { traceparent } from "../../contract/observation.ts";
import { policyBackoff } from "./backoff.ts";
import { jobPolicies, type JobName } from "./jobs.ts";

const KEEP_COMPLETED = 200;
const KEEP_FAILED = 1000;
/** Kept of each job, for administrators. */
const KEEP_STACKS = 10;
const KEEP_LOG_LINES = 50;

export interface EnqueueOptions {
  /**
   * Identifies the work within the job's name. While a job of this id waits, another adds nothing; while one runs, one
   * more is queued after it, because the running one may already have read its records.
   */
  jobId?: string;
  /** Moves a delayed job of this id, or its next attempt, to the time at which this one would run. */
  retime?: boolean;
  delayMs?: number;
  /** The trace that the job continues; by default that of what runs now. */
  traceparent?: string;
}

/** Times of a repeating job: at a fixed interval, or by a cron pattern (UTC unless a time zone is given). */
export type Schedule = { everyMs: number } | { cron: string; timeZone?: string };

/** Attempts, backoff and retention of a job. */
export function retryOptions(name: JobName) {
  return {
    attempts: jobPolicies[name].attempts,
    backoff: { type: policyBackoff },
    stackTraceLimit: KEEP_STACKS,
    keepLogs: KEEP_LOG_LINES,
    removeOnComplete: { count: KEEP_COMPLETED },
    removeOnFail: { count: KEEP_FAILED },
  };
}

export function jobOptions(name: JobName, options: EnqueueOptions): JobsOptions {
  const { jobId, retime = false, delayMs, traceparent: metadata = traceparent() } = options;
  return {
    ...retryOptions(name),
    ...(metadata !== undefined && { telemetry: { metadata } }),
    delay: delayMs,
    // Not BullMQ's own jobId: with it, a finished job would block later ones for as long as it is kept.
    deduplication:
      jobId === undefined
        ? undefined
        : { id: `${name}/${jobId}`, keepLastIfActive: true, reschedule: retime },
  };
}

export const repeatOptions = (schedule: Schedule) =>
  "everyMs" in schedule
    ? { every: schedule.everyMs }
    : { pattern: schedule.cron, tz: schedule.timeZone ?? "UTC" };
