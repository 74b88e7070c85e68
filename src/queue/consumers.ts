// The running side of the queue: one BullMQ worker per queue, which calls the processors.
import { DelayedError, type Job, UnrecoverableError } from "bullmq";
import { withinTime } from "../../contract/concurrency/within-time.ts";
import { noteCount, measured, traced, type TracedWork } from "../../contract/observation.ts";
import type { Log } from "../log.ts";
import type { BackendWorker, QueueBackend } from "./backend.ts";
import { pauseBeforeRetry } from "./backoff.ts";
import { isOutage, isPermanent, JobTimeoutError } from "./errors.ts";
import {
  defaultTimeoutMs,
  isJobName,
  type JobName,
  jobPolicies,
  type Processors,
  type QueueName,
  queueNames,
} from "./jobs.ts";

/** Pause of a job that failed because the database was unavailable. */
const OUTAGE_DELAY_MS = 15_000;
const MAX_OUTAGE_MS = 24 * 3_600_000;
const CLOSE_DEADLINE_MS = 5000;
const HAND_OVER_TIMEOUT_MS = 1000;
/** Longer than the process that hands a job over still runs, so that the job does not run in both. */
const HAND_OVER_DELAY_MS = 2000;
const LOCK_MS = 30_000;
const STALLED_CHECK_MS = 15_000;
/** Number of processes that may crash during a job before it counts as failed, since it probably causes the crashes. */
const MAX_STALLED = 5;
/** Characters of an error's message kept in a job's history. */
const NOTED_CHARACTERS = 500;
/** Pause before the next attempt to fetch a job after the engine refused one. */
const FETCH_RETRY_MS = 1000;

/** One attempt at a job. */
export interface JobRun {
  name: JobName;
  outcome: "completed" | "failed" | "retried";
  ms: number;
}

export interface ConsumerSettings {
  /** Jobs at once in this process: per queue, or one number for every queue. */
  concurrency: number | Record<QueueName, number>;
  /** Time for which close() waits for running jobs; the rest is handed over to another process. Default 5 s. */
  closeDeadlineMs?: number;
  /** A job whose process has died is run again after this time; default 30 s. */
  lockMs?: number;
  /** Pause of a job that failed because the database was unavailable; default 15 s. */
  outageDelayMs?: number;
  /** Called after every attempt. Must not throw. */
  observe?(run: JobRun): void;
}

export interface Consumers {
  /** Fetches no further jobs, and resolves when the running ones are finished, or at the deadline. */
  close(): Promise<void>;
}

export function startConsumers(
  backend: QueueBackend,
  processors: Processors,
  settings: ConsumerSettings,
  log: Log,
): Consumers {
  const {
    concurrency,
    closeDeadlineMs = CLOSE_DEADLINE_MS,
    lockMs = LOCK_MS,
    outageDelayMs = OUTAGE_DELAY_MS,
  } = settings;
  const observe = (one: JobRun) => settings.observe?.(one);
  const events = {
    failed: (job: Job | undefined, error: Error) => logFailure(log, job, error),
    stalled: (jobId: string) => log.warn({ jobId }, "a job's process went away; the job runs again"),
    error: (error: Error) => log.warn({ error }, `queue: ${error.message}`),
  };
  const leaving = new AbortController();
  const left = new Promise<"left">((resolve) => {
    leaving.signal.addEventListener("abort", () => resolve("left"), { once: true });
  });
  const workers = queueNames.map((name) =>
    backend.worker(
      name,
      (job, token) => runOrHandOver(() => run(processors, job, observe), job, token, left, outageDelayMs),
      {
        concurrency: typeof concurrency === "number" ? concurrency : concurrency[name],
        lockDuration: lockMs,
        stalledInterval: Math.min(STALLED_CHECK_MS, lockMs),
        maxStalledCount: MAX_STALLED,
        runRetryDelay: FETCH_RETRY_MS,
        settings: {
          backoffStrategy: (attemptsMade, _type, error, job) =>
            job && isJobName(job.name) ? pauseBeforeRetry(jobPolicies[job.name], attemptsMade, error) : 0,
        },
      },
      events,
    ),
  );
  let closed: Promise<void> | undefined;
  const close = async () => {
    const deadline = setTimeout(() => {
      log.warn({ closeDeadlineMs }, "jobs still run at the deadline; they are handed over");
      leaving.abort();
    }, closeDeadlineMs);
    await Promise.all(workers.map((worker) => closeWorker(worker, closeDeadlineMs + HAND_OVER_TIMEOUT_MS)));
    clearTimeout(deadline);
  };
  return {
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/**
 * Returns the job to the queue without counting an attempt, if this process must end before it is finished, or if the
 * database was unavailable.
 */
async function runOrHandOver(
  work: () => Promise<void>,
  job: Job,
  token: string | undefined,
  left: Promise<"left">,
  outageDelayMs: number,
): Promise<void> {
  let delayMs = HAND_OVER_DELAY_MS;
  try {
    if ((await Promise.race([work(), left])) !== "left") return;
  } catch (error) {
    if (!isExcused(job, error)) throw error;
    delayMs = outageDelayMs;
  }
  await job.moveToDelayed(Date.now() + delayMs, token);
  throw new DelayedError();
}

/** Whether an attempt does not count. A job that has failed in this way for a day is at fault itself. */
const isExcused = (job: Job, error: unknown): boolean =>
  isOutage(error) && Date.now() - job.timestamp < MAX_OUTAGE_MS;

async function run(processors: Processors, job: Job, observe: (run: JobRun) => void): Promise<void> {
  const { name } = job;
  if (!isJobName(name)) throw new UnrecoverableError(`There is no job called "${name}"`);
  // The catalogue ties a name to its payload, which the compiler cannot follow through a name of run time.
  const process: (payload: never) => Promise<void> = processors[name];
  const startedAt = performance.now();
  const ended = (outcome: JobRun["outcome"]) => {
    const ms = Math.round(performance.now() - startedAt);
    observe({ name, outcome, ms });
    noteCount("jobRuns", { job: name, outcome });
    return ms;
  };
  try {
    const work = () => withinLimit(process(job.data as never), name);
    await traced(tracedJob(job, name), () => measured("job", { job: name }, work));
    ended("completed");
  } catch (error) {
    const isLast =
      !isExcused(job, error) && (isPermanent(error) || job.attemptsMade + 1 >= (job.opts.attempts ?? 1));
    await note(job, ended(isLast ? "failed" : "retried"), error);
    if (!isPermanent(error)) throw error;
    // Keeps the stack of the original error, not of this line.
    const { message, stack } = error as Error;
    throw Object.assign(new UnrecoverableError(message), { cause: error, stack });
  }
}

const tracedJob = ({ id = "", opts, attemptsMade }: Job, name: JobName): TracedWork => ({
  kind: "job",
  traceparent: opts.telemetry?.metadata,
  describe: () => ({
    name: `job ${name}`,
    attributes: { "messaging.message.id": id, "svc.attempt": attemptsMade + 1 },
    hasFailed: false,
  }),
});

/**
 * Rejects if an attempt takes longer than its policy allows, so that a hanging job does not occupy its slot forever.
 */
async function withinLimit(work: Promise<void>, name: JobName): Promise<void> {
  const limitMs = jobPolicies[name].timeoutMs ?? defaultTimeoutMs;
  const late = () => {
    throw new JobTimeoutError(name, limitMs);
  };
  // A job that was handed over to another process must not keep this one.
  await withinTime(work, limitMs, late, { ref: false });
}

/** Adds a failed attempt to the job's history, which a retry by hand does not clear. */
async function note(job: Job, ms: number, error: unknown): Promise<void> {
  const message = (error instanceof Error ? error.message : String(error)).slice(0, NOTED_CHARACTERS);
  const row = `${new Date().toISOString()} attempt ${job.attemptsMade + 1} failed after ${ms} ms: ${message}`;
  await job.log(row).catch(() => undefined);
}

function logFailure(log: Log, job: Job | undefined, error: Error) {
  const attempts = job?.opts.attempts ?? 1;
  const attempt = job?.attemptsMade ?? 0;
  const fields = { job: job?.name, jobId: job?.id, attempt, attempts, error };
  const isLast = attempt >= attempts || error instanceof UnrecoverableError;
  if (isLast) log.error(fields, "a job failed permanently");
  else log.warn(fields, "a job failed and will be retried");
}

/** If the engine is unavailable, the locks of the jobs expire, and another process takes them over then. */
async function closeWorker(worker: BackendWorker, timeoutMs: number) {
  if (await settlesWithin(worker.close(), timeoutMs)) return;
  await settlesWithin(worker.disconnect(), HAND_OVER_TIMEOUT_MS);
}

function settlesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = () => true;
  return withinTime(work.then(settled, settled), ms, () => false);
}
