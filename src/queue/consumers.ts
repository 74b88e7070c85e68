// The running side of the queue: one BullMQ worker per queue, which calls the processors.
import { type Job, UnrecoverableError } from "bullmq";

import type { Log } from "../log.ts";
import type { BackendWorker, QueueBackend } from "./backend.ts";
import { isPermanent } from "./errors.ts";
import { isJobName, type Processors, type QueueName, queueNames } from "./jobs.ts";

const CLOSE_DEADLINE_MS = 5000;
const DISCONNECT_TIMEOUT_MS = 1000;
const LOCK_MS = 30_000;
const STALLED_CHECK_MS = 15_000;
/** So many processes may die under a job before it counts as failed: it is then likely what kills them. */
const MAX_STALLED = 5;
/** The pause before the next attempt to fetch a job where the engine refused one. */
const FETCH_RETRY_MS = 1000;

export interface ConsumerSettings {
  /** Jobs at once in this process: per queue, or one number for every queue. */
  concurrency: number | Record<QueueName, number>;
  /** How long close() waits for work in flight; what is still running then is run again elsewhere. Default 5 s. */
  closeDeadlineMs?: number;
  /** A job whose process has died is run again after this time; default 30 s. */
  lockMs?: number;
}

export interface Consumers {
  /** Takes no more jobs and resolves when those in flight are finished, or at the deadline. */
  close(): Promise<void>;
}

export function startConsumers(
  backend: QueueBackend,
  processors: Processors,
  settings: ConsumerSettings,
  log: Log,
): Consumers {
  const { concurrency, closeDeadlineMs = CLOSE_DEADLINE_MS, lockMs = LOCK_MS } = settings;
  const events = {
    failed: (job: Job | undefined, error: Error) => logFailure(log, job, error),
    stalled: (jobId: string) => log.warn({ jobId }, "a job's process went away; the job runs again"),
    error: (error: Error) => log.warn({ error }, `queue: ${error.message}`),
  };
  const workers = queueNames.map((name) =>
    backend.worker(
      name,
      (job) => run(processors, job),
      {
        concurrency: typeof concurrency === "number" ? concurrency : concurrency[name],
        lockDuration: lockMs,
        stalledInterval: Math.min(STALLED_CHECK_MS, lockMs),
        maxStalledCount: MAX_STALLED,
        runRetryDelay: FETCH_RETRY_MS,
      },
      events,
    ),
  );
  let closed: Promise<void> | undefined;
  return {
    close() {
      closed ??= Promise.all(workers.map((worker) => closeWorker(worker, closeDeadlineMs, log))).then(
        () => undefined,
      );
      return closed;
    },
  };
}

async function run(processors: Processors, job: Job): Promise<void> {
  if (!isJobName(job.name)) throw new UnrecoverableError(`There is no job called "${job.name}"`);
  // The catalogue ties a name to its payload, which the compiler cannot follow through a name of run time.
  const process: (payload: never) => Promise<void> = processors[job.name];
  try {
    await process(job.data as never);
  } catch (error) {
    if (!isPermanent(error)) throw error;
    throw Object.assign(new UnrecoverableError((error as Error).message), { cause: error });
  }
}

function logFailure(log: Log, job: Job | undefined, error: Error) {
  const attempts = job?.opts.attempts ?? 1;
  const attempt = job?.attemptsMade ?? 0;
  const fields = { job: job?.name, jobId: job?.id, attempt, attempts, error };
  const isLast = attempt >= attempts || error instanceof UnrecoverableError;
  if (isLast) log.error(fields, "a job failed for good");
  else log.warn(fields, "a job failed and will be tried again");
}

async function closeWorker(worker: BackendWorker, deadlineMs: number, log: Log) {
  const isClosed = await settlesWithin(worker.close(), deadlineMs);
  if (isClosed) return;
  // Its locks run out, and another process takes the jobs over.
  log.warn({ deadlineMs }, "jobs were still running at the deadline; they run again later");
  await settlesWithin(worker.disconnect(), DISCONNECT_TIMEOUT_MS);
}

async function settlesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const done = work.then(
    () => true,
    () => true,
  );
  const isSettled = await Promise.race([done, late]);
  clearTimeout(timer);
  return isSettled;
}
