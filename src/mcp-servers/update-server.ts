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
  if (revision !== undefined && revision !== server.revision) throw changedConcurrently(server);
  const { name = server.name, description = server.description, folderId = server.folderId, ...own } = input;
  const config = mergeConfig(server.config, own);
  checkConfig(config);
  checkSize(config);
  const fields = { name, description, folderId, config };
  const changes = changedFields(server, fields);
  if (changes.length === 0) return seen;
  // From now on, the catalog doesn't change it.
  const isEdited =
    server.follows && changes.some((field) => !["name", "description", "folderId"].includes(field));
  const context = await requireMove(app, actor, tenant, seen, folderId);
  return saveServer(
    app,
    actor,
    { server, context },
    isEdited ? { ...fields, follows: false } : fields,
    changes,
  );
}

type ServerFields = Pick<McpServerDoc, "name" | "description" | "folderId" | "config"> &
  Partial<Pick<McpServerDoc, "catalog" | "follows">>;

/** Saves the next revision with its event. Throws `conflict` after a concurrent change. */
export async function saveServer(
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
  const updated = await mcpServers.change(server._id, {
    revision: server.revision,
    set: fields,
    now: app.now(),
    events: [event],
  });
  if (!updated) throw changedConcurrently(server);
  flushEvents(app, mcpServers, server._id, [event]);
  return { server: updated, context };
}

export function changedConcurrently({ slug }: McpServerDoc): ServiceError {
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
  return changedConfig({ ...server.config, ...pick(server) }, { ...fields.config, ...pick(fields) });
}

/** Names of the fields in which two configurations differ. */
export function changedConfig(from: object, to: object): string[] {
  const texts = (fields: object) =>
    new Map(Object.entries(fields).map(([field, value]) => [field, JSON.stringify(value)]));
  const before = texts(from);
  const after = texts(to);
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((field) => before.get(field) !== after.get(field));
}

const pick = ({ name, description, folderId }: Omit<ServerFields, "config">) => ({
  name,
  description,
  folderId,
});
