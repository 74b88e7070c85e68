/**
 * Operations that metrics and traces measure. A process that measures registers an observer; in any other, an operation
 * costs one comparison. Labels take few values: never ids, names of skills or addresses.
 */

import type { ScanVerdict } from "./scan/report.ts";

export const publishStages = ["resolve", "read", "write", "record", "project"] as const;
export type PublishStage = (typeof publishStages)[number];

/** Labels of each kind of operation. */
export interface OperationLabels {
  database: { collection: string; command: string };
  objectStore: { operation: string };
  publish: { stage: PublishStage };
  git: { command: string };
  mail: { transport: "smtp" | "file" };
  job: { job: string };
  sync: Record<string, never>;
}
export type OperationKind = keyof OperationLabels;

/** Labels of each count. */
export interface CountLabels {
  cacheRequests: { cache: CacheName; result: "hit" | "miss" };
  cacheReadBytes: { cache: CacheName };
  cacheWrittenBytes: { cache: CacheName };
  packs: { reason: "publish" | "merge" };
  packBytes: { reason: "publish" | "merge" };
  objectStoreBytes: { direction: "sent" | "received" };
  signIns: { method: string; outcome: "succeeded" | "failed" | "limited" };
  downloads: { client: string };
  jobRuns: { job: string; outcome: "completed" | "failed" | "retried" };
  syncs: { outcome: string };
  scans: { verdict: ScanVerdict };
  webhookAttempts: { outcome: "delivered" | "failed" };
}
export type CountName = keyof CountLabels;

/** `objects`: Git objects in memory; `packs`: copies of an object store's packs; `zips`: zips of versions. */
export type CacheName = "objects" | "packs" | "zips";

/** A request or a job: the beginning of a trace, or its continuation from another process. */
export interface TracedWork {
  kind: "request" | "job";
  /** The header `traceparent` of what it continues. */
  traceparent: string | undefined;
  /** Called at its end. */
  describe(): { name: string; attributes: Record<string, string | number>; hasFailed: boolean };
}

export interface Observer {
  /** Runs an operation, measures it, and returns its result or throws its error. */
  run<K extends OperationKind, T>(kind: K, labels: OperationLabels[K], work: () => Promise<T>): Promise<T>;
  /** Records an operation that has just ended. */
  ended<K extends OperationKind>(
    kind: K,
    labels: OperationLabels[K],
    seconds: number,
    hasFailed: boolean,
  ): void;
  count<K extends CountName>(name: K, labels: CountLabels[K], by: number): void;
  /** Runs the work of a request or job as a part of a trace. Absent without traces, as is the next one. */
  begin?<T>(traced: TracedWork, work: () => Promise<T>): Promise<T>;
  /** The header by which another process continues the trace of what runs now. */
  traceparent?(): string | undefined;
}

/** The `run` of an observer that only takes the time. */
export function timedBy(ended: Observer["ended"]): Observer["run"] {
  return async (kind, labels, work) => {
    const started = performance.now();
    let hasFailed = true;
    try {
      const result = await work();
      hasFailed = false;
      return result;
    } finally {
      ended(kind, labels, (performance.now() - started) / 1000, hasFailed);
    }
  };
}

let observer: Observer | undefined;

/** Registers the observer of this process, or removes it. */
export function observeWith(given: Observer | undefined): void {
  observer = given;
}

export const isObserved = (): boolean => observer !== undefined;

/** Runs an operation, measured if the process measures. */
export function measured<K extends OperationKind, T>(
  kind: K,
  labels: OperationLabels[K],
  work: () => Promise<T>,
): Promise<T> {
  return observer === undefined ? work() : observer.run(kind, labels, work);
}

/** Records an operation that has just ended. */
export function noteEnded<K extends OperationKind>(
  kind: K,
  labels: OperationLabels[K],
  seconds: number,
  hasFailed: boolean,
): void {
  observer?.ended(kind, labels, seconds, hasFailed);
}

export function noteCount<K extends CountName>(name: K, labels: CountLabels[K], by = 1): void {
  observer?.count(name, labels, by);
}

/** Runs the work of a request or job, as a part of a trace if there are traces. */
export function traced<T>(given: TracedWork, work: () => Promise<T>): Promise<T> {
  return observer?.begin === undefined ? work() : observer.begin(given, work);
}

/** The header by which another process continues the trace of what runs now; undefined without traces. */
export const traceparent = (): string | undefined => observer?.traceparent?.();
