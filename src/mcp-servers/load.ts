/** Loads MCP servers with the access rule applied. */
import type { Permission } from "../../contract/vocabulary.ts";
import { isId } from "../../storage/database.ts";
import type { McpServerDoc } from "../../storage/mcp/servers.ts";
import type { Actor } from "../access/actor.ts";
import { decideMcpServer, membershipIn, readableTenants, type AccessContext } from "../access/decide.ts";
import type { App } from "../app.ts";
import { forbidden, notFound, ServiceError, unauthenticated } from "../errors.ts";
import { loadAccessContexts } from "../folders/load.ts";
import { refuseUnproved } from "../users/requirements.ts";

/** A server that the caller may read, with the facts of its folder. */
export interface SeenServer {
  server: McpServerDoc;
  context: AccessContext | null;
}

/** The servers on which the actor has a permission. */
export async function keepAllowedServers(
  app: App,
  actor: Actor,
  permission: Permission,
  servers: readonly McpServerDoc[],
): Promise<SeenServer[]> {
  const contexts = await loadAccessContexts(app, actor, servers);
  return servers.flatMap((server, at) => {
    const seen = { server, context: contexts[at] ?? null };
    return decideMcpServer(actor, permission, factsOf(seen)) === "allowed" ? [seen] : [];
  });
}

const factsOf = ({ server, context }: SeenServer) => ({ tenantId: server.tenantId, context });

/** The acts of the caller on a server that they may read. */
export function actsOnServer(actor: Actor, seen: SeenServer): ("update" | "delete" | "analytics")[] {
  const permissions = {
    update: "mcpServer:update",
    delete: "mcpServer:delete",
    analytics: "analytics:read",
  } as const;
  return (Object.keys(permissions) as (keyof typeof permissions)[]).filter(
    (act) => decideMcpServer(actor, permissions[act], factsOf(seen)) === "allowed",
  );
}

/** Finds a server of an organization by slug, publicId or id, and requires a permission on it. */
export async function loadServerIn(
  app: App,
  actor: Actor,
  tenantId: string,
  ref: string,
  permission: Permission,
): Promise<SeenServer> {
  const { mcpServers } = app.storage;
  // A slug may look like an id.
  const server = (await mcpServers.findBySlug(tenantId, ref)) ?? (await findServerById(app, ref));
  return authorizeServer(app, actor, permission, server?.tenantId === tenantId ? server : null, ref);
}

/**
 * Finds a server by `organization/slug`, by a slug that is unambiguous in the caller's organizations, or by an id.
 * Throws `ambiguous` with the candidates.
 */
export async function findServer(app: App, actor: Actor, ref: string): Promise<SeenServer> {
  const { mcpServers } = app.storage;
  const at = ref.indexOf("/");
  if (at > 0) {
    const org = ref.slice(0, at);
    const tenant = await app.storage.tenants.findBySlug(org);
    refuseUnproved(actor, tenant?._id);
    const found = tenant && (await mcpServers.findBySlug(tenant._id, ref.slice(at + 1)));
    return authorizeServer(app, actor, "mcpServer:read", found ?? null, ref);
  }
  const named = await mcpServers.listBySlug(readableTenants(actor, "mcpServer:read"), ref);
  const readable = await keepAllowedServers(app, actor, "mcpServer:read", named);
  if (readable.length > 1) throw ambiguous(actor, ref, readable);
  return readable[0] ?? authorizeServer(app, actor, "mcpServer:read", await findServerById(app, ref), ref);
}

function ambiguous(actor: Actor, ref: string, found: readonly SeenServer[]): ServiceError {
  const candidates = found.map(({ server: { publicId, slug, tenantId } }) => ({
    publicId,
    slug,
    tenantSlug: membershipIn(actor, tenantId)?.tenantSlug,
  }));
  const names = candidates.map((one) => `${one.tenantSlug}/${one.slug}`).join(", ");
  return new ServiceError(
    "ambiguous",
    `Several organizations have an MCP server "${ref}": name one of ${names}.`,
    {
      kind: "mcpServer",
      ref,
      candidates,
    },
  );
}

/** By id or publicId, without an access decision. */
export async function findServerById(app: App, ref: string): Promise<McpServerDoc | null> {
  const { mcpServers } = app.storage;
  if (isId(ref)) return mcpServers.findById(ref);
  return /^[A-Za-z0-9]{10}$/.test(ref) ? mcpServers.findByPublicId(ref) : null;
}

/** Applies the access rule to a record, or to a missing one. */
async function authorizeServer(
  app: App,
  actor: Actor,
  permission: Permission,
  server: McpServerDoc | null,
  ref: string,
): Promise<SeenServer> {
  const [context = null] = server ? await loadAccessContexts(app, actor, [server]) : [];
  const facts = server ? { tenantId: server.tenantId, context } : undefined;
  const verdict = decideMcpServer(actor, permission, facts);
  if (verdict === "unauthenticated") throw unauthenticated();
  if (verdict === "absent") refuseUnproved(actor, server?.tenantId);
  if (verdict === "absent" || !server) throw notFound("mcpServer", ref);
  if (verdict === "refused")
    throw forbidden(`Your role, grant or token does not allow ${permission} on "${server.slug}".`, {
      kind: "mcpServer",
      ref,
    });
  return { server, context };
}
