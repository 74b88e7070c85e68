/**
 * The read side of the public MCP registry's interface, for an organization that offers it. Every caller gets the same:
 * the servers outside of restricted folders, in their latest revision.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import { isId } from "../../../storage/database.ts";
import type { McpServerDoc } from "../../../storage/mcp/servers.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { notFound, ServiceError } from "../../errors.ts";
import { loadAccessContexts } from "../../folders/load.ts";
import { decodeCursor, encodeCursor } from "../../http/request/cursor.ts";
import type { ListRegistry } from "./schema.ts";
import { registryName, toServerJson, versionOf, type RegistryVersion } from "./server-json.ts";

const Cursor = z.tuple([z.string().max(limits.mcpServerSlug), z.string().refine(isId)]);
const batch = 100;

export interface RegistryList {
  servers: RegistryVersion[];
  metadata: { count: number; nextCursor?: string };
}

/** An organization that offers the interface. Others are treated as if they did not exist. */
async function findOffered(app: App, org: string): Promise<TenantDoc> {
  const tenant = await app.storage.tenants.findBySlug(org);
  if (!tenant?.mcpRegistry || tenant.deletionAt || tenant.erasing)
    throw new ServiceError("not_found", "There is no MCP registry at this address: check the organization.");
  return tenant;
}

/** Servers that anyone may read while the organization offers the interface. */
export async function withoutRestricted(
  app: App,
  actor: Actor,
  servers: readonly McpServerDoc[],
): Promise<McpServerDoc[]> {
  const contexts = await loadAccessContexts(app, actor, servers);
  return servers.filter((_, at) => !contexts[at]?.restriction);
}

/** Leaves out tombstones whose version a later server of the same name has, which is not deleted. */
async function withoutReplaced(
  app: App,
  tenantId: string,
  rows: readonly McpServerDoc[],
): Promise<McpServerDoc[]> {
  const slugs = rows.filter((server) => server.tombstone).map((server) => server.slug);
  const present = slugs.length === 0 ? [] : await app.storage.mcpServers.listBySlugs(tenantId, slugs);
  const versions = new Set(present.map(({ slug, revision }) => `${slug} ${revision}`));
  return rows.filter(({ tombstone, slug, revision }) => !tombstone || !versions.has(`${slug} ${revision}`));
}

/** A page in the order of the slugs, which is full unless it is the last one. */
export async function listRegistry(
  app: App,
  actor: Actor,
  org: string,
  { cursor, limit, search, updated_since: since, include_deleted: deletedToo, version }: ListRegistry,
): Promise<RegistryList> {
  const tenant = await findOffered(app, org);
  const last = decodeCursor(cursor, Cursor);
  let after = last && { slug: last[0], id: last[1] };
  const prefix = registryName(app.config.baseUrl, tenant.slug, "");
  const text = search === undefined ? undefined : beyondPrefix(search, prefix);
  const revision = version === undefined || version === "latest" ? undefined : revisionOf(version);
  const filter = {
    text,
    revision,
    since: since === undefined ? undefined : new Date(since),
    deleted: deletedToo ?? since !== undefined,
  };
  const found: { server: McpServerDoc; entry: RegistryVersion }[] = [];
  for (;;) {
    const rows = await app.storage.mcpServers.listMatching(tenant._id, filter, after, batch);
    const current = await withoutReplaced(app, tenant._id, rows);
    for (const server of await withoutRestricted(app, actor, current)) {
      const entry = toServerJson(server, prefix + server.slug);
      if (!("problem" in entry)) found.push({ server, entry });
    }
    const end = rows.at(-1);
    if (!end || rows.length < batch || found.length > limit) break;
    after = { slug: end.slug, id: end._id };
  }
  const page = found.slice(0, limit);
  const end = page.at(-1)?.server;
  const next = end && found.length > page.length ? { nextCursor: encodeCursor([end.slug, end._id]) } : {};
  return { servers: page.map(({ entry }) => entry), metadata: { count: page.length, ...next } };
}

/** A server by its name in the form, under any slug that the organization has had. */
export async function readRegistry(
  app: App,
  actor: Actor,
  org: string,
  name: string,
  version = "latest",
): Promise<RegistryVersion> {
  const tenant = await findOffered(app, org);
  const slug = name.slice(name.indexOf("/") + 1);
  const { baseUrl } = app.config;
  const isOurs = tenant.slugs.some((previous) => registryName(baseUrl, previous, slug) === name);
  const server = isOurs ? await app.storage.mcpServers.findBySlug(tenant._id, slug) : null;
  const [open] = server ? await withoutRestricted(app, actor, [server]) : [];
  const entry = open && toServerJson(open, registryName(baseUrl, tenant.slug, slug));
  const isWanted = version === "latest" || (open && version === versionOf(open.revision));
  if (!entry || "problem" in entry || !isWanted) throw notFound("mcpServer", name);
  return entry;
}

/** The part of a searched text that not all names of the organization contain. */
function beyondPrefix(search: string, prefix: string): string | undefined {
  if (prefix.includes(search.toLowerCase())) return undefined;
  const at = search.indexOf("/") + 1;
  return at > 0 && prefix.endsWith(search.slice(0, at).toLowerCase()) ? search.slice(at) : search;
}

/** 0, which no server has, for another version than one of ours. */
function revisionOf(version: string): number {
  return Number(/^([1-9]\d{0,8})\.0\.0$/.exec(version)?.[1] ?? 0);
}

export const tagOf = (body: string) => createHash("sha256").update(body).digest("hex").slice(0, 32);
