/** Starts the consumers of every queue and the repeating jobs. */
import type { App } from "../src/app.ts";
import type { Consumers } from "../src/queue/index.ts";
import { processors } from "./processors.ts";

const hourMs = 3_600_000;
const concurrency = 2;
/** Past the locks of the last process (10 s), and past the age at which reconciling takes a document up. */
const secondLookMs = 15_000;

export async function startWorkers(app: App): Promise<Consumers> {
  const consumers = app.queue.startConsumers(processors(app), { concurrency });
  await app.queue.upsertSchedule("upkeep.reconcile", {}, { everyMs: hourMs });
  await app.queue.upsertSchedule("upkeep.purge", {}, { everyMs: hourMs / 4 });
  // What the last process left half done should not wait for the hour; what it left just now is still too young, and
  // its locks are not yet known to be nobody's.
  await app.queue.enqueue("upkeep.reconcile", {});
  await app.queue.enqueue("upkeep.reconcile", {}, { delayMs: secondLookMs });
  return consumers;
}
