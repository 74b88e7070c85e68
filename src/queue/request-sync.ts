/** Asks for a sync of an organization's repository. Here, below the features whose changes ask for one. */
import type { SyncMode } from "../../contract/vocabulary.ts";
import type { ConnectionDoc } from "../../storage/connections.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { App } from "../app.ts";

/**
 * One write, then a job: any number of requests before it runs are one sync. Where the job is lost, the schedule finds
 * what the write asked for. Answers the connection's id; undefined where nothing is connected, or not in the mode that is
 * to be changed.
 */
export async function requestSync(
  app: App,
  of: { tenantId: string } | { id: string },
  options: {
    full?: boolean;
    manual?: boolean;
    mode?: { from: SyncMode; to: SyncMode };
    connectedBy?: ConnectionDoc["connectedBy"];
    erased?: boolean;
    events?: EventRow[];
  } = {},
): Promise<string | undefined> {
  const requested = await app.storage.connections.request(of, { now: app.now(), ...options });
  if (!requested) return undefined;
  queueSync(app, requested._id);
  return requested._id;
}

/** Queues what was asked for already. */
export function queueSync(app: App, connectionId: string): void {
  app.background("queue a sync", () =>
    app.queue.enqueue("sync.run", { connectionId }, { jobId: connectionId }),
  );
}
