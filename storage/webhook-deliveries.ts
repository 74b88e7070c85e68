/** Processed webhook deliveries, by the host's id, so that a repeated one does nothing. */
import type { IndexDescription } from "mongodb";
import type { Database } from "./database.ts";
import { insertOnce } from "./outbox.ts";
import { removeSlice } from "./slices.ts";

export interface WebhookDeliveryDoc {
  /** `host:delivery id`. */
  _id: string;
  at: Date;
}

export const webhookDeliveryIndexes: IndexDescription[] = [{ key: { at: 1 } }];

export type WebhookDeliveries = ReturnType<typeof openWebhookDeliveries>;

export function openWebhookDeliveries(database: Database) {
  const deliveries = database.collection<WebhookDeliveryDoc>("webhook_deliveries");
  return {
    isTaken: async (id: string): Promise<boolean> => (await deliveries.findOne({ _id: id })) !== null,
    record: (id: string, at: Date) => insertOnce(deliveries, [{ _id: id, at }]),
    removeBefore: (date: Date) => removeSlice(deliveries, { at: { $lt: date } }),
  };
}
