/** Starts the consumers of every queue and the repeating jobs. */
import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../src/app.ts";
import { openRunCounter } from "../src/jobs/metrics.ts";
import { type Consumers, queueConcurrency, QueueUnavailableError } from "../src/queue/index.ts";
import { closeChildren } from "./children.ts";
import { processors } from "./processors.ts";
import { schedule } from "./schedule.ts";

/** Longer than the locks of the last process (10 s) and than the age at which documents are reconciled. */
const secondLookMs = 15_000;

const retryMs = 1000;

/** Retries while the queue does not respond in time: load delays the start, but does not abort it. */
async function untilQueued(app: App, add: () => Promise<void>): Promise<void> {
  for (;;)
    try {
      return await add();
    } catch (error) {
      if (!(error instanceof QueueUnavailableError)) throw error;
      app.log.warn({ error }, "the job queue does not respond yet, retrying");
      await sleep(retryMs);
    }
}

/** Resolves once jobs are consumed. `close` takes no more, waits for running jobs, and ends job processes. */
export async function startWorkers(app: App): Promise<Consumers> {
  const counter = openRunCounter(app);
  const consumers = app.queue.startConsumers(processors(app), {
    concurrency: { ...queueConcurrency, sync: app.config.syncConcurrency },
    observe: (run) => counter.count(run),
  });
  await untilQueued(app, () => schedule(app));
  // Interrupted work should not wait for the hourly run. The most recent is still too young, and its locks are not yet
  // stale, so a second run follows. Each is queued once, no matter how often processes start.
  await untilQueued(app, () => app.queue.enqueue("maintenance.reconcile", {}, { jobId: "start" }));
  const later = { jobId: "second-look", retime: true, delayMs: secondLookMs };
  await untilQueued(app, () => app.queue.enqueue("maintenance.reconcile", {}, later));
  return {
    async close() {
      await consumers.close();
      await closeChildren(app);
      await counter.close();
    },
  };
}
