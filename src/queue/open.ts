// The job queue: the only access to BullMQ for the whole service, on Redis or on the embedded engine.
import type { JobType } from "bullmq";
import { withinTime } from "../../contract/concurrency/within-time.ts";
import type { Log } from "../log.ts";
import {
  type BackendQueue,
  embeddedBackend,
  PRODUCER_TIMEOUT_MS,
  type QueueBackend,
  redisBackend,
} from "./backend.ts";
import { type ConsumerSettings, type Consumers, startConsumers } from "./consumers.ts";
import { QueueEvictsError, QueueUnavailableError } from "./errors.ts";
import { inspectorOf, type QueueInspector } from "./inspect.ts";
import {
  jobOptions,
  repeatOptions,
  retryOptions,
  type EnqueueOptions,
  type Schedule,
} from "./job-options.ts";
import {
  type JobName,
  type JobPayloads,
  type Processors,
  type QueueName,
  queueNames,
  queueOf,
} from "./jobs.ts";
import { adoptRenamedJobs } from "./renamed-jobs.ts";
import { collectConnectionErrors, startPatience, waitFor } from "./wait.ts";

/** The embedded engine reports waiting jobs of a paused queue as `paused`, a state that the library's types lack. */
const countedStates: readonly string[] = ["waiting", "paused", "active", "delayed", "failed", "completed"];
const CLOSE_TIMEOUT_MS = 3000;

/** Redis when there is a URL for it (or the path of its unix socket), else the embedded engine's data folder. */
export type QueueLocation = { redisUrl: string } | { dataDir: string };

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
   * Adds a job; resolves once the engine has it. Throws QueueUnavailableError within 3 s if the engine does not
   * respond; the job may then have been added or not.
   */
  enqueue<N extends JobName>(name: N, payload: JobPayloads[N], options?: EnqueueOptions): Promise<void>;
  /** Makes a job repeat. A job name has one schedule; the last one set applies. */
  upsertSchedule<N extends JobName>(name: N, payload: JobPayloads[N], schedule: Schedule): Promise<void>;
  /** Whether a schedule existed. */
  removeSchedule(name: JobName): Promise<boolean>;
  /** Takes over the jobs and schedules that an earlier version has left under previous names. */
  adoptRenamedJobs(): Promise<void>;
  /** Jobs per state, for readiness and metrics. Throws QueueUnavailableError within 3 s. */
  counts(): Promise<Record<QueueName, QueueCounts>>;
  /** For administrators: lists and changes jobs. Every method throws QueueUnavailableError within 3 s. */
  readonly inspector: QueueInspector;
  startConsumers(processors: Processors, settings: ConsumerSettings): Consumers;
  /** Closes the consumers (running jobs finish within their deadline), the connections and the engine. */
  close(): Promise<void>;
}

/**
 * Opens every queue of the catalog; resolves once the engine responds, however long that takes. Throws
 * QueueUnreachableError if a connection is impossible, and QueueEvictsError.
 */
export async function openQueue(place: QueueLocation, log: Log, patience = startPatience): Promise<Queue> {
  const backend =
    "redisUrl" in place ? redisBackend(place.redisUrl) : await embeddedBackend(place.dataDir, log, patience);
  const policy = await backend.evictionPolicy();
  if (policy !== undefined) throw new QueueEvictsError(policy);
  const failures = collectConnectionErrors(patience);
  const onError = (error: Error) => {
    log.warn({ error }, `queue: ${error.message}`);
    failures.add(error);
  };
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
    const ready = Promise.all(Array.from(queues.values(), (queue) => queue.waitUntilReady()));
    await waitFor("the job queue", Promise.race([ready, failures.unreachable]), log, patience);
  } catch (error) {
    await close();
    throw error;
  }

  const ask = <T>(what: string, job: JobName, command: (queue: BackendQueue) => Promise<T>) =>
    answerOf(command(queueFor(queues, queueOf(job))), what);
  const add = async (name: JobName, payload: object, options: EnqueueOptions) => {
    await ask(`adding ${name}`, name, (queue) => queue.add(name, payload, jobOptions(name, options)));
  };
  return {
    kind: backend.kind,
    enqueue: (name, payload, options = {}) => add(name, payload, options),
    async upsertSchedule(name, payload, schedule) {
      const template = { name, data: payload, opts: retryOptions(name) };
      await ask(`scheduling ${name}`, name, (queue) =>
        queue.upsertJobScheduler(name, repeatOptions(schedule), template),
      );
    },
    removeSchedule: (name) => ask(`unscheduling ${name}`, name, (queue) => queue.removeJobScheduler(name)),
    async adoptRenamedJobs() {
      const previous = new Map<string, BackendQueue>();
      const open = (name: string) => {
        const current = queues.get(name as QueueName) ?? previous.get(name);
        const queue = current ?? backend.queue(name, onError);
        if (!current) previous.set(name, queue);
        return queue;
      };
      try {
        await adoptRenamedJobs(open, add);
      } finally {
        await Promise.all([...previous.values()].map(closeQueue));
      }
    },
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
    return await withinTime(work, PRODUCER_TIMEOUT_MS, () => {
      throw new QueueUnavailableError(`${what} took longer than ${PRODUCER_TIMEOUT_MS} ms`);
    });
  } catch (error) {
    if (error instanceof QueueUnavailableError || !isEngineAway(error)) throw error;
    throw new QueueUnavailableError(what, error);
  }
}

/** Whether the connection to the engine failed, as opposed to a command that it refused. */
function isEngineAway(error: unknown): boolean {
  const { code, name, message } = error as NodeJS.ErrnoException;
  if (typeof code === "string" && /^E(CONN|PIPE|NOENT|TIMEDOUT|HOSTUNREACH|AI_)/.test(code)) return true;
  return name === "MaxRetriesPerRequestError" || /Connection is closed|Stream isn't writeable/i.test(message);
}

async function countStates(queues: Map<QueueName, BackendQueue>): Promise<Record<QueueName, QueueCounts>> {
  const entries = [...queues].map(async ([name, queue]) => {
    const counts = await answerOf(queue.getJobCounts(...(countedStates as JobType[])), `counting "${name}"`);
    const { waiting = 0, paused = 0, active = 0, delayed = 0, failed = 0, completed = 0 } = counts;
    return [name, { waiting: waiting + paused, active, delayed, failed, completed }];
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<QueueName, QueueCounts>;
}

/** A queue whose engine is unavailable can't close gracefully; its connection is cut instead. */
async function closeQueue(queue: BackendQueue) {
  const isClosed = queue.close().then(
    () => true,
    () => false,
  );
  if (await withinTime(isClosed, CLOSE_TIMEOUT_MS, () => false)) return;
  await withinTime(queue.disconnect(), CLOSE_TIMEOUT_MS, () => undefined).catch(() => undefined);
}
