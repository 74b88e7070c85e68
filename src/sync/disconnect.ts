/**
 * The end of a connection: nobody works on it from the first write on. Then what was made for it is taken back: the
 * webhook, the mirror, the books. The files stay where they are. A stop in between is gone on with by the schedule.
 */
import { RepoError } from "../../repos/errors.ts";
import type { ConnectionDoc } from "../../storage/connections.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { carryEvents, makeEvent } from "../audit/events.ts";
import { loadConnection, notConnected } from "./load.ts";
import { webhookUrl } from "./notify.ts";
import { openHost } from "./open-host.ts";
import { blockedBy } from "./trouble.ts";

/** How long a host that does not answer is asked to forget us; then only its own people can. */
const askForMs = 24 * 3_600_000;

/** Disconnects. Throws `not_found` where nothing is connected. */
export async function disconnectRepository(app: App, actor: Actor, tenantRef: string): Promise<void> {
  const { tenant, connection } = await loadConnection(app, actor, tenantRef, "githubSync:manage");
  const event = makeEvent(app, actor, "repohost_sync.disconnect", {
    tenantId: tenant._id,
    resourceType: "repository",
    resourceId: connection._id,
    metadata: {
      host: connection.host.kind,
      repository: connection.host.fullName,
      branch: connection.branch,
    },
  });
  const ended = await app.storage.connections.disconnect(tenant._id, app.now(), [event]);
  if (!ended) throw notConnected(tenant);
  app.background("end a connection", () => endConnection(app, ended));
}

/** Takes back what was made for a connection that is being ended. May run twice; false where it is to be gone on with. */
export async function endConnection(app: App, connection: ConnectionDoc): Promise<boolean> {
  const { _id: id, outbox = [], lease } = connection;
  const { connections, syncBases, syncConflicts, syncProposals, syncProposed, syncRuns } = app.storage;
  await carryEvents(app, connections, id, outbox);
  if (!(await removeWebhook(app, connection))) return false;
  // Whoever still holds the lease finds out at the next renewal; the mirror is theirs until then.
  if (lease && lease.until > app.now()) return false;
  await app.mirrors.open({ tenantId: connection.tenantId, connectionId: id }).drop();
  for (const collection of [syncBases, syncConflicts, syncProposals, syncProposed, syncRuns])
    while ((await collection.removeOfConnection(id)) > 0);
  await connections.removeDisconnected(id);
  return true;
}

/** False where the host may still be asked. One that does not know us any more has nothing to take back. */
async function removeWebhook(app: App, connection: ConnectionDoc): Promise<boolean> {
  try {
    const host = await openHost(app, connection);
    // Also where we know of none: it may have been made without our hearing of it.
    await host.removeWebhook?.({ id: connection.webhook?.id, url: webhookUrl(app, connection._id) });
    return true;
  } catch (error) {
    const isOver = app.now().getTime() - connection.updatedAt.getTime() > askForMs;
    if (isOver || blockedBy(error) || (error instanceof RepoError && !error.retryable)) return true;
    app.log.warn({ error, connection: connection._id }, "a webhook could not be removed; it is tried again");
    return false;
  }
}
