/** Changes of registered MCP servers. Each save has the next revision. */
import type { McpServerDoc } from "../../storage/mcp/servers.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents, makeEvent } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { loadTenant } from "../orgs/service.ts";
import { checkEntry } from "./catalog/convert.ts";
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

/** Applies the latest version of the catalog, which an import then follows again. */
export async function applyCatalog(
  app: App,
  actor: Actor,
  tenantRef: string,
  ref: string,
): Promise<SeenServer> {
  const tenant = await loadTenant(app, actor, tenantRef, "member");
  const seen = await loadServerIn(app, actor, tenant._id, ref, "mcpServer:update");
  const { name, description, folderId, config, catalog } = seen.server;
  const latest = catalog && (await app.storage.mcpCatalog.findLatest(catalog.name));
  const entry = latest && checkEntry(latest.entry);
  if (!entry || "problem" in entry)
    throw new ServiceError(
      "refused",
      `The catalog has no version that "${seen.server.slug}" could take over.`,
      {
        kind: "mcpServer",
        ref,
      },
    );
  const fields = {
    name,
    description,
    folderId,
    config: entry.config,
    follows: true,
    catalog: { name: latest.name, version: latest.version, origin: entry.origin },
  };
  const changes = changedConfig(config, fields.config);
  return saveServer(app, actor, seen, fields, [...changes, "catalogVersion"]);
}

type ServerFields = Pick<McpServerDoc, "name" | "description" | "folderId" | "config"> &
  Partial<Pick<McpServerDoc, "catalog" | "follows">>;

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
