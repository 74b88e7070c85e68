/** Completes interrupted changes to personal workspaces, and queues the regular sync of every organization's. */
import type { App } from "../../src/app.ts";
import { queueDeletion } from "../../src/workspaces/leave.ts";
import { flushWorkspaceEvents } from "../../src/workspaces/schedule.ts";

const batch = 100;

/** `before`: documents changed earlier are no longer being written by a live process. */
export async function reconcileWorkspaces(app: App, before: Date): Promise<void> {
  const { workspaces, workspaceSettings } = app.storage;
  await flushWorkspaceEvents(app, await workspaces.listUnflushed(before, batch));
  for (const { tenantId, userId } of await workspaces.listDeleting(before, batch))
    queueDeletion(app, { tenantId, userId });
  for (let after = ""; ;) {
    const tenantIds = await workspaceSettings.listTenants(after, batch);
    if (tenantIds.length === 0) return;
    after = tenantIds.at(-1)!;
    for (const tenantId of tenantIds)
      await app.queue.enqueue("workspaces.sync", { tenantId }, { jobId: tenantId });
  }
}
