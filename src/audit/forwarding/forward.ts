/**
 * Sends the entries of an organization's audit log to its receiver: at least once, and in order, since one process at
 * a time delivers and a message that fails is repeated before the next one.
 */
import { limits } from "../../../contract/limits.ts";
import type { App } from "../../app.ts";
import { failureText } from "../../webhooks/send.ts";
import { deliver } from "./deliver.ts";
import { forwardSoon } from "./forward-soon.ts";

/** Longer than a message takes, whose limit is 15 seconds. */
const leaseMs = 60_000;
/** Time after which other organizations get their turn. */
const turnMs = 10_000;
/** Pauses after the first failures; then the last one. */
const pausesMs = [5, 30, 120, 600, 1800, 3600].map((seconds) => seconds * 1000);

/** Delivers what waits, for a turn. A failure of the receiver is recorded and never thrown. */
export async function forwardAuditLog(app: App, tenantId: string): Promise<void> {
  const { auditEvents, auditForwardings } = app.storage;
  const receiver = async () => {
    const target = (await app.storage.tenants.find(tenantId))?.auditForwarding;
    return target && { tenantId, target };
  };
  if (!(await receiver())) return stop(app, tenantId);
  const lease = app.newId();
  const until = () => new Date(app.now().getTime() + leaseMs);
  const state = await auditForwardings.begin(tenantId, lease, app.now(), until());
  if (!state) return forwardSoon(app, tenantId, leaseMs);
  try {
    const waitMs = (state.nextAttemptAt?.getTime() ?? 0) - app.now().getTime();
    if (waitMs > 0) return await forwardSoon(app, tenantId, waitMs);
    const end = performance.now() + turnMs;
    for (let { failures = 0 } = state; ; failures = 0) {
      // Read for each message: a previous receiver gets no further one.
      const current = await receiver();
      if (!current) return await stop(app, tenantId);
      const rows = await auditEvents.listForwarding(tenantId, limits.auditForwardingBatch);
      if (rows.length === 0) return;
      try {
        await deliver(app, current, rows);
      } catch (error) {
        app.log.warn({ error, tenantId }, "an audit log could not be sent to its receiver");
        const pauseMs = pausesMs[Math.min(failures, pausesMs.length - 1)]!;
        const nextAttemptAt = new Date(app.now().getTime() + pauseMs);
        const failure = { error: failureText(error), now: app.now(), nextAttemptAt };
        await auditForwardings.noteFailure(tenantId, lease, failure);
        return await forwardSoon(app, tenantId, pauseMs);
      }
      await auditEvents.noteForwarded(rows.map(({ _id }) => _id));
      if (!(await auditForwardings.noteDelivery(tenantId, lease, app.now(), until()))) return;
      if (performance.now() > end) return await forwardSoon(app, tenantId, 0);
    }
  } finally {
    await auditForwardings.end(tenantId, lease);
  }
}

/** The organization has no receiver any more, or no longer exists. */
async function stop(app: App, tenantId: string): Promise<void> {
  await app.storage.auditEvents.stopForwarding(tenantId);
  await app.storage.auditForwardings.remove(tenantId);
}

/** Queues every organization with a receiver, in case the queue has lost its job. */
export async function queueForwarding(app: App): Promise<void> {
  for await (const { _id } of app.storage.tenants.eachForwarding()) await forwardSoon(app, _id);
}
