/**
 * MCP servers that private skills require. A skill has the ids of servers of its own organization, and each reader is
 * shown those that they may read.
 */
import type { RequiredMcpServer } from "../../contract/payloads/mcp-servers.ts";
import type { Visibility } from "../../contract/vocabulary.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { notFound, ServiceError } from "../errors.ts";
import { keepAllowedServers } from "./load.ts";

/** A server as a request names it. */
type NamedServer = Pick<RequiredMcpServer, "tenantSlug" | "slug">;

/** Servers that a request names, with their ids, each once. */
export interface RequiredServers {
  named: readonly NamedServer[];
  ids: string[];
}

/** The part of a skill that requirements depend on. */
interface RequiringSkill {
  tenantId: string;
  tenantSlug: string;
  slug: string;
  visibility: Visibility;
  requiredServerIds?: string[];
}

/**
 * The servers that a skill is to require; undefined for a request without a list, which leaves them as they are. Throws
 * `not_found` for a server that the caller may not read, and for one of another organization.
 */
export async function resolveRequired(
  app: App,
  actor: Actor,
  tenantId: string,
  named: readonly NamedServer[] | undefined,
): Promise<RequiredServers | undefined> {
  if (!named) return undefined;
  const { mcpServers, tenants } = app.storage;
  const orgs = [...new Set(named.map(({ tenantSlug }) => tenantSlug))];
  const owners = new Map<string, string | undefined>();
  for (const org of orgs) owners.set(org, (await tenants.findBySlug(org))?._id);
  const slugs = [...new Set(named.map(({ slug }) => slug))];
  const found = slugs.length === 0 ? [] : await mcpServers.listBySlugs(tenantId, slugs);
  const readable = await keepAllowedServers(app, actor, "mcpServer:read", found);
  const bySlug = new Map(readable.map(({ server }) => [server.slug, server._id]));
  const ids = named.map(({ tenantSlug, slug }) => {
    const id = owners.get(tenantSlug) === tenantId ? bySlug.get(slug) : undefined;
    if (id === undefined) throw notFound("mcpServer", `${tenantSlug}/${slug}`);
    return id;
  });
  return { named, ids: [...new Set(ids)] };
}

/** A changed list with the servers that the caller can't see and therefore can't have removed. */
export async function withHidden(
  app: App,
  actor: Actor,
  { requiredServerIds = [] }: Pick<RequiringSkill, "requiredServerIds">,
  changed: RequiredServers,
): Promise<RequiredServers> {
  if (requiredServerIds.length === 0) return changed;
  const previous = await app.storage.mcpServers.listByIds(requiredServerIds);
  const seen = await keepAllowedServers(app, actor, "mcpServer:read", previous);
  const visible = new Set(seen.map(({ server }) => server._id));
  const hidden = previous.filter(({ _id }) => !visible.has(_id)).map(({ _id }) => _id);
  return { ...changed, ids: [...new Set([...changed.ids, ...hidden])] };
}

/** Throws `refused` if a skill that is not private would require servers. */
export function refuseRequiredUnlessPrivate(
  slug: string,
  visibility: Visibility,
  ids: readonly string[] | undefined,
): void {
  if (visibility === "private" || !ids || ids.length === 0) return;
  throw new ServiceError(
    "refused",
    `Only a private skill can require MCP servers, and "${slug}" would be ${visibility}: ` +
      "let it require none, or keep it private.",
    { kind: "skill", ref: slug },
  );
}

/** The servers that a skill requires, as far as the caller may read them, in the order of their slugs. */
export async function requiredServersOf(
  app: App,
  actor: Actor,
  { visibility, tenantSlug, requiredServerIds }: RequiringSkill,
): Promise<RequiredMcpServer[]> {
  if (visibility !== "private" || !requiredServerIds || requiredServerIds.length === 0) return [];
  const found = await app.storage.mcpServers.listByIds(requiredServerIds);
  const seen = await keepAllowedServers(app, actor, "mcpServer:read", found);
  return seen
    .map(({ server }) => ({ tenantSlug, slug: server.slug, transport: server.config.transport }))
    .sort((a, b) => (a.slug < b.slug ? -1 : 1));
}
