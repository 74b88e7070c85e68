/**
 * Imports that follow the catalog take over its latest version, except one from another host or package: such a change
 * needs a person, since members' tools would run it.
 */
import type { CatalogVersion } from "../../../storage/mcp/catalog.ts";
import type { McpServerDoc } from "../../../storage/mcp/servers.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeSystemEvent } from "../../audit/events.ts";
import { checkEntry } from "./convert.ts";

const batch = 200;

export async function followCatalog(app: App): Promise<void> {
  const { mcpServers, mcpCatalog } = app.storage;
  for (let after = ""; ;) {
    const servers = await mcpServers.listFollowing(after, batch);
    for (const server of servers) {
      const latest = server.catalog && (await mcpCatalog.findLatest(server.catalog.name));
      if (latest) await takeOver(app, server, latest);
    }
    const end = servers.at(-1);
    if (!end || servers.length < batch) return;
    after = end._id;
  }
}

async function takeOver(app: App, server: McpServerDoc, { name, version, entry: mirrored }: CatalogVersion) {
  const previous = server.catalog!;
  if (version === previous.version) return;
  const entry = checkEntry(mirrored);
  if ("problem" in entry || entry.origin !== previous.origin) return;
  const { mcpServers } = app.storage;
  const event = makeSystemEvent(app, "mcp_server.catalog_updated", {
    tenantId: server.tenantId,
    resourceType: "mcpServer",
    resourceId: server._id,
    metadata: {
      slug: server.slug,
      folderId: server.folderId,
      revision: server.revision + 1,
      catalogName: name,
      from: previous.version,
      to: version,
    },
  });
  const fields = { config: entry.config, catalog: { ...previous, version } };
  // A concurrent change by a person wins, and the next pass decides again.
  const updated = await mcpServers.change(server._id, {
    revision: server.revision,
    set: fields,
    now: app.now(),
    events: [event],
  });
  if (updated) flushEvents(app, mcpServers, server._id, [event]);
}
