import type { App } from "../../app.ts";

/**
 * Queues the delivery of what waits. Entries of the next second go with it, as one message. Without a delay, an attempt
 * that waits for its time is due too.
 */
export const forwardSoon = (app: App, tenantId: string, delayMs = 1000): Promise<void> =>
  app.queue.enqueue("audit.forward", { tenantId }, { jobId: tenantId, delayMs, retime: delayMs === 0 });
