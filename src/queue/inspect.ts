// Lists, retries and removes jobs, for the service's administrators.
import type { Job } from "bullmq";
import { type JobState, jobStates } from "../../contract/vocabulary.ts";
import type { BackendQueue } from "./backend.ts";
import { isJobName, jobPolicies, type JobName, type QueueName, queueOf } from "./jobs.ts";

/** A job in the queue. */
export interface QueuedJob {
  id: string;
  queue: QueueName;
  name: string;
  state: JobState;
  payload: Record<string, unknown>;
  attemptsMade: number;
  attempts: number;
  error: string | undefined;
  createdAt: Date;
  startedAt: Date | undefined;
  finishedAt: Date | undefined;
  /** Approximate time at which a delayed job runs. */
  runsAt: Date | undefined;
  isScheduled: boolean;
}

export interface QueuedJobDetail extends QueuedJob {
  stacks: string[];
  log: string[];
  stalls: number;
  worker: string | undefined;
}

/** Reason why an action on a job was refused. `missing`: the job does not exist, or no longer. */
export type Refusal = "missing" | "active" | "not_failed" | "not_delayed" | "scheduled";

export interface QueueInspector {
  /** The kinds of job of a queue. */
  jobsOf(queue: QueueName): JobName[];
  isPaused(queue: QueueName): Promise<boolean>;
  /** Ids of a state in the order of its list: newest first where they are finished, else the next one first. */
  ids(queue: QueueName, state: JobState, from: number, count: number): Promise<string[]>;
  /** The jobs of some ids, without those that no longer exist or are in another state by now. */
  jobs(queue: QueueName, state: JobState, ids: readonly string[]): Promise<QueuedJob[]>;
  /** Time from which the next waiting job could have run; undefined if none waits. */
  waitingSince(queue: QueueName): Promise<Date | undefined>;
  find(queue: QueueName, id: string): Promise<QueuedJobDetail | undefined>;
  /** Retries a failed job with all of its attempts. */
  retry(queue: QueueName, id: string): Promise<Refusal | undefined>;
  /** Lets a delayed job run now. */
  promote(queue: QueueName, id: string): Promise<Refusal | undefined>;
  remove(queue: QueueName, id: string): Promise<Refusal | undefined>;
  /** No process starts jobs of the queue until it is resumed. Running jobs continue. */
  pause(queue: QueueName): Promise<void>;
  resume(queue: QueueName): Promise<void>;
}

/** Maximum number of lines that are read of a log or of stacks. */
const shownLines = 100;
const shownStacks = 10;
/** Codes with which the engine refuses an action. */
const refusals: Record<number, Refusal> = { [-1]: "missing", [-8]: "scheduled" };

/** `ask` sends one command, within the time limit of a response. */
export function inspectorOf(
  ask: <T>(queue: QueueName, what: string, command: (queue: BackendQueue) => Promise<T>) => Promise<T>,
): QueueInspector {
  const load = (queue: QueueName, id: string) =>
    ask(queue, "reading a job", async (backend) => {
      const job = await backend.getJob(id);
      if (!job) return undefined;
      const state = await backend.getJobState(id);
      return { job, state: jobStates.find((known) => known === asListed(state)) };
    });
  const act = async (
    queue: QueueName,
    id: string,
    check: (state: JobState | undefined, job: Job) => Refusal | undefined,
    work: (job: Job) => Promise<unknown>,
  ): Promise<Refusal | undefined> => {
    const found = await load(queue, id);
    if (!found) return "missing";
    const refusal = check(found.state, found.job);
    if (refusal) return refusal;
    try {
      await ask(queue, "changing a job", () => work(found.job));
      return undefined;
    } catch (error) {
      const known = refusals[Number((error as { code?: unknown }).code)];
      if (known) return known;
      // The job's state changed after it was read: its current state gives the reason.
      const now = await load(queue, id);
      if (!now) return "missing";
      const reason = check(now.state, now.job);
      if (reason) return reason;
      throw error;
    }
  };
  return {
    jobsOf: (queue) => (Object.keys(jobPolicies) as JobName[]).filter((name) => queueOf(name) === queue),
    isPaused: (queue) => ask(queue, "asking whether it is paused", (backend) => backend.isPaused()),
    ids: (queue, state, from, count) =>
      ask(queue, `listing ${state} jobs`, (backend) =>
        backend.getRanges([state], from, from + count - 1, !isFinished(state)),
      ),
    async jobs(queue, state, ids) {
      const found = await ask(queue, "reading jobs", (backend) =>
        Promise.all(ids.map((id) => backend.getJob(id))),
      );
      return found.flatMap((job) => (job && isPlausible(job, state) ? [queuedJob(queue, job, state)] : []));
    },
    async waitingSince(queue) {
      const job = await ask(queue, "reading the next job", async (backend) => {
        const [id] = await backend.getRanges(["waiting"], 0, 0, true);
        return id === undefined ? undefined : backend.getJob(id);
      });
      if (!job) return undefined;
      // A job of a schedule is made long before its time, and one that failed has waited since.
      return new Date(Math.max(job.timestamp + (job.opts.delay ?? 0), job.processedOn ?? 0));
    },
    async find(queue, id) {
      const found = await load(queue, id);
      if (!found?.state) return undefined;
      const { logs } = await ask(queue, "reading a log", (backend) =>
        backend.getJobLogs(id, -shownLines, -1, true),
      );
      const { job, state } = found;
      return {
        ...queuedJob(queue, job, state),
        stacks: (job.stacktrace ?? []).slice(-shownStacks),
        log: logs,
        stalls: job.stalledCounter ?? 0,
        worker: job.processedBy,
      };
    },
    retry: (queue, id) =>
      act(
        queue,
        id,
        (state) => (state === "failed" ? undefined : "not_failed"),
        (job) => job.retry("failed", { resetAttemptsMade: true, resetAttemptsStarted: true }),
      ),
    promote: (queue, id) =>
      act(
        queue,
        id,
        (state) => (state === "delayed" ? undefined : "not_delayed"),
        (job) => job.promote(),
      ),
    remove: (queue, id) =>
      act(
        queue,
        id,
        (state, job) => {
          if (state === "active") return "active";
          return state === "delayed" && job.repeatJobKey !== undefined ? "scheduled" : undefined;
        },
        (job) => job.remove(),
      ),
    pause: (queue) => ask(queue, "pausing", (backend) => backend.pause()),
    resume: (queue) => ask(queue, "resuming", (backend) => backend.resume()),
  };
}

const isFinished = (state: JobState) => state === "failed" || state === "completed";

/** A list and its jobs are read one after the other: a job whose state has since changed must not be listed. */
function isPlausible(job: Job, state: JobState): boolean {
  if (isFinished(state)) return job.finishedOn !== undefined;
  return job.finishedOn === undefined || job.finishedOn === null;
}

/** The engines have different names for waiting jobs. */
function asListed(state: string): string {
  return state === "wait" || state === "prioritized" || state === "paused" ? "waiting" : state;
}

const dateOf = (ms: number | null | undefined) => (ms ? new Date(ms) : undefined);

function queuedJob(queue: QueueName, job: Job, state: JobState): QueuedJob {
  return {
    id: String(job.id),
    queue,
    name: job.name,
    state,
    payload: (job.data ?? {}) as Record<string, unknown>,
    attemptsMade: job.attemptsMade,
    attempts: attemptsOf(job),
    error: job.failedReason || undefined,
    createdAt: new Date(job.timestamp),
    startedAt: dateOf(job.processedOn),
    finishedAt: dateOf(job.finishedOn),
    runsAt: state === "delayed" ? runTimeOf(job) : undefined,
    isScheduled: job.repeatJobKey !== undefined,
  };
}

function attemptsOf(job: Job): number {
  return job.opts.attempts ?? (isJobName(job.name) ? jobPolicies[job.name].attempts : 1);
}

/** A failed job waits since its last attempt, any other since its creation. */
function runTimeOf(job: Job): Date {
  const from = job.attemptsMade > 0 ? (job.processedOn ?? job.timestamp) : job.timestamp;
  return new Date(from + job.delay);
}
