/** Completion of interrupted changes to the documents of a collection, and of the flush of their events. */
import type { App } from "../../src/app.ts";
import { publishEvents, type OutboxCollection } from "../../src/audit/events.ts";
import { repairEach } from "./repair-each.ts";

const batch = 100;

/** A document with events in its outbox. */
interface OutboxDocument {
  _id: string;
  outbox?: Parameters<typeof publishEvents>[3];
}

interface OutboxSource<T> extends OutboxCollection {
  listUnflushed(before: Date, limit: number): Promise<T[]>;
}

/**
 * Completes the change of each interrupted document, then flushes its events to the log. `before`: documents changed
 * earlier are no longer being written by a live process.
 */
export async function flushOutboxes<T extends OutboxDocument>(
  app: App,
  collection: OutboxSource<T>,
  before: Date,
  follow?: (document: T) => Promise<void>,
): Promise<void> {
  await repairEach(
    app,
    batch,
    (limit) => collection.listUnflushed(before, limit),
    async (document) => {
      await follow?.(document);
      await publishEvents(app, collection, document._id, document.outbox ?? []);
    },
  );
}
