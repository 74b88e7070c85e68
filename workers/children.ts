/**
 * Runs jobs in child processes: a job that takes too much memory or time ends its process and not the service. A process
 * runs one job at a time and is kept for reuse, since starting one takes longer than most jobs; it opens the database and
 * the repositories itself, and queues jobs through its parent.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

import type { App } from "../src/app.ts";
import type { JobName, JobPayloads } from "../src/queue/jobs.ts";
import type { ChildJobName, ChildPayloads, ChildResults } from "./child-jobs.ts";
import { type FromChild, receive, type ToChild } from "./child-protocol.ts";

/**
 * A process ends after this idle time, or after this number of jobs. Authors publish again within minutes and should not
 * wait for a start each time.
 */
const idleMs = 5 * 60_000;
const mostRuns = 200;
const closeMs = 3000;
/** Characters of stderr kept for the error of a job whose process died. */
const keptOutput = 2000;
/** Interval of memory checks of a busy process. */
const memoryCheckMs = 500;

export interface ChildLimits {
  /** Limit of the process's JavaScript heap, which excludes buffers. */
  maxOldSpaceMb: number;
  /** Limit of resident memory, buffers included, on Linux. Default: `residentMb` of the heap limit. */
  maxResidentMb?: number;
  /** The process is killed after this time, and the job is retried by its policy. */
  timeoutMs: number;
  /** Kills the process earlier. */
  signal?: AbortSignal;
}

/** Twice the heap, for buffers, plus the memory of an idle process. */
const residentMb = (maxOldSpaceMb: number) => 2 * maxOldSpaceMb + 256;

/** The process of a job ended before the job did, or took too long. The job may be retried. */
export class ChildProcessError extends Error {
  /** `child_cancelled`: by the caller's signal, or because its worker is ending. The others are caused by the job. */
  readonly code: "child_timeout" | "child_out_of_memory" | "child_ended" | "child_cancelled";
  /** False if a retry can't help; see `isPermanent`. */
  retryable?: boolean;

  constructor(code: ChildProcessError["code"], message: string) {
    super(message);
    this.name = "ChildProcessError";
    this.code = code;
  }
}

interface Child {
  process: ChildProcess;
  maxOldSpaceMb: number;
  isBusy: boolean;
  runs: number;
  idle: NodeJS.Timeout | undefined;
  output: string;
  /** Set from stderr as it arrives: the trace that follows may be longer than the output that is kept. */
  isOutOfMemory: boolean;
  /** Whether it used so much memory that it must not run another job. */
  isSwollen: boolean;
  /** Why it was killed. */
  reason: ChildProcessError | undefined;
  /** The current or last job, including the handling of its process's death; never rejects. */
  work: Promise<unknown>;
  /** Set once the process is asked to end: it takes no further jobs. */
  ending: Promise<void> | undefined;
}

const pools = new WeakMap<App, Set<Child>>();

/**
 * Runs a job of `child-jobs.ts` in a child process and resolves to its result. Throws the job's own error, with `code`,
 * `retryable` and `retryAfterMs`, or a ChildProcessError. `onDeath` cleans up after a process that died: it is called
 * once the process has exited, and `closeChildren` waits for it.
 */
export async function runInChild<K extends ChildJobName>(
  app: App,
  name: K,
  payload: ChildPayloads[K],
  limits: ChildLimits,
  onDeath?: (error: ChildProcessError) => Promise<void>,
): Promise<ChildResults[K]> {
  if (limits.signal?.aborted) throw cancelled(name);
  const child = takeChild(app, limits.maxOldSpaceMb);
  const work = (async () => {
    try {
      return await runOn(app, child, name, payload, limits);
    } catch (error) {
      if (error instanceof ChildProcessError) await onDeath?.(error);
      throw error;
    } finally {
      giveBack(app, child);
    }
  })();
  child.work = work.catch(() => undefined);
  return work;
}

/** Ends every process of the app: idle ones gracefully, busy ones at once. Waits for their `onDeath`. */
export async function closeChildren(app: App): Promise<void> {
  await Promise.all(
    [...poolOf(app)].map(async (child) => {
      await end(child);
      await child.work;
    }),
  );
}

function poolOf(app: App): Set<Child> {
  let pool = pools.get(app);
  if (!pool) pools.set(app, (pool = new Set()));
  return pool;
}

function takeChild(app: App, maxOldSpaceMb: number): Child {
  for (const child of poolOf(app)) {
    if (child.isBusy || child.ending || child.maxOldSpaceMb !== maxOldSpaceMb || !isAlive(child)) continue;
    child.isBusy = true;
    clearTimeout(child.idle);
    child.process.ref();
    child.process.channel?.ref();
    return child;
  }
  return startChild(app, maxOldSpaceMb);
}

function startChild(app: App, maxOldSpaceMb: number): Child {
  const program = fileURLToPath(new URL(`./job-child${extname(import.meta.url)}`, import.meta.url));
  // The parent's flags may include a loader for sources, which the built program does not need.
  const flags = app.jobProgram === undefined ? process.execArgv : [];
  const started = fork(app.jobProgram ?? program, [], {
    execArgv: [
      ...flags.filter((flag) => !/^--(inspect|test|max-old-space-size)/.test(flag)),
      `--max-old-space-size=${maxOldSpaceMb}`,
    ],
    // Its log goes to our stdout; its stderr is reported only if it dies.
    stdio: ["ignore", "inherit", "pipe", "ipc"],
    serialization: "advanced",
  });
  const child: Child = {
    process: started,
    maxOldSpaceMb,
    isBusy: true,
    runs: 0,
    idle: undefined,
    output: "",
    isOutOfMemory: false,
    isSwollen: false,
    reason: undefined,
    work: Promise.resolve(),
    ending: undefined,
  };
  started.stderr?.setEncoding("utf8").on("data", (text: string) => {
    const output = child.output + text;
    child.isOutOfMemory ||= /heap out of memory|allocation failed/i.test(output);
    child.output = output.slice(-keptOutput);
  });
  started.on("message", (message: FromChild) => {
    if (message.kind === "enqueue") void enqueueFor(app, child, message);
  });
  // Raised by a message to a process that has just died; `exit` handles its end.
  started.on("error", () => undefined);
  poolOf(app).add(child);
  started.once("exit", () => {
    clearTimeout(child.idle);
    poolOf(app).delete(child);
  });
  return child;
}

/** Queues a job on behalf of a child: only the parent is connected to the queue. */
async function enqueueFor(app: App, child: Child, asked: FromChild & { kind: "enqueue" }): Promise<void> {
  let error: string | undefined;
  try {
    // The payload's type was checked where the child called it.
    await app.queue.enqueue(asked.name, asked.payload as JobPayloads[JobName], asked.options);
  } catch (thrown) {
    error = (thrown as Error).message;
  }
  send(child, { kind: "queued", id: asked.id, ...(error === undefined ? {} : { error }) });
}

function send(child: Child, message: ToChild): void {
  if (child.process.connected) child.process.send(message, () => undefined);
}

function kill(child: Child, why: ChildProcessError): void {
  child.reason ??= why;
  child.process.kill("SIGKILL");
}

async function runOn<K extends ChildJobName>(
  app: App,
  child: Child,
  name: K,
  payload: ChildPayloads[K],
  { timeoutMs, signal, maxOldSpaceMb, maxResidentMb = residentMb(maxOldSpaceMb) }: ChildLimits,
): Promise<ChildResults[K]> {
  const ended = new AbortController();
  const cancel = () => kill(child, cancelled(name));
  const timer = setTimeout(
    () =>
      kill(child, new ChildProcessError("child_timeout", `${name} took longer than ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  const memoryCheck = setInterval(() => {
    void residentMbOf(child).then((mb) => {
      if (mb > maxResidentMb / 2) child.isSwollen = true;
      if (mb > maxResidentMb && !ended.signal.aborted) kill(child, outOfMemory(name, maxResidentMb));
      return undefined;
    });
  }, memoryCheckMs);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const outcome = new Promise<ChildResults[K]>((resolve, reject) => {
      const onMessage = (message: FromChild) => {
        if (message.kind === "done") resolve(message.result as ChildResults[K]);
        else if (message.kind === "failed") reject(receive(message.error));
      };
      // Not `exit`: the last output may arrive after it.
      const onClose = (code: number | null, exitSignal: string | null) =>
        reject(child.reason ?? endOf(name, child, code, exitSignal));
      child.process.on("message", onMessage);
      child.process.once("close", onClose);
      ended.signal.addEventListener("abort", () => {
        child.process.off("message", onMessage);
        child.process.off("close", onClose);
      });
    });
    const services = { config: app.config, mongodbUrl: app.storage.database.url };
    send(child, { kind: "run", name, payload, services });
    return await outcome;
  } finally {
    clearTimeout(timer);
    clearInterval(memoryCheck);
    signal?.removeEventListener("abort", cancel);
    ended.abort();
  }
}

/** 0 if the system does not report it. */
async function residentMbOf({ process: { pid } }: Child): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "latin1").catch(() => "");
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

const cancelled = (name: string) =>
  new ChildProcessError("child_cancelled", `${name} was interrupted: its worker is ending`);

const outOfMemory = (name: string, mb: number) =>
  new ChildProcessError("child_out_of_memory", `${name} exceeded its memory limit of ${mb} MB`);

function endOf(name: string, child: Child, code: number | null, signal: string | null): ChildProcessError {
  if (child.isOutOfMemory) return outOfMemory(name, child.maxOldSpaceMb);
  const output = child.output.trim();
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  return new ChildProcessError(
    "child_ended",
    `The process of ${name} ended before its work (${how})${output === "" ? "" : `: ${output.slice(-500)}`}`,
  );
}

const isAlive = ({ process: { exitCode, signalCode, connected } }: Child) =>
  exitCode === null && signalCode === null && connected;

function giveBack(app: App, child: Child): void {
  child.isBusy = false;
  child.runs++;
  if (child.ending || !isAlive(child)) return;
  if (child.runs >= mostRuns || child.isSwollen) return app.background("end a job process", () => end(child));
  child.idle = setTimeout(() => app.background("end a job process", () => end(child)), idleMs).unref();
  // An idle child must not keep the parent alive.
  child.process.unref();
  child.process.channel?.unref();
}

/** Takes no further job from now on, so that none starts in a process that is about to close. */
function end(child: Child): Promise<void> {
  return (child.ending ??= endNow(child));
}

async function endNow(child: Child): Promise<void> {
  clearTimeout(child.idle);
  if (!isAlive(child)) return;
  const gone = once(child.process, "exit");
  child.process.ref();
  if (child.isBusy) kill(child, cancelled("a job"));
  else send(child, { kind: "close" });
  const timer = setTimeout(() => child.process.kill("SIGKILL"), closeMs);
  await gone;
  clearTimeout(timer);
}
