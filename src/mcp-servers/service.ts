/** Registered MCP servers: list, find, delete. */
import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { isId } from "../../storage/database.ts";
import type { Actor } from "../access/actor.ts";
import { limitsOf, membershipIn, readableTenants } from "../access/decide.ts";
import { memberMay } from "../access/permissions.ts";
import type { App } from "../app.ts";
import { flushEvents, makeEvent } from "../audit/events.ts";
import { forbidden, notFound } from "../errors.ts";
import { decodeCursor, encodeCursor } from "../http/request/cursor.ts";
import { Page } from "../http/route.ts";
import { loadTenant } from "../orgs/service.ts";
import { findServer, keepAllowedServers, loadServerIn, type SeenServer } from "./load.ts";
import { hasPublicForm } from "./public-registry/server-json.ts";
import type { FindMcpServers, ListMcpServers } from "./schema.ts";

const Cursor = z.tuple([z.string().max(limits.mcpServerSlug), z.string().refine(isId)]);

/** The servers of an organization that the caller may read, in the order of their slugs. */
export async function listServers(
  app: App,
  actor: Actor,
  tenantRef: string,
  query: ListMcpServers,
): Promise<Page<SeenServer>> {
  const tenant = await loadTenant(app, actor, tenantRef, "member");
  if (!memberMay(membershipIn(actor, tenant._id), limitsOf(actor), "mcpServer:read"))
    throw forbidden(`Your role or token does not allow mcpServer:read in "${tenant.slug}".`);
  return pageOf(app, actor, [tenant._id], query);
}

/** The server of a reference, or all servers that the caller may read. Throws `not_found` or `ambiguous`. */
export async function findServers(app: App, actor: Actor, query: FindMcpServers): Promise<Page<SeenServer>> {
  if (query.ref !== undefined) return new Page([await findServer(app, actor, query.ref)], null);
  return pageOf(app, actor, readableTenants(actor, "mcpServer:read"), query);
}

/** A page of the visible servers, which is full unless it is the last one. */
async function pageOf(
  app: App,
  actor: Actor,
  tenantIds: readonly string[],
  query: ListMcpServers,
): Promise<Page<SeenServer>> {
  const last = decodeCursor(query.cursor, Cursor);
  let after = last && { slug: last[0], id: last[1] };
  const shown: SeenServer[] = [];
  for (;;) {
    const wanted = query.limit + 1 - shown.length;
    const rows = await app.storage.mcpServers.list(tenantIds, after, wanted);
    shown.push(...(await keepAllowedServers(app, actor, "mcpServer:read", rows)));
    const end = rows.at(-1);
    if (!end || rows.length < wanted || shown.length > query.limit) break;
    after = { slug: end.slug, id: end._id };
  }
  const page = shown.slice(0, query.limit);
  const end = page.at(-1)?.server;
  return new Page(page, end && shown.length > page.length ? encodeCursor([end.slug, end._id]) : null);
}

export async function readServer(
  app: App,
  actor: Actor,
  tenantRef: string,
  ref: string,
): Promise<SeenServer> {
  const { _id: tenantId } = await loadTenant(app, actor, tenantRef, "member");
  return loadServerIn(app, actor, tenantId, ref, "mcpServer:read");
}

/** Deletes a server. Entries that members have installed stay in their tools. */
export async function deleteServer(app: App, actor: Actor, tenantRef: string, ref: string): Promise<void> {
  const { _id: tenantId, mcpRegistry } = await loadTenant(app, actor, tenantRef, "member");
  const { server, context } = await loadServerIn(app, actor, tenantId, ref, "mcpServer:delete");
  const event = makeEvent(app, actor, "mcp_server.deleted", {
    tenantId,
    resourceType: "mcpServer",
    resourceId: server._id,
    metadata: { slug: server.slug, name: server.name, folderId: server.folderId },
  });
  const { mcpServers } = app.storage;
  // A server that not everyone could read leaves no trace to those who could not.
  const wasListed = mcpRegistry === true && !context?.restriction && hasPublicForm(server);
  if (!(await mcpServers.markDeleted(server._id, wasListed, app.now(), [event])))
    throw notFound("mcpServer", ref);
  flushEvents(app, mcpServers, server._id, [event]);
  const { mcpInstalls } = app.storage;
  app.background("remove the installs of a deleted MCP server", async () => {
    while ((await mcpInstalls.removeOfServer(server._id)) > 0);
  });
  // Purging removes the connectors if the job is lost.
  app.background("queue the end of the server's connectors", () =>
    app.queue.enqueue("maintenance.forget-server", { serverId: server._id }, { jobId: server._id }),
  );
}
