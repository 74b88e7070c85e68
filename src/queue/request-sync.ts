/** Requests a sync of an organization's repository. It is in this layer because features of higher layers call it. */
import type { SyncMode } from "../../contract/vocabulary.ts";
import type { ConnectionDoc, RequestCause } from "../../storage/connections/connections.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { App } from "../app.ts";

/**
 * Records a request, then queues a job: all requests before it runs are answered by one sync. If the job is lost, the
 * poll finds the request. Returns the connection's id, or undefined if there is no connection with the expected
 * settings.
 */
export async function requestSync(
  app: App,
  of: { tenantId: string } | { id: string },
  options: {
    full?: boolean;
    manual?: boolean;
    mode?: { from: SyncMode; to: SyncMode };
    marketplace?: { from: ConnectionDoc["marketplace"]; to: ConnectionDoc["marketplace"] };
    connectedBy?: ConnectionDoc["connectedBy"];
    erased?: boolean;
    cause?: RequestCause;
    events?: EventRow[];
  } = {},
): Promise<string | undefined> {
  const requested = await app.storage.connections.request(of, { now: app.now(), ...options });
  if (!requested) return undefined;
  queueSync(app, requested._id);
  return requested._id;
}

/** Queues a sync that was requested already. */
export function queueSync(app: App, connectionId: string): void {
  app.background("queue a sync", () =>
    app.queue.enqueue("sync.run", { connectionId }, { jobId: connectionId }),
  );
}
