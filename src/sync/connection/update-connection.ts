/** Changes how a connection's changes reach its branch. The sync that is running ends in the mode that it began with. */
import type { ConnectionDoc } from "../../../storage/connections.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { publishEvents } from "../../audit/events.ts";
import { requestSync } from "../../queue/request-sync.ts";
import { makeConnectionEvent } from "./connection-event.ts";
import { loadConnection, notConnected, requireEverySkill } from "./load.ts";
import type { UpdateConnection } from "./schema.ts";

/** Changes the mode and asks for a full sync, which goes over to it. The same mode again changes nothing. */
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
    // Where somebody else was faster, what they left is looked at.
    if (!(await requestSync(app, { id }, { full: true, mode: change, events: [event] }))) continue;
    app.background("settle audit events", () => publishEvents(app, app.storage.connections, id, [event]));
    return (await app.storage.connections.find(id)) ?? connection;
  }
}
