/**
 * Members who have an MCP server installed, and where. Reported by clients; stored only for members of the server's
 * organization, and only during their membership.
 */
import { limits } from "../../contract/limits.ts";
import type { McpAnalyticsPayload, McpInstallPayload } from "../../contract/payloads/mcp-servers.ts";
import type { RecordedInstallPayload } from "../../contract/payloads/usage/analytics.ts";
import type { McpInstallDoc } from "../../storage/mcp/installs.ts";
import type { Actor } from "../access/actor.ts";
import { keepMembers, pageOfInstalls } from "../analytics/install-lists.ts";
import type { App } from "../app.ts";
import { invalidRequest } from "../errors.ts";
import type { Page } from "../http/route.ts";
import { loadTenant } from "../orgs/service.ts";
import { findServerById, loadServerIn } from "./load.ts";
import type { ListMcpServers, McpInstallPlace, RecordMcpInstall } from "./schema.ts";

interface ServerRef {
  tenant: string;
  server: string;
}

/**
 * Records that the caller has a revision installed, unless it is an organization. Throws `invalid_request` for one that
 * does not exist yet.
 */
export async function recordInstall(
  app: App,
  actor: Actor,
  ref: ServerRef,
  { revision, via, ...place }: RecordMcpInstall,
): Promise<RecordedInstallPayload> {
  const { _id: tenantId } = await loadTenant(app, actor, ref.tenant, "member");
  const { server } = await loadServerIn(app, actor, tenantId, ref.server, "mcpServer:read");
  if (revision > server.revision)
    throw invalidRequest(`"${server.slug}" has no revision ${revision}: the latest is ${server.revision}.`, {
      kind: "mcpServer",
      ref: ref.server,
    });
  if (actor.kind !== "user") return { recorded: false };
  const { userId } = actor;
  const { mcpInstalls, mcpServers, memberships } = app.storage;
  const key = { serverId: server._id, userId, ...place };
  const now = app.now();
  const row = { _id: app.newId(), tenantId, ...key, revision, via, installedAt: now, updatedAt: now };
  if (!(await mcpInstalls.put(row))) return { recorded: true };
  await mcpInstalls.keepLatest(server._id, userId, limits.installsPerSkill);
  // A member or server that was removed concurrently has been cleaned up already.
  const [member, present] = await Promise.all([
    memberships.find(tenantId, userId),
    mcpServers.findById(server._id),
  ]);
  if (member && present) return { recorded: true };
  await mcpInstalls.remove(key);
  return { recorded: false };
}

/**
 * Removes the record. For a server that the caller may not see any more, it is removed too if the reference is an id,
 * and the server is reported as not found.
 */
export async function forgetInstall(
  app: App,
  actor: Actor,
  ref: ServerRef,
  place: McpInstallPlace,
): Promise<void> {
  const { _id: tenantId } = await loadTenant(app, actor, ref.tenant, "member");
  const { mcpInstalls } = app.storage;
  const named = actor.kind === "user" && (await findServerById(app, ref.server));
  if (named) await mcpInstalls.remove({ serverId: named._id, userId: actor.userId, ...place });
  const { server } = await loadServerIn(app, actor, tenantId, ref.server, "mcpServer:read");
  if (actor.kind === "user")
    await mcpInstalls.remove({ serverId: server._id, userId: actor.userId, ...place });
}

/** Members who have the server installed, latest report first. Requires `analytics:read`. */
export async function listInstalls(
  app: App,
  actor: Actor,
  ref: ServerRef,
  query: ListMcpServers,
): Promise<Page<McpInstallPayload>> {
  const { _id: tenantId } = await loadTenant(app, actor, ref.tenant, "member");
  const { server } = await loadServerIn(app, actor, tenantId, ref.server, "analytics:read");
  return pageOfInstalls(
    query,
    (after, limit) => app.storage.mcpInstalls.listOfServer(server._id, after, limit),
    async (rows) =>
      (await keepMembers(app, tenantId, rows)).map(({ row, user }) => ({
        row,
        item: { id: row._id, user, ...presentInstall(row, server.revision) },
      })),
  );
}

function presentInstall(row: McpInstallDoc, latest: number) {
  const { platform, scope, via, revision } = row;
  return {
    platform,
    scope,
    via,
    revision,
    updateAvailable: revision < latest,
    installedAt: row.installedAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** Requires `analytics:read`. Names no member. */
export async function readAnalytics(app: App, actor: Actor, ref: ServerRef): Promise<McpAnalyticsPayload> {
  const { _id: tenantId } = await loadTenant(app, actor, ref.tenant, "member");
  const { server } = await loadServerIn(app, actor, tenantId, ref.server, "analytics:read");
  const { mcpInstalls } = app.storage;
  const [groups, members] = await Promise.all([
    mcpInstalls.groupOfServer(server._id),
    mcpInstalls.countMembers(server._id),
  ]);
  const sum = (counted: readonly { installs: number }[]) =>
    counted.reduce((total, { installs }) => total + installs, 0);
  const revisions = [...new Set(groups.map(({ revision }) => revision))].sort((a, b) => b - a);
  const platforms = [...new Set(groups.map(({ platform }) => platform))].sort();
  return {
    installs: sum(groups),
    outdated: sum(groups.filter(({ revision }) => revision < server.revision)),
    members,
    revisions: revisions.map((revision) => ({
      revision,
      installs: sum(groups.filter((group) => group.revision === revision)),
    })),
    platforms: platforms.map((platform) => ({
      platform,
      installs: sum(groups.filter((group) => group.platform === platform)),
    })),
  };
}

/** Removes the installs of a former member. Idempotent. */
export async function removeMcpInstallsOfMember(app: App, tenantId: string, userId: string): Promise<void> {
  while ((await app.storage.mcpInstalls.removeOfMember(tenantId, userId)) > 0);
}
