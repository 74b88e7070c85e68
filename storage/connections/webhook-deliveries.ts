/** Processed webhook deliveries, by the host's id, so that a repeated one does nothing. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { removeSlice } from "../maintenance/slices.ts";
import { insertOnce } from "../outbox.ts";

export interface WebhookDeliveryDoc {
  /** `host:delivery id`. */
  _id: string;
  at: Date;
}

export const webhookDeliveriesCollection = defineCollection({
  name: "webhook_deliveries",
  indexes: [{ key: { at: 1 } }],
  open: (deliveries: Collection<WebhookDeliveryDoc>) => ({
    isTaken: async (id: string): Promise<boolean> => (await deliveries.findOne({ _id: id })) !== null,
    record: (id: string, at: Date) => insertOnce(deliveries, [{ _id: id, at }]),
    removeBefore: (date: Date) => removeSlice(deliveries, { at: { $lt: date } }),
  }),
});
