/** The end of hosted connectors: by their user, or with their organization, membership, account or server. */
import type { ConnectorOwner, ConnectorWithSecrets } from "../../storage/connectors/connectors.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents, makeEvent, publishEvents } from "../audit/events.ts";
import { notFound } from "../errors.ts";
import { reportConnectorChange } from "./changes.ts";
import { loadConnector } from "./service.ts";
import { poolOf } from "./upstream/pool.ts";

/** Deletes a connector of the caller with its credentials, and has its tokens revoked. */
export async function deleteConnector(app: App, actor: Actor, ref: string): Promise<void> {
  const { user, seen } = await loadConnector(app, actor, ref);
  const { _id, slug, tenantId } = seen.connector;
  const event = makeEvent(app, user, "user.connector_deleted", {
    tenantId,
    resourceType: "connector",
    resourceId: _id,
    metadata: { slug },
  });
  const removed = await app.storage.connectors.markRemoved(_id, app.now(), [event]);
  if (!removed) throw notFound("connector", ref);
  poolOf(app).drop(_id);
  reportConnectorChange(app, user.userId);
  app.background("revoke the tokens of a connector", () => revoke(app, [removed]));
  flushEvents(app, app.storage.connectors, _id, [event]);
}

const slice = 100;
/** Time for the revocation of the tokens of an owner. */
const revocationMs = 2 * 60_000;

/** Removes an owner's connectors with their credentials at once, and then has the tokens revoked. May run twice. */
export async function removeConnectors(app: App, owner: ConnectorOwner): Promise<void> {
  const { connectors } = app.storage;
  const end = performance.now() + revocationMs;
  for (;;) {
    const rows = await connectors.listOfOwner(owner, slice);
    for (const { _id, outbox = [] } of rows) await publishEvents(app, connectors, _id, outbox);
    await connectors.remove(rows.map((row) => row._id));
    for (const { _id, userId } of rows) {
      poolOf(app).drop(_id);
      reportConnectorChange(app, userId);
    }
    await revoke(app, rows, end);
    if (rows.length < slice) return;
  }
}

/** The library of the protocol is loaded for connectors that have tokens only. */
async function revoke(app: App, connectors: readonly ConnectorWithSecrets[], end?: number): Promise<void> {
  const withTokens = connectors.filter(({ vault }) => vault?.fields.tokens !== undefined);
  if (withTokens.length === 0) return;
  const { revokeAll } = await import("./oauth/revoke.ts");
  await revokeAll(app, withTokens, end);
}

/** Removes the connectors of servers that no longer exist. */
export async function removeOrphans(app: App): Promise<void> {
  const { connectors, mcpServers } = app.storage;
  for (let after = ""; ;) {
    const ids = await connectors.listServerIds(after, slice);
    const present = new Set((await mcpServers.listByIds(ids)).map((server) => server._id));
    for (const serverId of ids) if (!present.has(serverId)) await removeConnectors(app, { serverId });
    const last = ids.at(-1);
    if (last === undefined || ids.length < slice) return;
    after = last;
  }
}
