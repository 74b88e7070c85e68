import type { McpServerConfig } from "../../contract/mcp-servers.ts";
import type { McpServerPayload } from "../../contract/payloads/mcp-servers.ts";
import type { Actor } from "../access/actor.ts";
import { membershipIn } from "../access/decide.ts";
import type { App } from "../app.ts";
import { checkEntry } from "./catalog/convert.ts";
import { actsOnServer, type SeenServer } from "./load.ts";
import { changedConfig } from "./update-server.ts";

/** Payloads of servers, in their order. */
export async function presentServers(
  app: App,
  actor: Actor,
  seen: readonly SeenServer[],
): Promise<McpServerPayload[]> {
  const creators = await app.storage.users.listByIds([
    ...new Set(seen.map(({ server }) => server.createdBy)),
  ]);
  const usernames = new Map(creators.map((user) => [user._id, user.username]));
  const updates = await findUpdates(app, seen);
  return seen.map((one) => {
    const { server, context } = one;
    return {
      id: server._id,
      publicId: server.publicId,
      slug: server.slug,
      tenantId: server.tenantId,
      tenantSlug: membershipIn(actor, server.tenantId)?.tenantSlug ?? "",
      name: server.name,
      description: server.description,
      ...presentConfig(server.config),
      revision: server.revision,
      source: server.source,
      catalogName: server.catalog?.name,
      catalogVersion: server.catalog?.version,
      catalogUpdate: updates.get(server._id),
      edited: server.source === "catalog" && !server.follows,
      folderId: server.folderId,
      restricted: Boolean(context?.restriction),
      can: actsOnServer(actor, one),
      createdBy: usernames.get(server.createdBy) ?? null,
      createdAt: server.createdAt.toISOString(),
      updatedAt: server.updatedAt.toISOString(),
    };
  });
}

export async function presentServer(app: App, actor: Actor, seen: SeenServer): Promise<McpServerPayload> {
  return (await presentServers(app, actor, [seen]))[0]!;
}

function presentConfig({
  transport,
  command,
  args,
  env,
  url,
  allowHttp,
  headers,
  variables,
}: McpServerConfig) {
  return {
    transport,
    command: command ?? undefined,
    args: [...args],
    env: [...env],
    url: url ?? undefined,
    allowHttp: allowHttp ? true : undefined,
    headers: [...headers],
    variables: [...variables],
  };
}

/** Later versions of imports, which have not been taken over. */
async function findUpdates(app: App, seen: readonly SeenServer[]) {
  const imports = seen.flatMap(({ server }) =>
    server.catalog ? [{ ...server, catalog: server.catalog }] : [],
  );
  const names = [...new Set(imports.map(({ catalog }) => catalog.name))];
  const latest = names.length === 0 ? [] : await app.storage.mcpCatalog.listLatest(names);
  const byName = new Map(latest.map((version) => [version.name, version]));
  return new Map(
    imports.flatMap(({ _id, config, catalog }) => {
      const found = byName.get(catalog.name);
      if (!found || found.version === catalog.version) return [];
      const entry = checkEntry(found.entry);
      if ("problem" in entry) return [];
      return [[_id, { version: found.version, changed: changedConfig(config, entry.config) }] as const];
    }),
  );
}
