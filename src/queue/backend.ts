// Opens BullMQ on Redis or on the embedded queue engine; everything above uses both the same way.
import {
  createPostgresBackend,
  type Job,
  type JobsOptions,
  type JobType,
  Queue,
  type RepeatOptions,
  runMigrations,
  Worker,
  type WorkerOptions,
} from "bullmq";
import type { JobState } from "../../contract/vocabulary.ts";
import { startEmbeddedQueue } from "../../engines/queue.ts";
import { QueuePool } from "../../engines/queue/queue-pool.ts";
import { readEvictionPolicy } from "../../storage/redis.ts";
import type { Log } from "../log.ts";
import { type Patience, waitFor } from "./wait.ts";

/** Separates our keys from others in a shared Redis; the embedded engine is not shared. */
const REDIS_PREFIX = "svc";
/** Longest time that a caller waits for a response. */
export const PRODUCER_TIMEOUT_MS = 3000;
const PRODUCER_WAIT_MS = 2000;
/** Consumers wait for an engine that restarts instead of failing their job. */
const CONSUMER_WAIT_MS = 15_000;

const retryStrategy = (times: number) => Math.min(times * 200, 2000);

type StateCounts = Record<string, number>;

/** The part of BullMQ's Queue that is used. */
export interface BackendQueue {
  add(name: string, data: object, options: JobsOptions): Promise<unknown>;
  upsertJobScheduler(
    id: string,
    repeat: Omit<RepeatOptions, "key">,
    template: { name: string; data: object; opts: Omit<JobsOptions, "jobId" | "repeat" | "delay"> },
  ): Promise<unknown>;
  removeJobScheduler(id: string): Promise<boolean>;
  getJobCounts(...types: JobType[]): Promise<StateCounts>;
  getJob(id: string): Promise<Job | undefined>;
  getJobState(id: string): Promise<string>;
  getRanges(types: JobState[], start: number, end: number, asc: boolean): Promise<string[]>;
  getJobLogs(
    id: string,
    start: number,
    end: number,
    asc: boolean,
  ): Promise<{ logs: string[]; count: number }>;
  isPaused(): Promise<boolean>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
  disconnect(): Promise<void>;
}

/** The part of BullMQ's Worker that is used. */
export interface BackendWorker {
  close(): Promise<void>;
  disconnect(): Promise<void>;
}

interface ConsumerEvents {
  failed(job: Job | undefined, error: Error): void;
  stalled(jobId: string): void;
  error(error: Error): void;
}

type ConsumerOptions = Omit<WorkerOptions, "connection" | "prefix">;

export interface QueueBackend {
  kind: "redis" | "embedded";
  /** The policy by which the engine removes keys when its memory is full; undefined if none, or not known. */
  evictionPolicy(): Promise<string | undefined>;
  queue(name: string, onError: (error: Error) => void): BackendQueue;
  worker(
    name: string,
    process: (job: Job, token?: string) => Promise<void>,
    options: ConsumerOptions,
    events: ConsumerEvents,
  ): BackendWorker;
  close(): Promise<void>;
}

/** The common part of both kinds of worker. */
interface WorkerEvents {
  on(event: "failed", listener: ConsumerEvents["failed"]): unknown;
  on(event: "stalled", listener: ConsumerEvents["stalled"]): unknown;
  on(event: "error", listener: ConsumerEvents["error"]): unknown;
}

function listen(worker: WorkerEvents, events: ConsumerEvents) {
  worker.on("failed", (job, error) => events.failed(job, error));
  worker.on("stalled", (jobId) => events.stalled(jobId));
  worker.on("error", (error) => events.error(error));
}

/**
 * BullMQ creates and owns the connections, one per queue and two per worker. While Redis is unavailable, those that add
 * jobs fail at once, and those that process jobs wait for it.
 */
export function redisBackend(redisUrl: string): QueueBackend {
  const producer = {
    url: redisUrl,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: PRODUCER_TIMEOUT_MS,
    retryStrategy,
  };
  const consumer = { url: redisUrl, maxRetriesPerRequest: null, retryStrategy };
  return {
    kind: "redis",
    evictionPolicy: () => readEvictionPolicy(redisUrl, PRODUCER_TIMEOUT_MS),
    queue(name, onError) {
      const queue = new Queue(name, { connection: producer, prefix: REDIS_PREFIX });
      queue.on("error", onError);
      return queue;
    },
    worker(name, process, options, events) {
      const worker = new Worker(name, process, { ...options, connection: consumer, prefix: REDIS_PREFIX });
      listen(worker, events);
      return worker;
    },
    close: async () => {},
  };
}

async function migrate(pool: QueuePool): Promise<void> {
  const client = await pool.connect();
  try {
    await runMigrations(client);
  } finally {
    client.release();
  }
}

/** A part of a backend that connects on the first call, and keeps the result. */
interface Connecting {
  waitUntilReady(): Promise<unknown>;
}

/**
 * BullMQ keeps a first connection that has failed, as if the engine restarts just then: all later calls would fail at
 * once, and a worker in an endless loop. Here, the next call connects again.
 */
export const createBackend: typeof createPostgresBackend = (...args) => {
  const backend = createPostgresBackend(...args);
  const parts: Connecting[] = [backend.connection, backend];
  for (const part of parts) {
    const connect = part.waitUntilReady.bind(part);
    part.waitUntilReady = async () => {
      const connecting = connect();
      const kept: unknown = Reflect.get(part, keptResult);
      try {
        return await connecting;
      } catch (error) {
        if (Reflect.get(part, keptResult) === kept) Reflect.set(part, keptResult, undefined);
        throw error;
      }
    };
  }
  return backend;
};

/** Private in BullMQ: it has no other way to connect again. */
const keptResult = "readyPromise";

/** Starts the embedded engine on `dataDir`, or attaches to it, and brings its tables up to date. */
export async function embeddedBackend(dataDir: string, log: Log, patience: Patience): Promise<QueueBackend> {
  const engine = await startEmbeddedQueue({ dataDir, log });
  const producer = new QueuePool(engine.uri, { waitMs: PRODUCER_WAIT_MS });
  const consumer = new QueuePool(engine.uri, { waitMs: CONSUMER_WAIT_MS });
  const close = async () => {
    await Promise.all([producer.end(), consumer.end()]);
    await engine.stop();
  };
  try {
    await waitFor("the tables of the job queue", migrate(consumer), log, patience);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    kind: "embedded",
    evictionPolicy: async () => undefined,
    queue(name, onError) {
      const queue = new Queue(name, { connection: producer }, createBackend);
      queue.on("error", onError);
      return queue;
    },
    worker(name, process, options, events) {
      const worker = new Worker(name, process, { ...options, connection: consumer }, createBackend);
      listen(worker, events);
      return worker;
    },
    close,
  };
}
