/** Events of provisioned users. Those of a burst are published together, which takes less of the database's time. */
import { openBatches } from "../../../storage/batches/open-batches.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { App } from "../../app.ts";
import { recordEvents } from "../../audit/fan-out.ts";

/** Time in which events are collected. */
const collectMs = 100;

interface Published {
  id: string;
  event: EventRow;
  resolve(): void;
  reject(error: unknown): void;
}

const batches = new WeakMap<App, (one: Published) => void>();

/** Publishes the event of a user's document soon, without delaying the response. */
export function flushUserEvent(app: App, id: string, event: EventRow): void {
  let add = batches.get(app);
  if (!add) batches.set(app, (add = openBatch(app)));
  const adding = add;
  app.background(
    "publish audit events",
    () => new Promise<void>((resolve, reject) => adding({ id, event, resolve, reject })),
  );
}

function openBatch(app: App): (one: Published) => void {
  return openBatches<Published>(async (all) => {
    try {
      await recordEvents(
        app,
        all.map(({ event }) => event),
      );
      await app.storage.scimUsers.clearOutboxes(all.map(({ id, event }) => ({ id, eventIds: [event._id] })));
      return () => {
        for (const { resolve } of all) resolve();
      };
    } catch (error) {
      return () => {
        for (const { reject } of all) reject(error);
      };
    }
  }, collectMs);
}
