/** Changes the mode of a connection. A running sync ends in the mode in which it began. */
import type { ConnectionDoc } from "../../../storage/connections.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { publishEvents } from "../../audit/events.ts";
import { requestSync } from "../../queue/request-sync.ts";
import { causeBy, makeConnectionEvent } from "./connection-event.ts";
import { loadConnection, notConnected, requireEverySkill } from "./load.ts";
import type { UpdateConnection } from "./schema.ts";

/** Changes the mode and requests a full sync in the new mode. Setting the same mode changes nothing. */
export async function updateConnection(
  app: App,
  actor: Actor,
  tenantRef: string,
  { mode }: UpdateConnection,
): Promise<ConnectionDoc> {
  for (;;) {
    const { tenant, connection } = await loadConnection(app, actor, tenantRef, "githubSync:manage");
    requireEverySkill(actor, tenant);
    const { _id: id } = connection;
    if (connection.status === "disconnecting") throw notConnected(tenant);
    if (connection.mode === mode) return connection;
    const change = { from: connection.mode, to: mode };
    const event = makeConnectionEvent(app, actor, "repohost_sync.update", connection, {
      changes: { mode: change },
    });
    // If the mode was changed concurrently, the new state is checked.
    const request = { full: true, mode: change, events: [event], cause: causeBy(actor, "settings") };
    if (!(await requestSync(app, { id }, request))) continue;
    app.background("publish audit events", () => publishEvents(app, app.storage.connections, id, [event]));
    return (await app.storage.connections.find(id)) ?? connection;
  }
}
