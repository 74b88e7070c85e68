/** Entry of a job process (`children.ts`): opens its own app at the first job, and ends with its parent. */
import os from "node:os";
import { traced, traceparent } from "../contract/observation.ts";
import { killGitProcesses } from "../repos/git-process.ts";
import type { App } from "../src/app.ts";
import { openLog } from "../src/log.ts";
import { openRelay } from "../src/metrics/relay.ts";
import { type OpenedApp, openApp } from "../src/open.ts";
import type { Queue } from "../src/queue/index.ts";
import { observeBy } from "../src/tracing/observe-process.ts";
import { type ChildJobName, type ChildPayloads, childJobs } from "./child-jobs.ts";
import { type FromChild, sendable, type ToChild } from "./child-protocol.ts";

// Requests come before jobs. A system that refuses runs both at the same priority.
try {
  os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);
} catch {}

let opened: Promise<OpenedApp> | undefined;
let sendSpans: (() => Promise<void>) | undefined;
let asked = 0;
const waiting = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();

const tell = (message: FromChild) => process.send?.(message, undefined, undefined, () => undefined);

const relay = openRelay((observations) => tell({ kind: "observed", observations }));

process.on("message", (message: ToChild) => {
  if (message.kind === "run") void run(message);
  else if (message.kind === "queued") answered(message);
  else void close();
});
// Ctrl-C reaches every process of a terminal; job processes are ended by their parent as it drains.
process.on("SIGINT", () => undefined);
// Without the parent, the result has no receiver. Another worker runs the job again.
process.on("disconnect", endProcess);

async function run({ name, payload, services, traceparent: from }: ToChild & { kind: "run" }): Promise<void> {
  try {
    opened ??= open(services);
    const { app } = await opened.catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    // The map ties each name to its payload type, which the compiler can't infer for a name known only at run time.
    const job = childJobs[name] as (app: App, payload: ChildPayloads[ChildJobName]) => Promise<unknown>;
    const describe = () => ({ name: `process of ${name}`, attributes: {}, hasFailed: false });
    const result = await traced({ kind: "job", traceparent: from, describe }, () => job(app, payload));
    relay.flush();
    tell({ kind: "done", result });
  } catch (error) {
    relay.flush();
    tell({ kind: "failed", error: sendable(error) });
  }
}

async function open(services: (ToChild & { kind: "run" })["services"]): Promise<OpenedApp> {
  const { config } = services;
  const metrics = config.metricsPort === undefined ? undefined : relay.observer;
  sendSpans = await observeBy(config, metrics, { version: "", part: "job" });
  return openApp({ ...services, log: openLog(config.logLevel), queue: queueOfParent });
}

function answered({ id, error }: ToChild & { kind: "queued" }): void {
  const one = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) one?.resolve();
  else one?.reject(new Error(error));
}

async function close(): Promise<void> {
  const app = await opened?.catch(() => undefined);
  await app?.close().catch(() => undefined);
  await sendSpans?.().catch(() => undefined);
  endProcess();
}

function endProcess(): void {
  killGitProcesses();
  process.kill(process.pid, "SIGKILL");
}

const refuse = () => Promise.reject(new Error("a job process may only add jobs to the queue"));

const queueOfParent: Queue = {
  kind: "embedded",
  enqueue: (name, payload, options) =>
    new Promise((resolve, reject) => {
      const id = asked++;
      waiting.set(id, { resolve, reject });
      const traceOf = traceparent();
      tell({ kind: "enqueue", id, name, payload, options: { traceparent: traceOf, ...options } });
    }),
  upsertSchedule: refuse,
  removeSchedule: refuse,
  adoptRenamedJobs: refuse,
  counts: refuse,
  get inspector(): never {
    throw new Error("a job process may not inspect the queue");
  },
  startConsumers: () => {
    throw new Error("a job process may not run consumers");
  },
  close: async () => {},
};
