import type { WebhookDoc } from "../../storage/webhooks/webhooks.ts";
import type { App } from "../app.ts";

/**
 * Queues the delivery of due messages. One that has failed is delivered by another queue, so that waiting for its
 * receiver does not delay others.
 */
export const deliverSoon = (
  app: App,
  { _id: webhookId, failures = 0 }: Pick<WebhookDoc, "_id" | "failures">,
): Promise<void> =>
  failures > 0
    ? retryAfter(app, webhookId, 0)
    : app.queue.enqueue("webhooks.deliver", { webhookId }, { jobId: webhookId });

/** Queues a delivery at the time of the next attempt, which replaces the time of an earlier call. */
export const retryAfter = (app: App, webhookId: string, delayMs: number): Promise<void> =>
  app.queue.enqueue("webhooks.retry", { webhookId }, { jobId: webhookId, delayMs, retime: true });

/** Queues every webhook with pending messages, in case the queue has lost its job. */
export async function queueDeliveries(app: App): Promise<void> {
  const { webhookMessages } = app.storage;
  for await (const webhookId of webhookMessages.eachPending())
    if (await webhookMessages.nextDue(webhookId, app.now())) await retryAfter(app, webhookId, 0);
}
