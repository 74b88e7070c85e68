import type { JobDetailPayload, JobPayload } from "../../contract/payloads/service/jobs.ts";
import type { QueuedJob, QueuedJobDetail } from "../queue/index.ts";

/** Errors may contain complete responses of other systems: a list shows their beginning. */
const shown = { payloadValue: 200, error: 500, wholeError: 4000, stack: 8000, logLine: 1000 };

export function presentJob(job: QueuedJob, names: Record<string, string>): JobPayload {
  return {
    id: job.id,
    queue: job.queue,
    name: job.name,
    state: job.state,
    payload: Object.fromEntries(
      Object.entries(job.payload)
        .slice(0, 20)
        .map(([key, value]) => [cut(key, 100), cutValue(value)]),
    ),
    names,
    attemptsMade: job.attemptsMade,
    attempts: job.attempts,
    error: job.error === undefined ? null : cut(job.error, shown.error),
    createdAt: job.createdAt.toISOString(),
    startedAt: job.startedAt?.toISOString() ?? null,
    finishedAt: job.finishedAt?.toISOString() ?? null,
    runsAt: job.runsAt?.toISOString() ?? null,
    scheduled: job.isScheduled,
  };
}

export function presentJobDetail(job: QueuedJobDetail, names: Record<string, string>): JobDetailPayload {
  return {
    ...presentJob(job, names),
    error: job.error === undefined ? null : cut(job.error, shown.wholeError),
    stacks: job.stacks.map((stack) => cut(stack, shown.stack)),
    log: job.log.map((line) => cut(line, shown.logLine)),
    stalls: job.stalls,
    worker: job.worker ?? null,
  };
}

function cutValue(value: unknown): unknown {
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  return cut(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), shown.payloadValue);
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
