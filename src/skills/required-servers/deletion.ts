/** Deletion of an MCP server, with its effects on skills, hosted connectors and installs. */
import { McpServerDeletionPayload } from "../../../contract/payloads/mcp-servers.ts";
import type { SkillQuery } from "../../../storage/search/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { readAnalytics } from "../../mcp-servers/installs.ts";
import { actsOnServer, loadServerIn, type SeenServer } from "../../mcp-servers/load.ts";
import { McpServerParams } from "../../mcp-servers/schema.ts";
import { deleteServer } from "../../mcp-servers/service.ts";
import { loadTenant } from "../../orgs/service.ts";
import { keepAllowed } from "../load.ts";
import { listSkills } from "../search/search.ts";

const route = routesOf({ tag: "MCP servers", auth: "required" });

const namedSkills = 20;
const batch = 200;

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
  const [skills, hasHiddenSkills, connectors, analytics] = await Promise.all([
    listSkills(app, actor, query),
    isRequiredUnseen(app, actor, seen),
    app.storage.connectors.countOfServer(serverId),
    actsOnServer(actor, seen).includes("analytics") ? readAnalytics(app, actor, ref) : undefined,
  ]);
  return {
    skills: skills.items.map(({ slug, name }) => ({ slug, name })),
    hasMoreSkills: skills.nextCursor !== null,
    hasHiddenSkills,
    connectors,
    installs: analytics?.installs,
  };
}

/** Deletes a server. Throws `refused` if a skill that the caller can't see requires it. */
async function deleteUnlessRequiredUnseen(
  app: App,
  actor: Actor,
  ref: { tenant: string; server: string },
): Promise<void> {
  const { _id: tenantId } = await loadTenant(app, actor, ref.tenant, "member");
  const seen = await loadServerIn(app, actor, tenantId, ref.server, "mcpServer:delete");
  if (await isRequiredUnseen(app, actor, seen))
    throw new ServiceError(
      "refused",
      `Skills that you can't see require "${seen.server.slug}": ask an owner or admin of the organization to ` +
        "delete it.",
      { kind: "mcpServer", ref: ref.server },
    );
  await deleteServer(app, actor, ref.tenant, ref.server);
}

/** Whether skills that the caller may not read require a server. */
async function isRequiredUnseen(app: App, actor: Actor, { server }: SeenServer): Promise<boolean> {
  const scope = { kind: "tenants" as const, tenants: [{ tenantId: server.tenantId }] };
  const query = { scope, requiredServerId: server._id, sort: "newest", limit: batch } as const;
  for (let after: SkillQuery["after"]; ;) {
    const rows = await app.storage.skillSearch.list({ ...query, after });
    const skills = rows.map(({ skill }) => skill);
    if ((await keepAllowed(app, actor, "skill:read", skills)).length < skills.length) return true;
    const last = skills.at(-1);
    if (!last || skills.length < batch) return false;
    after = { value: last.createdAt, id: last._id };
  }
}

export function serverDeletionRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/tenants/:tenant/mcp-servers/:server/deletion",
      id: "getServerDeletion",
      failures: ["ambiguous", "refused"],
      summary: "Read what the deletion of an MCP server would end",
      params: McpServerParams,
      data: McpServerDeletionPayload,
      handle: ({ actor, params }) => planServerDeletion(app, actor, params),
    }),
    route({
      method: "delete",
      path: "/api/tenants/:tenant/mcp-servers/:server",
      id: "deleteMcpServer",
      failures: ["refused"],
      summary: "Delete an MCP server; entries that members have installed stay in their tools",
      params: McpServerParams,
      data: null,
      handle: ({ actor, params }) => deleteUnlessRequiredUnseen(app, actor, params),
    }),
  ];
}
