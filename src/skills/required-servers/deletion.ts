/** Effects of the deletion of an MCP server on skills, hosted connectors and installs. */
import { McpServerDeletionPayload } from "../../../contract/payloads/mcp-servers.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { route, type Route } from "../../http/route.ts";
import { readAnalytics } from "../../mcp-servers/installs.ts";
import { actsOnServer, loadServerIn } from "../../mcp-servers/load.ts";
import { McpServerParams } from "../../mcp-servers/schema.ts";
import { loadTenant } from "../../orgs/service.ts";
import { listSkills } from "../search.ts";

const namedSkills = 20;

/** Requires `mcpServer:delete`. Names only skills that the caller may read. */
export async function planServerDeletion(
  app: App,
  actor: Actor,
  ref: { tenant: string; server: string },
): Promise<McpServerDeletionPayload> {
  const { _id: tenantId } = await loadTenant(app, actor, ref.tenant, "member");
  const seen = await loadServerIn(app, actor, tenantId, ref.server, "mcpServer:delete");
  const { _id: serverId } = seen.server;
  const query = { tenant_id: tenantId, mcp_server: serverId, limit: namedSkills };
  const [skills, connectors, analytics] = await Promise.all([
    listSkills(app, actor, query),
    app.storage.connectors.countOfServer(serverId),
    actsOnServer(actor, seen).includes("analytics") ? readAnalytics(app, actor, ref) : undefined,
  ]);
  return {
    skills: skills.items.map(({ slug, name }) => ({ slug, name })),
    hasMoreSkills: skills.nextCursor !== null,
    connectors,
    installs: analytics?.installs,
  };
}

export function serverDeletionRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/tenants/:tenant/mcp-servers/:server/deletion",
      summary: "Read what the deletion of an MCP server would end",
      tag: "MCP servers",
      auth: "required",
      params: McpServerParams,
      data: McpServerDeletionPayload,
      handle: ({ actor, params }) => planServerDeletion(app, actor, params),
    }),
  ];
}
