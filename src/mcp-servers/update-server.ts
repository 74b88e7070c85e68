/** Changes of registered MCP servers. Each save has the next revision. */
import type { McpServerDoc } from "../../storage/mcp/servers.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents, makeEvent } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { loadTenant } from "../orgs/service.ts";
import { checkConfig, checkSize, mergeConfig } from "./config.ts";
import { requireMove } from "./folder.ts";
import { loadServerIn, type SeenServer } from "./load.ts";
import type { UpdateMcpServer } from "./schema.ts";

/** Throws `conflict` after a concurrent change. A save that changes nothing has no effect. */
export async function updateServer(
  app: App,
  actor: Actor,
  tenantRef: string,
  ref: string,
  { revision, ...input }: UpdateMcpServer,
): Promise<SeenServer> {
  const tenant = await loadTenant(app, actor, tenantRef, "member");
  const seen = await loadServerIn(app, actor, tenant._id, ref, "mcpServer:update");
  const { server } = seen;
  if (revision !== undefined && revision !== server.revision) throw changed(server);
  const { name = server.name, description = server.description, folderId = server.folderId, ...own } = input;
  const config = mergeConfig(server.config, own);
  checkConfig(config);
  checkSize(config);
  const fields = { name, description, folderId, config };
  const changes = changedFields(server, fields);
  if (changes.length === 0) return seen;
  const context = await requireMove(app, actor, tenant, seen, folderId);
  return saveServer(app, actor, { server, context }, fields, changes);
}

type ServerFields = Pick<McpServerDoc, "name" | "description" | "folderId" | "config">;

async function saveServer(
  app: App,
  actor: Actor,
  { server, context }: SeenServer,
  fields: ServerFields,
  changes: readonly string[],
): Promise<SeenServer> {
  const { mcpServers } = app.storage;
  const event = makeEvent(app, actor, "mcp_server.updated", {
    tenantId: server.tenantId,
    resourceType: "mcpServer",
    resourceId: server._id,
    metadata: {
      slug: server.slug,
      folderId: fields.folderId,
      revision: server.revision + 1,
      changed: changes,
    },
  });
  const updated = await mcpServers.update(server._id, server.revision, fields, app.now(), [event]);
  if (!updated) throw changed(server);
  flushEvents(app, mcpServers, server._id, [event]);
  return { server: updated, context };
}

function changed({ slug }: McpServerDoc): ServiceError {
  return new ServiceError(
    "conflict",
    `"${slug}" was changed concurrently: read it again, then repeat your change.`,
    {
      kind: "mcpServer",
      ref: slug,
    },
  );
}

function changedFields(server: McpServerDoc, fields: ServerFields): string[] {
  const before: Record<string, unknown> = { ...server.config, ...pick(server) };
  const after: Record<string, unknown> = { ...fields.config, ...pick(fields) };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}

const pick = ({ name, description, folderId }: Omit<ServerFields, "config">) => ({
  name,
  description,
  folderId,
});
