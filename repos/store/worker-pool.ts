/** Runs large jobs in worker threads, up to a maximum number concurrently; the others wait in order. */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { RepoError } from "../errors.ts";
import { receiveError, type WorkerAnswer, type WorkerJob, type WorkerResults } from "./worker-jobs.ts";

/** Content above this size in bytes is packed and zipped in a worker thread. */
export const threadBytes = 16 * 1024 * 1024;
const heapMegabytes = 256;

export class WorkerPool {
  readonly #threads: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(threads: number) {
    this.#threads = threads;
  }

  async run<K extends WorkerJob["kind"]>(job: WorkerJob & { kind: K }): Promise<WorkerResults[K]> {
    if (this.#running >= this.#threads) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return (await runInThread(job)) as WorkerResults[K];
    } finally {
      // The slot is handed to the next job, not released, so that no job overtakes the queue.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}

/** The thread's file has the same extension as this one: compiled or source. */
function startThread(job: WorkerJob): Worker {
  const file = new URL(`./worker-thread${extname(import.meta.url)}`, import.meta.url);
  const options = { workerData: job, resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } };
  if (extname(import.meta.url) !== ".ts") return new Worker(file, options);
  // On Node 20 a loader does not apply to threads, so a thread that runs from source registers its own.
  const loader = import.meta.resolve("tsx/esm/api");
  const start = `import(${JSON.stringify(loader)}).then((loader) => { loader.register(); return import(${JSON.stringify(file.href)}); })`;
  return new Worker(start, { ...options, eval: true });
}

function runInThread(job: WorkerJob): Promise<WorkerResults[keyof WorkerResults]> {
  return new Promise((resolve, reject) => {
    const worker = startThread(job);
    worker.once("message", (answer: WorkerAnswer) => {
      if ("result" in answer) resolve(answer.result);
      else reject(receiveError(answer.error));
    });
    worker.once("error", (error) => {
      reject(new RepoError("storage_unavailable", "a worker thread failed", { cause: error }));
    });
    // Has no effect after a message.
    worker.once("exit", () => reject(new RepoError("storage_unavailable", "a worker thread ended early")));
  });
}
