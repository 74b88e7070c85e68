/** Changes settings of a connection. A running sync ends with the settings with which it began. */
import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { publishEvents } from "../../audit/events.ts";
import { requestSync } from "../../queue/request-sync.ts";
import { marketplaceName } from "../../reach/marketplaces/names.ts";
import { causeBy, makeConnectionEvent } from "./connection-event.ts";
import { loadConnection, notConnected, requireEverySkill } from "./load.ts";
import type { UpdateConnection } from "./schema.ts";

/** Changes settings and requests a full sync with them. Setting the same ones changes nothing. */
export async function updateConnection(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: UpdateConnection,
): Promise<ConnectionDoc> {
  for (;;) {
    const { tenant, connection } = await loadConnection(app, actor, tenantRef, "githubSync:manage");
    requireEverySkill(actor, tenant);
    const { _id: id, mode, marketplace } = connection;
    if (connection.status === "disconnecting") throw notConnected(tenant);
    const isOn = marketplace?.isOn ?? false;
    const modes = changeOf(mode, input.mode);
    const switched = changeOf(isOn, input.marketplace);
    if (!modes && !switched) return connection;
    const event = makeConnectionEvent(app, actor, "repohost_sync.update", connection, {
      changes: { ...(modes && { mode: modes }), ...(switched && { marketplace: switched }) },
    });
    // Tools keep the name in their settings, so that it stays if the organization is renamed.
    const name = marketplace?.name ?? marketplaceName(tenant.slug, "repository");
    const request = {
      full: true,
      mode: modes,
      marketplace: switched && { from: marketplace, to: { name, isOn: switched.to } },
      events: [event],
      cause: causeBy(actor, "settings"),
    };
    // If a setting was changed concurrently, the new state is checked.
    if (!(await requestSync(app, { id }, request))) continue;
    app.background("publish audit events", () => publishEvents(app, app.storage.connections, id, [event]));
    return (await app.storage.connections.find(id)) ?? connection;
  }
}

const changeOf = <T>(from: T, to: T | undefined): { from: T; to: T } | undefined =>
  to === undefined || to === from ? undefined : { from, to };
