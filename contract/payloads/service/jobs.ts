/** Responses of the administrators' API for workers and jobs. */
import { z } from "zod";
import { jobStates, metricRanges } from "../../vocabulary.ts";

const Time = z.iso.datetime();

const Counts = z.object({
  waiting: z.int(),
  active: z.int(),
  delayed: z.int(),
  failed: z.int(),
  completed: z.int().meta({ description: "of those still kept" }),
});

export const QueuePayload = z
  .object({
    name: z.string(),
    jobs: z.array(z.string()).meta({ description: "the kinds of job that it runs" }),
    paused: z.boolean(),
    concurrency: z.int().meta({ description: "jobs at once in each worker process" }),
    counts: Counts,
    rates: z
      .object({
        completed: z.number(),
        failed: z.number().meta({ description: "failed attempts, whether retried or not" }),
        averageMs: z.int().nullable().meta({ description: "of one attempt; null where none ran" }),
      })
      .meta({ description: "per minute, over the last five" }),
  })
  .meta({ id: "Queue" });
export type QueuePayload = z.output<typeof QueuePayload>;

const jobFields = {
  id: z.string(),
  queue: z.string(),
  name: z.string(),
  state: z.enum(jobStates),
  payload: z
    .record(z.string(), z.unknown())
    .meta({ description: "ids; other values are cut to 200 characters" }),
  names: z
    .record(z.string(), z.string())
    .meta({ description: "by field of the payload: the organization's slug or the user name of its id" }),
  attemptsMade: z.int(),
  attempts: z.int().meta({ description: "how often it is tried in all" }),
  error: z.string().nullable().meta({ description: "of the last failed attempt" }),
  createdAt: Time,
  startedAt: Time.nullable(),
  finishedAt: Time.nullable(),
  runsAt: Time.nullable().meta({ description: "of a delayed job, about" }),
  scheduled: z.boolean().meta({ description: "whether a schedule made it" }),
};

export const JobPayload = z.object(jobFields).meta({ id: "Job" });
export type JobPayload = z.output<typeof JobPayload>;

export const JobDetailPayload = z
  .object({
    ...jobFields,
    stacks: z.array(z.string()).meta({ description: "of the latest failed attempts, oldest first" }),
    log: z.array(z.string()).meta({ description: "the latest lines, oldest first" }),
    stalls: z.int().meta({ description: "how often its process went away" }),
    worker: z.string().nullable(),
  })
  .meta({ id: "JobDetail" });
export type JobDetailPayload = z.output<typeof JobDetailPayload>;

export const RetriedPayload = z.object({
  retried: z.int(),
  left: z.int().meta({ description: "failed jobs that are still there: call again" }),
});
export type RetriedPayload = z.output<typeof RetriedPayload>;

export const JobMetricsPayload = z
  .object({
    range: z.enum(metricRanges),
    stepSeconds: z.int(),
    steps: z.array(
      z.object({
        at: Time.meta({ description: "where the step begins" }),
        completed: z.int(),
        failed: z.int().meta({ description: "jobs that failed permanently" }),
        retried: z.int().meta({ description: "attempts that failed and were tried again" }),
        averageMs: z.int().nullable(),
        maxMs: z.int().nullable(),
      }),
    ),
  })
  .meta({ id: "JobMetrics" });
export type JobMetricsPayload = z.output<typeof JobMetricsPayload>;

/** Conditions of the service in one answer. */
export const maxConditions = 100;

const Check = z.object({
  ok: z.boolean(),
  detail: z.string(),
  ms: z.int().nullable().meta({ description: "how long the answer took" }),
});

export const HealthPayload = z
  .object({
    checkedAt: Time,
    database: Check,
    queue: Check,
    git: Check,
    outbound: Check.meta({
      description: "whether public hosts can be reached, as for documents of OAuth clients",
    }),
    restore: Check.meta({ description: "not ok while nothing is erased, until a restore is confirmed" }),
    disks: z.array(
      z.object({
        name: z.enum(["data", "git"]),
        ok: z.boolean().meta({ description: "false under a gigabyte or a twentieth" }),
        freeBytes: z.number().nullable(),
        totalBytes: z.number().nullable(),
      }),
    ),
    conditions: z
      .array(
        z.object({
          condition: z.string().meta({ description: "such as `sync-lag` or `audit-forwarding`" }),
          text: z.string().meta({ description: "a sentence about its state" }),
          since: Time.meta({ description: "when it was found first" }),
        }),
      )
      .max(maxConditions)
      .meta({
        description: "what administrators were told by mail and what still applies, the oldest first",
      }),
    versions: z.object({ service: z.string(), node: z.string(), database: z.string().nullable() }),
    process: z.object({ uptimeSeconds: z.int(), memoryBytes: z.int() }),
  })
  .meta({ id: "ServiceHealth" });
export type HealthPayload = z.output<typeof HealthPayload>;

const ConnectionProblem = z.object({ code: z.string(), message: z.string(), at: Time });

export const AdminConnectionPayload = z
  .object({
    id: z.string(),
    tenantId: z.string(),
    organization: z
      .object({ slug: z.string(), name: z.string() })
      .nullable()
      .meta({ description: "null once it was erased" }),
    host: z.string(),
    repository: z.string(),
    url: z
      .string()
      .nullable()
      .meta({ description: "of the repository, for a browser; null for one on the service's machine" }),
    branch: z.string(),
    status: z.string(),
    mode: z.string(),
    waiting: z.boolean().meta({ description: "whether something is asked for that is not done" }),
    waitingSince: Time.nullable(),
    lastCommit: z.string().nullable().meta({ description: "the branch as the last sync left it" }),
    lastSyncAt: Time.nullable(),
    lagMs: z.int().nullable().meta({ description: "since the first request that is not completed" }),
    lastLagMs: z.int().nullable().meta({ description: "from the request to the end of the last sync" }),
    failures: z.int().meta({ description: "syncs that failed in a row" }),
    problem: ConnectionProblem.nullable().meta({ description: "why it is blocked or failing" }),
    lastProblem: ConnectionProblem.nullable().meta({
      description: "the newest failure, over or not",
    }),
  })
  .meta({ id: "AdminConnection" });
export type AdminConnectionPayload = z.output<typeof AdminConnectionPayload>;

/** The data of the `queues` events of `/api/admin/events`. */
export interface QueuesEvent {
  queues: QueuePayload[];
  /** By queue, another text whenever any of its lists is another one. */
  marks: Record<string, string>;
}
