/** Mends what a stop left of personal workspaces, and has every organization's looked after. */
import type { App } from "../../src/app.ts";
import { carryEvents } from "../../src/audit/events.ts";
import { queueDeletion } from "../../src/workspaces/leave.ts";
import { carryEventsOf } from "../../src/workspaces/schedule.ts";

const batch = 100;

/** `before` is the age past which nobody is at work on a document any more. */
export async function tendWorkspaces(app: App, before: Date): Promise<void> {
  const { workspaces } = app.storage;
  for (const settings of await workspaces.listUnsettledSettings(before, batch))
    await carryEvents(app, { settle: workspaces.settleSettings }, settings._id, settings.outbox ?? []);
  await carryEventsOf(app, await workspaces.listUnsettled(before, batch));
  for (const { tenantId, userId } of await workspaces.listDeleting(before, batch))
    queueDeletion(app, { tenantId, userId });
  for (let after = ""; ;) {
    const enabled = await workspaces.listEnabled(after, batch);
    if (enabled.length === 0) return;
    after = enabled.at(-1)!;
    for (const tenantId of enabled)
      await app.queue.enqueue("workspaces.sync", { tenantId }, { jobId: tenantId });
  }
}
