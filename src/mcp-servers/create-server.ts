/** Registration of MCP servers: entered by a person, or imported. */
import slugify from "@sindresorhus/slugify";
import { customAlphabet } from "nanoid";
import { limits } from "../../contract/limits.ts";
import { reservedMcpSlugs } from "../../contract/mcp-servers.ts";
import { isDuplicate } from "../../storage/database.ts";
import type { McpServerDoc } from "../../storage/mcp/servers.ts";
import { outboxFields } from "../../storage/outbox.ts";
import { actorId, type Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents, makeEvent } from "../audit/events.ts";
import { invalidRequest, ServiceError } from "../errors.ts";
import { loadTenant } from "../orgs/service.ts";
import { checkSize } from "./config.ts";
import { requireFolder } from "./folder.ts";
import type { SeenServer } from "./load.ts";
import type { CreateMcpServer } from "./schema.ts";

const newPublicId = customAlphabet("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 10);

/** Origin of a new server, besides what its creator has entered. */
export interface ServerOrigin {
  source: McpServerDoc["source"];
  event: "mcp_server.created" | "mcp_server.imported";
  metadata?: Record<string, unknown>;
  fields?: Partial<McpServerDoc>;
}

const entered: ServerOrigin = { source: "own", event: "mcp_server.created" };

/** Throws `already_exists`, `limit_reached`, `not_found` for the folder, or `forbidden`. */
export async function createServer(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: CreateMcpServer,
  origin = entered,
): Promise<SeenServer> {
  const tenant = await loadTenant(app, actor, tenantRef, "member");
  const { mcpServers } = app.storage;
  const context = await requireFolder(app, actor, tenant, input.folderId);
  const limit = limits.mcpServersPerOrganization;
  if ((await mcpServers.count(tenant._id)) >= limit)
    throw new ServiceError(
      "limit_reached",
      `"${tenant.slug}" has ${limit} MCP servers, which is the limit: delete one.`,
      {
        kind: "mcpServer",
        limit,
      },
    );
  const { name, description, folderId, slug: wanted, ...config } = input;
  const slug = wanted ?? slugOf(name);
  checkSize(config);
  const now = app.now();
  const event = makeEvent(app, actor, origin.event, {
    tenantId: tenant._id,
    resourceType: "mcpServer",
    resourceId: app.newId(),
    metadata: { slug, name, folderId, transport: config.transport, ...origin.metadata },
  });
  const server: McpServerDoc = {
    _id: event.resourceId,
    tenantId: tenant._id,
    publicId: newPublicId(),
    slug,
    name,
    nameKey: slug,
    description,
    config,
    folderId,
    source: origin.source,
    ...origin.fields,
    revision: 1,
    active: true,
    createdBy: actorId(actor),
    createdAt: now,
    updatedAt: now,
    ...outboxFields([event]),
  };
  await mcpServers.insert(server).catch((error: unknown) => {
    throw isDuplicate(error, "mcp_server_slug") ? slugTaken(tenant.slug, slug) : error;
  });
  flushEvents(app, mcpServers, server._id, [event]);
  return { server, context };
}

function slugTaken(org: string, slug: string): ServiceError {
  return new ServiceError(
    "already_exists",
    `"${org}" has an MCP server "${slug}" already: choose another slug.`,
    {
      kind: "mcpServer",
      ref: slug,
    },
  );
}

function slugOf(name: string): string {
  const slug = slugify(name).slice(0, limits.mcpServerSlug).replace(/-+$/, "");
  if (slug === "")
    throw invalidRequest(`No slug can be made from the name "${name}": send one as "slug".`, {
      kind: "mcpServer",
    });
  return reservedMcpSlugs.includes(slug) ? `${slug}-server` : slug;
}
