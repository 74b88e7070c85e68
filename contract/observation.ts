/**
 * Operations that metrics and traces measure. A process that measures registers an observer; in any other, an operation
 * costs one comparison. Labels take few values: never ids, names of skills or addresses.
 */

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
}
export type CountName = keyof CountLabels;

/** `objects`: Git objects in memory; `packs`: copies of an object store's packs; `zips`: zips of versions. */
export type CacheName = "objects" | "packs" | "zips";

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
