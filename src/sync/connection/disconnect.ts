/**
 * The end of a connection. From the first write on, no new work with the host starts. Running work is awaited, and the
 * webhook, the credentials, the mirror and the sync state of the connection are removed. Its history and conflicts
 * stay, and so do the files in the repository. The response is sent only then, so that nothing reaches the host after
 * it. An interrupted end is completed by the poll, or by another request.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { RepoError } from "../../../repos/errors.ts";
import type { HostGuard } from "../../../repos/guard.ts";
import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { publishEvents } from "../../audit/events.ts";
import { ServiceError } from "../../errors.ts";
import { makeConnectionEvent } from "./connection-event.ts";
import { webhookUrl } from "./ensure-webhook.ts";
import { loadConnection, notConnected } from "./load.ts";
import { openHost } from "./open-host.ts";

/** Longest wait for running work, which is being stopped. */
const stopMs = 5000;
const pollIntervalMs = 100;
/** Longest time that a disconnect takes once no other work is running. */
const endMs = 60_000;
/** Maximum time for the removal of the webhook at the host. */
const removeMs = 10_000;
const removeAttempts = 3;
const removePauseMs = 500;

/** `left`: the host could not remove it. `none`: the connection had none. */
export type WebhookEnd = "removed" | "left" | "none";

/**
 * Disconnects. Throws `not_found` if there is no connection, and `unavailable` if work on it does not end in time: the
 * connection is being ended then, and the same request completes it later.
 */
export async function disconnectRepository(
  app: App,
  actor: Actor,
  tenantRef: string,
): Promise<{ webhook: WebhookEnd }> {
  const { tenant, connection } = await loadConnection(app, actor, tenantRef, "githubSync:manage");
  const event = makeConnectionEvent(app, actor, "repohost_sync.disconnect", connection);
  const ended = (await app.storage.connections.disconnect(tenant._id, app.now(), [event])) ?? connection;
  const webhook = await endConnection(app, ended);
  if (webhook === "gone") throw notConnected(tenant);
  if (webhook !== "busy") return { webhook };
  throw new ServiceError(
    "unavailable",
    `Work on ${connection.host.fullName} has not ended yet: disconnect again in a minute.`,
    { kind: "repository" },
  );
}

/**
 * Removes everything that belongs to a connection that is being ended, one caller at a time. `busy`: work on it is
 * still under way after `waitMs`; `gone`: another caller has completed the end.
 */
export async function endConnection(
  app: App,
  connection: ConnectionDoc,
  waitMs = stopMs,
): Promise<WebhookEnd | "busy" | "gone"> {
  const { _id: id, tenantId, outbox = [] } = connection;
  const { connections, syncBases, syncProposals, syncProposed, syncRuns } = app.storage;
  await publishEvents(app, connections, id, outbox);
  const claimed = await claimEnd(app, id, waitMs);
  if (claimed === "busy" || claimed === "gone") return claimed;
  // Events of a request whose process was killed: the document that holds them is removed below.
  await publishEvents(app, connections, id, claimed.outbox ?? []);
  const webhook = await removeWebhook(app, connection);
  await app.mirrors.open({ tenantId, connectionId: id }).drop();
  await syncRuns.closeInterrupted(id, undefined, app.now());
  for (const collection of [syncBases, syncProposals, syncProposed])
    while ((await collection.removeOfConnection(id)) > 0);
  await connections.removeDisconnected(id);
  return webhook;
}

/** Waits for the lease and for visits to the host, and takes the lease for the end itself. */
async function claimEnd(app: App, id: string, waitMs: number): Promise<ConnectionDoc | "busy" | "gone"> {
  const { connections } = app.storage;
  const holder = app.newId();
  for (const deadline = performance.now() + waitMs; ; await sleep(pollIntervalMs)) {
    const now = app.now();
    const claimed = await connections.takeLeaseToEnd(id, holder, new Date(now.getTime() + endMs), now);
    if (claimed) return claimed;
    if (!(await connections.find(id))) return "gone";
    if (performance.now() > deadline) return "busy";
  }
}

/** Ends in any case, also if the host refuses: the credentials are not kept for another attempt. */
async function removeWebhook(app: App, connection: ConnectionDoc): Promise<WebhookEnd> {
  const guard: HostGuard = { check: async () => undefined, signal: AbortSignal.timeout(removeMs) };
  const url = webhookUrl(app, connection._id);
  for (let attempt = 1; ; attempt++)
    try {
      const host = await openHost(app, connection, guard);
      if (!host.removeWebhook) return "none";
      // Even if no webhook is recorded: an interrupted process may have created one.
      await host.removeWebhook({ id: connection.webhook?.id, url });
      return "removed";
    } catch (error) {
      const mayHelp = error instanceof RepoError && error.retryable && !guard.signal.aborted;
      if (!mayHelp || attempt === removeAttempts) {
        app.log.warn({ error, connection: connection._id }, "a webhook was left at its host");
        return "left";
      }
      await sleep(removePauseMs * attempt);
    }
}
