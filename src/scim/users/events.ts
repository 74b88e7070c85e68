/** Events of provisioned users. Those of a burst are published together, which takes less of the database's time. */
import { openBatches } from "../../../storage/batches/open-batches.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { App } from "../../app.ts";
import { recordEvents } from "../../audit/fan-out.ts";
import { perApp } from "../../per-app.ts";

/** Time in which events are collected. */
const collectMs = 100;

interface Published {
  id: string;
  event: EventRow;
  resolve(): void;
  reject(error: unknown): void;
}

const batchOf = perApp((app) =>
  openBatches<Published>(async (all) => {
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
  }, collectMs),
);

/** Publishes the event of a user's document soon, without delaying the response. */
export function flushUserEvent(app: App, id: string, event: EventRow): void {
  const add = batchOf(app);
  app.background(
    "publish audit events",
    () => new Promise<void>((resolve, reject) => add({ id, event, resolve, reject })),
  );
}
