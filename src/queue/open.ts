// The queue: one door to BullMQ for the whole service, on Redis or on the embedded engine.
import type { JobsOptions, JobType } from "bullmq";

import type { Log } from "../log.ts";
import {
  type BackendQueue,
  embeddedBackend,
  PRODUCER_TIMEOUT_MS,
  type QueueBackend,
  redisBackend,
  untilReady,
  withinTime,
} from "./backend.ts";
import { policyBackoff } from "./backoff.ts";
import { type ConsumerSettings, type Consumers, startConsumers } from "./consumers.ts";
import { QueueUnavailableError } from "./errors.ts";
import { inspectorOf, type QueueInspector } from "./inspect.ts";
import {
  type JobName,
  jobPolicies,
  type JobPayloads,
  type Processors,
  type QueueName,
  queueNames,
  queueOf,
  type RetiredJob,
} from "./jobs.ts";

/** What waits in a paused queue is `paused` to the embedded engine, which the library's types do not know. */
const countedStates: readonly string[] = ["waiting", "paused", "active", "delayed", "failed", "completed"];
const KEEP_COMPLETED = 200;
const KEEP_FAILED = 1000;
/** Of each job: what an administrator looks into it for. */
const KEEP_STACKS = 10;
const KEEP_LOG_LINES = 50;
const CLOSE_TIMEOUT_MS = 3000;

/** Redis when there is a URL for it (or the path of its unix socket), else the embedded engine's data folder. */
export type QueuePlace = { redisUrl: string } | { dataDir: string };

export interface EnqueueOptions {
  /**
   * Names the work, unique within the job's name. While a job of this id waits, another one adds nothing; while one
   * runs, one more is queued behind it, because the running one may have read its facts already.
   */
  jobId?: string;
  /** A job of this id that waits for its time, or for its next attempt, is to run when this one would. */
  retime?: boolean;
  delayMs?: number;
}

/** When a repeating job runs: in equal steps, or by a cron pattern (UTC unless a time zone is given). */
type Schedule = { everyMs: number } | { cron: string; timeZone?: string };

export interface QueueCounts {
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  completed: number;
}

export interface Queue {
  readonly kind: QueueBackend["kind"];
  /**
   * Adds a job; resolved means the engine has it. Throws QueueUnavailableError within 3 s where the engine does not
   * answer; the job may or may not have been added then.
   */
  enqueue<N extends JobName>(name: N, payload: JobPayloads[N], options?: EnqueueOptions): Promise<void>;
  /** Makes a job repeat; one schedule per job name, and the last one given holds. */
  upsertSchedule<N extends JobName>(name: N, payload: JobPayloads[N], schedule: Schedule): Promise<void>;
  /** True when there was one. */
  removeSchedule(name: JobName | RetiredJob): Promise<boolean>;
  /** Jobs per state, for readiness and metrics. Throws QueueUnavailableError within 3 s. */
  counts(): Promise<Record<QueueName, QueueCounts>>;
  /** For administrators: what lies in the queue, and mending it. All of it throws QueueUnavailableError within 3 s. */
  readonly inspector: QueueInspector;
  startConsumers(processors: Processors, settings: ConsumerSettings): Consumers;
  /** Closes the consumers (work in flight finishes, within their deadline), the connections and the engine. */
  close(): Promise<void>;
}

/** Opens every queue of the catalogue; resolves once the engine answers. */
export async function openQueue(place: QueuePlace, log: Log): Promise<Queue> {
  const backend =
    "redisUrl" in place ? redisBackend(place.redisUrl) : await embeddedBackend(place.dataDir, log);
  const onError = (error: Error) => log.warn({ error }, `queue: ${error.message}`);
  const queues = new Map<QueueName, BackendQueue>(
    queueNames.map((name) => [name, backend.queue(name, onError)]),
  );
  const consumers: Consumers[] = [];

  const close = async () => {
    await Promise.all(consumers.map((each) => each.close()));
    await Promise.all([...queues.values()].map(closeQueue));
    await backend.close();
  };
  try {
    await Promise.all([...queues].map(([name, queue]) => untilReady(queue, name)));
  } catch (error) {
    await close();
    throw error;
  }

  const ask = <T>(what: string, job: JobName | RetiredJob, command: (queue: BackendQueue) => Promise<T>) =>
    answerOf(command(queueFor(queues, queueOf(job))), what);
  return {
    kind: backend.kind,
    async enqueue(name, payload, options = {}) {
      await ask(`adding ${name}`, name, (queue) => queue.add(name, payload, jobOptions(name, options)));
    },
    async upsertSchedule(name, payload, schedule) {
      const template = { name, data: payload, opts: retryOptions(name) };
      await ask(`scheduling ${name}`, name, (queue) =>
        queue.upsertJobScheduler(name, repeatOptions(schedule), template),
      );
    },
    removeSchedule: (name) => ask(`unscheduling ${name}`, name, (queue) => queue.removeJobScheduler(name)),
    counts: () => countStates(queues),
    inspector: inspectorOf((name, what, command) => answerOf(command(queueFor(queues, name)), what)),
    startConsumers(processors, settings) {
      const started = startConsumers(backend, processors, settings, log);
      consumers.push(started);
      return started;
    },
    close,
  };
}

function queueFor(queues: Map<QueueName, BackendQueue>, name: QueueName): BackendQueue {
  const queue = queues.get(name);
  if (!queue) throw new TypeError(`There is no queue "${name}"`);
  return queue;
}

async function answerOf<T>(work: Promise<T>, what: string): Promise<T> {
  try {
    return await withinTime(work, PRODUCER_TIMEOUT_MS, what);
  } catch (error) {
    if (error instanceof QueueUnavailableError || !isEngineAway(error)) throw error;
    throw new QueueUnavailableError(what, error);
  }
}

/** Trouble on the way to the engine, as opposed to a command that it refused. */
function isEngineAway(error: unknown): boolean {
  const { code, name, message } = error as NodeJS.ErrnoException;
  if (typeof code === "string" && /^E(CONN|PIPE|NOENT|TIMEDOUT|HOSTUNREACH|AI_)/.test(code)) return true;
  return name === "MaxRetriesPerRequestError" || /Connection is closed|Stream isn't writeable/i.test(message);
}

function retryOptions(name: JobName) {
  return {
    attempts: jobPolicies[name].attempts,
    backoff: { type: policyBackoff },
    stackTraceLimit: KEEP_STACKS,
    keepLogs: KEEP_LOG_LINES,
    removeOnComplete: { count: KEEP_COMPLETED },
    removeOnFail: { count: KEEP_FAILED },
  };
}

function jobOptions(name: JobName, { jobId, retime = false, delayMs }: EnqueueOptions): JobsOptions {
  return {
    ...retryOptions(name),
    ...(delayMs !== undefined && { delay: delayMs }),
    // Not BullMQ's own jobId: with it a finished job would keep later ones out for as long as it is kept.
    ...(jobId !== undefined && {
      deduplication: { id: `${name}/${jobId}`, keepLastIfActive: true, reschedule: retime },
    }),
  };
}

const repeatOptions = (schedule: Schedule) =>
  "everyMs" in schedule
    ? { every: schedule.everyMs }
    : { pattern: schedule.cron, tz: schedule.timeZone ?? "UTC" };

async function countStates(queues: Map<QueueName, BackendQueue>): Promise<Record<QueueName, QueueCounts>> {
  const entries = [...queues].map(async ([name, queue]) => {
    const counts = await answerOf(queue.getJobCounts(...(countedStates as JobType[])), `counting "${name}"`);
    const { waiting = 0, paused = 0, active = 0, delayed = 0, failed = 0, completed = 0 } = counts;
    return [name, { waiting: waiting + paused, active, delayed, failed, completed }];
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<QueueName, QueueCounts>;
}

/** A queue whose engine is away cannot say goodbye: its connection is cut instead. */
async function closeQueue(queue: BackendQueue) {
  try {
    await withinTime(queue.close(), CLOSE_TIMEOUT_MS, "closing");
  } catch {
    await withinTime(queue.disconnect(), CLOSE_TIMEOUT_MS, "disconnecting").catch(() => undefined);
  }
}
