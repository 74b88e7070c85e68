/**
 * Jobs in processes of their own: one that takes too much memory or time ends its process and not the service. A process
 * serves one job at a time and stays for a while, since starting one takes longer than most jobs; it opens the database
 * and the repositories itself, and queues jobs through us.
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
 * An idle process goes after that, and a busy one after so many jobs, with whatever it has gathered. Who edits publishes
 * again within minutes, and should not wait for a start each time.
 */
const idleMs = 5 * 60_000;
const mostRuns = 200;
const closeMs = 3000;
/** Of what it said at last, for the error of a job whose process died. */
const keptWords = 2000;
/** How often the memory of a process is looked at that works. */
const lookMs = 500;

export interface ChildLimits {
  /** Of the process's JavaScript heap. Buffers lie outside it. */
  maxOldSpaceMb: number;
  /** Of all that the process holds, buffers included, where the system tells it (Linux). Default: `residentMb` of the heap's. */
  maxResidentMb?: number;
  /** The process is killed after that, and the job is tried again by its policy. */
  timeoutMs: number;
  /** Kills it before. */
  signal?: AbortSignal;
}

/** As much again for what is read and sent in buffers, and what a process takes before it does anything. */
const residentMb = (maxOldSpaceMb: number) => 2 * maxOldSpaceMb + 256;

/** The process of a job ended before the job did, or took too long. The job may be tried again. */
export class ChildProcessError extends Error {
  /** `child_cancelled`: by the caller's signal, or because its worker is ending. The others are the job's own fault. */
  readonly code: "child_timeout" | "child_out_of_memory" | "child_ended" | "child_cancelled";
  /** False where another try of the job is no help; see `isPermanent`. */
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
  words: string;
  /** It said so itself, before a trace that may be longer than the words that are kept. */
  isOutOfMemory: boolean;
  /** It took so much memory that the next job should not find what is left of it. */
  isSwollen: boolean;
  /** Why it was killed. */
  reason: ChildProcessError | undefined;
  /** What it does, or did last, with all that follows from its death; never rejects. */
  work: Promise<unknown>;
  /** From the moment that it is to end: it takes no job any more. */
  ending: Promise<void> | undefined;
}

const pools = new WeakMap<App, Set<Child>>();

/**
 * Runs a job of `child-jobs.ts` in a process of its own and resolves to what it answers. Throws the job's own error, with
 * `code`, `retryable` and `retryAfterMs`, or a ChildProcessError. `onDeath` takes up what a process left that died: it is
 * called once the process is gone, and whoever closes the processes waits for it.
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

/** Ends every process of the app, idle ones in order, those that work at once; and ends with what follows from that. */
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
  const beside = fileURLToPath(new URL(`./job-child${extname(import.meta.url)}`, import.meta.url));
  // What we were started with may be a loader of sources, which built files do without.
  const flags = app.jobProgram === undefined ? process.execArgv : [];
  const started = fork(app.jobProgram ?? beside, [], {
    execArgv: [
      ...flags.filter((flag) => !/^--(inspect|test|max-old-space-size)/.test(flag)),
      `--max-old-space-size=${maxOldSpaceMb}`,
    ],
    // Its log is ours; what it says beyond that is told if it dies.
    stdio: ["ignore", "inherit", "pipe", "ipc"],
    serialization: "advanced",
  });
  const child: Child = {
    process: started,
    maxOldSpaceMb,
    isBusy: true,
    runs: 0,
    idle: undefined,
    words: "",
    isOutOfMemory: false,
    isSwollen: false,
    reason: undefined,
    work: Promise.resolve(),
    ending: undefined,
  };
  started.stderr?.setEncoding("utf8").on("data", (text: string) => {
    const words = child.words + text;
    child.isOutOfMemory ||= /heap out of memory|allocation failed/i.test(words);
    child.words = words.slice(-keptWords);
  });
  started.on("message", (message: FromChild) => {
    if (message.kind === "enqueue") void enqueueFor(app, child, message);
  });
  // A message to a process that has just died; its end is told by `exit`.
  started.on("error", () => undefined);
  poolOf(app).add(child);
  started.once("exit", () => {
    clearTimeout(child.idle);
    poolOf(app).delete(child);
  });
  return child;
}

/** A job that a job queues: the connection to the queue is ours alone. */
async function enqueueFor(app: App, child: Child, asked: FromChild & { kind: "enqueue" }): Promise<void> {
  let error: string | undefined;
  try {
    // The catalogue's types were checked where it was called.
    await app.queue.enqueue(asked.name, asked.payload as JobPayloads[JobName], asked.options);
  } catch (thrown) {
    error = (thrown as Error).message;
  }
  tell(child, { kind: "queued", id: asked.id, ...(error === undefined ? {} : { error }) });
}

function tell(child: Child, message: ToChild): void {
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
  const look = setInterval(() => {
    void residentMbOf(child).then((mb) => {
      if (mb > maxResidentMb / 2) child.isSwollen = true;
      if (mb > maxResidentMb && !ended.signal.aborted) kill(child, outOfMemory(name, maxResidentMb));
      return undefined;
    });
  }, lookMs);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const outcome = new Promise<ChildResults[K]>((resolve, reject) => {
      const onMessage = (message: FromChild) => {
        if (message.kind === "done") resolve(message.result as ChildResults[K]);
        else if (message.kind === "failed") reject(receive(message.error));
      };
      // Not `exit`: what it said last may come after that.
      const onClose = (code: number | null, exitSignal: string | null) =>
        reject(child.reason ?? endOf(name, child, code, exitSignal));
      child.process.on("message", onMessage);
      child.process.once("close", onClose);
      ended.signal.addEventListener("abort", () => {
        child.process.off("message", onMessage);
        child.process.off("close", onClose);
      });
    });
    const place = { config: app.config, mongodbUrl: app.storage.database.url };
    tell(child, { kind: "run", name, payload, place });
    return await outcome;
  } finally {
    clearTimeout(timer);
    clearInterval(look);
    signal?.removeEventListener("abort", cancel);
    ended.abort();
  }
}

/** 0 where the system does not tell. */
async function residentMbOf({ process: { pid } }: Child): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "latin1").catch(() => "");
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

const cancelled = (name: string) =>
  new ChildProcessError("child_cancelled", `${name} was stopped: its worker is ending`);

const outOfMemory = (name: string, mb: number) =>
  new ChildProcessError(
    "child_out_of_memory",
    `${name} needs more than the ${mb} MB of memory that it may have`,
  );

function endOf(name: string, child: Child, code: number | null, signal: string | null): ChildProcessError {
  if (child.isOutOfMemory) return outOfMemory(name, child.maxOldSpaceMb);
  const words = child.words.trim();
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  return new ChildProcessError(
    "child_ended",
    `The process of ${name} ended before its work (${how})${words === "" ? "" : `: ${words.slice(-500)}`}`,
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
  // An idle process keeps ours from nothing.
  child.process.unref();
  child.process.channel?.unref();
}

/** From the call on it takes no job, so that none begins in a process that is about to close. */
function end(child: Child): Promise<void> {
  return (child.ending ??= endNow(child));
}

async function endNow(child: Child): Promise<void> {
  clearTimeout(child.idle);
  if (!isAlive(child)) return;
  const gone = once(child.process, "exit");
  child.process.ref();
  if (child.isBusy) kill(child, cancelled("a job"));
  else tell(child, { kind: "close" });
  const timer = setTimeout(() => child.process.kill("SIGKILL"), closeMs);
  await gone;
  clearTimeout(timer);
}
