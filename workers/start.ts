/** Starts the consumers of every queue and the repeating jobs. */
import type { App } from "../src/app.ts";
import { openRunCounter } from "../src/jobs/metrics.ts";
import { type Consumers, queueConcurrency } from "../src/queue/index.ts";
import { closeChildren } from "./children.ts";
import { processors } from "./processors.ts";
import { schedule } from "./schedule.ts";

/** Past the locks of the last process (10 s), and past the age at which reconciling takes a document up. */
const secondLookMs = 15_000;

/** Resolves when jobs are taken. `close` takes no more, waits for those in flight, and ends job processes. */
export async function startWorkers(app: App): Promise<Consumers> {
  const counter = openRunCounter(app);
  const consumers = app.queue.startConsumers(processors(app), {
    concurrency: queueConcurrency,
    observe: (run) => counter.count(run),
  });
  await schedule(app);
  // What the last process left half done should not wait for the hour; what it left just now is still too young, and
  // its locks are not yet known to be nobody's. However often we start, each is queued once.
  await app.queue.enqueue("upkeep.reconcile", {}, { jobId: "start" });
  const later = { jobId: "second-look", retime: true, delayMs: secondLookMs };
  await app.queue.enqueue("upkeep.reconcile", {}, later);
  return {
    async close() {
      await consumers.close();
      await closeChildren(app);
      await counter.close();
    },
  };
}
