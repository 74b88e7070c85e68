/** Search of the catalog, and import of its servers. */
import { z } from "zod";
import type { McpCatalogEntryPayload } from "../../../contract/payloads/mcp-servers.ts";
import type { CatalogVersion } from "../../../storage/mcp/catalog.ts";
import type { Actor } from "../../access/actor.ts";
import { limitsOf, membershipIn } from "../../access/decide.ts";
import { memberMay } from "../../access/permissions.ts";
import type { App } from "../../app.ts";
import { forbidden, notFound, ServiceError } from "../../errors.ts";
import { decodeCursor, pageOf } from "../../http/request/cursor.ts";
import { Page } from "../../http/route.ts";
import { loadTenant } from "../../orgs/service.ts";
import { createServer } from "../create-server.ts";
import type { SeenServer } from "../load.ts";
import { CreateMcpServer, type ImportMcpServer, type SearchCatalog } from "../schema.ts";
import { termsOf } from "./mirror.ts";

const Cursor = z.tuple([z.string().max(200)]);

/** The latest versions whose words begin with those of the query, in the order of their names. */
export async function searchCatalog(
  app: App,
  actor: Actor,
  tenantRef: string,
  { query, cursor, limit }: SearchCatalog,
): Promise<Page<McpCatalogEntryPayload>> {
  const tenant = await loadTenant(app, actor, tenantRef, "member");
  if (!memberMay(membershipIn(actor, tenant._id), limitsOf(actor), "mcpServer:read"))
    throw forbidden(`Your role or token does not allow mcpServer:read in "${tenant.slug}".`);
  if (app.config.mcpCatalog.url === undefined) return new Page<McpCatalogEntryPayload>([], null);
  const after = decodeCursor(cursor, Cursor)?.[0];
  const found = await app.storage.mcpCatalog.list(termsOf(query ?? ""), after, limit + 1);
  return pageOf(found, limit, (last) => [last.name]).map(presentEntry);
}

function presentEntry({ name, title, description, version, entry, updatedAt }: CatalogVersion) {
  const config = "config" in entry ? entry.config : undefined;
  return {
    name,
    title,
    description,
    version,
    transport: config?.transport,
    target: config && (config.url ?? [config.command, ...config.args].join(" ")),
    problem: "problem" in entry ? entry.problem : undefined,
    updatedAt: updatedAt.toISOString(),
  };
}

/**
 * Registers a server with the configuration of the catalog. It follows the catalog if its latest version is imported.
 * Throws `not_found`, and `refused` for one that can't be a configuration here.
 */
export async function importServer(
  app: App,
  actor: Actor,
  tenantRef: string,
  { name, version, slug, folderId }: ImportMcpServer,
): Promise<SeenServer> {
  await loadTenant(app, actor, tenantRef, "member");
  const { mcpCatalog } = app.storage;
  const isOffered = app.config.mcpCatalog.url !== undefined;
  const found =
    version === undefined ? await mcpCatalog.findLatest(name) : await mcpCatalog.findVersion(name, version);
  if (!found || !isOffered) throw notFound("mcpServer", version === undefined ? name : `${name}@${version}`);
  const { entry } = found;
  if ("problem" in entry) throw notImportable(name, entry.problem);
  const { title, description } = found;
  const input = CreateMcpServer.safeParse({ name: title, description, slug, folderId, ...entry.config });
  // The entry was mirrored by an earlier version, with other checks.
  if (!input.success) throw notImportable(name, `${input.error.issues[0]!.message}.`);
  return createServer(app, actor, tenantRef, input.data, {
    source: "catalog",
    event: "mcp_server.imported",
    metadata: { catalogName: name, catalogVersion: found.version },
    fields: {
      catalog: { name, version: found.version, origin: entry.origin },
      follows: found.latest ? true : undefined,
    },
  });
}

function notImportable(name: string, problem: string): ServiceError {
  return new ServiceError("refused", `"${name}" can't be imported: ${problem}`, {
    kind: "mcpServer",
    ref: name,
  });
}
