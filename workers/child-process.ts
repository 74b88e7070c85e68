/** The process of jobs: its start, its messages and its state. */
import { type ChildProcess, fork } from "node:child_process";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { App } from "../src/app.ts";
import { countRelayed } from "../src/metrics/relay.ts";
import type { JobName, JobPayloads } from "../src/queue/jobs.ts";
import type { ChildProcessError } from "./child-error.ts";
import type { FromChild, ToChild } from "./child-protocol.ts";

/** Characters of stderr kept for the error of a job whose process died. */
const keptOutput = 2000;

export interface Child {
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
  /** Reason why it was killed. */
  reason: ChildProcessError | undefined;
  /** The current or last job, including the handling of its process's death; never rejects. */
  work: Promise<unknown>;
  /** Set once the process is asked to end: it takes no further jobs. */
  ending: Promise<void> | undefined;
}

export function startChild(app: App, maxOldSpaceMb: number): Child {
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
    else if (message.kind === "observed") countRelayed(message.observations);
  });
  // Raised by a message to a process that has just died; `exit` handles its end.
  started.on("error", () => undefined);
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
  send(child, { kind: "queued", id: asked.id, error });
}

export function send(child: Child, message: ToChild): void {
  if (child.process.connected) child.process.send(message, () => undefined);
}

/** `why`: the error of the current job. */
export function kill(child: Child, why: ChildProcessError): void {
  child.reason ??= why;
  child.process.kill("SIGKILL");
}

/** Resident memory in MB; 0 if the system does not report it. */
export async function residentMbOf({ process: { pid } }: Child): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "latin1").catch(() => "");
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

export const isAlive = ({ process: { exitCode, signalCode, connected } }: Child) =>
  exitCode === null && signalCode === null && connected;
