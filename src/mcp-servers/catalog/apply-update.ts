/** Later versions of the catalog that were not taken over automatically: what they change, and taking them over. */
import type { McpServerConfig, McpValue } from "../../../contract/mcp-servers.ts";
import type { McpCatalogUpdatePayload } from "../../../contract/payloads/mcp-servers.ts";
import type { McpServerDoc } from "../../../storage/mcp/servers.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { loadTenant } from "../../orgs/service.ts";
import { loadServerIn, type SeenServer } from "../load.ts";
import type { ApplyCatalogUpdate } from "../schema.ts";
import { changedConfig, changedConcurrently, saveServer } from "../update-server.ts";
import { checkEntry } from "./convert.ts";

/** In the order in which a person should look at them: what members' tools would run or connect to comes first. */
const fields = [
  "transport",
  "command",
  "url",
  "allowHttp",
  "args",
  "env",
  "headers",
  "variables",
] as const satisfies (keyof McpServerConfig)[];

/** Compares a server with the latest version of the catalog. Throws `refused` if there is nothing to take over. */
export async function readCatalogUpdate(
  app: App,
  actor: Actor,
  tenantRef: string,
  ref: string,
): Promise<McpCatalogUpdatePayload> {
  const tenant = await loadTenant(app, actor, tenantRef, "member");
  const { server } = await loadServerIn(app, actor, tenant._id, ref, "mcpServer:read");
  const { latest, changes } = await findUpdate(app, server);
  const imported = await importedConfig(app, server);
  const changed = new Set(changes);
  const changedHere = new Set<string>(imported ? changedConfig(imported, server.config) : fields);
  return {
    version: latest.version,
    revision: server.revision,
    changes: fields
      .filter((field) => changed.has(field))
      .map((field) => ({
        field,
        current: linesOf(server.config[field]),
        latest: linesOf(latest.config[field]),
        changedHere: changedHere.has(field),
      })),
  };
}

/**
 * Takes over the latest version of the catalog, which the import then follows again. Throws `conflict` if the catalog
 * or the server was changed after the caller looked at them.
 */
export async function applyCatalogUpdate(
  app: App,
  actor: Actor,
  tenantRef: string,
  ref: string,
  { version, revision }: ApplyCatalogUpdate,
): Promise<SeenServer> {
  const tenant = await loadTenant(app, actor, tenantRef, "member");
  const seen = await loadServerIn(app, actor, tenant._id, ref, "mcpServer:update");
  const { server } = seen;
  const { latest, changes } = await findUpdate(app, server);
  if (latest.version !== version)
    throw new ServiceError(
      "conflict",
      `The catalog has version ${latest.version} of "${server.slug}": look at what it changes, then take it over.`,
      { kind: "mcpServer", ref: server.slug },
    );
  if (revision !== undefined && revision !== server.revision) throw changedConcurrently(server);
  const { name, description, folderId } = server;
  const { config, catalog } = latest;
  return saveServer(app, actor, seen, { name, description, folderId, config, follows: true, catalog }, [
    ...changes,
    "catalogVersion",
  ]);
}

/** The latest version, and the fields of the configuration that it would change. */
async function findUpdate(app: App, server: McpServerDoc) {
  const { catalog } = server;
  const found = catalog && (await app.storage.mcpCatalog.findLatest(catalog.name));
  const entry = found && checkEntry(found.entry);
  const changes = entry && "config" in entry ? changedConfig(server.config, entry.config) : [];
  const isPresent = changes.length === 0 && server.follows && found?.version === catalog?.version;
  if (!found || !entry || "problem" in entry || isPresent)
    throw new ServiceError("refused", `The catalog has no version that "${server.slug}" could take over.`, {
      kind: "mcpServer",
      ref: server.slug,
    });
  const { name, version } = found;
  const { config, origin } = entry;
  return { latest: { version, config, catalog: { name, version, origin } }, changes };
}

/** The configuration of the version that was imported. Undefined if the mirror does not have it. */
async function importedConfig(app: App, { catalog }: McpServerDoc): Promise<McpServerConfig | undefined> {
  const found = catalog && (await app.storage.mcpCatalog.findVersion(catalog.name, catalog.version));
  return found && "config" in found.entry ? found.entry.config : undefined;
}

function linesOf(value: McpServerConfig[keyof McpServerConfig] | null): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string" || typeof value === "boolean") return [String(value)];
  return value.map((one) => (typeof one === "string" ? one : describeValue(one)));
}

function describeValue(value: McpValue): string {
  if (value.kind === "fixed") return `${value.name} = ${value.value}`;
  const facts = [
    ...(value.secret ? ["secret"] : []),
    value.required ? "required" : "optional",
    ...(value.format === undefined ? [] : [value.format]),
  ];
  const text = value.description === undefined ? value.label : `${value.label}, ${value.description}`;
  return `${value.name}: from each member (${facts.join(", ")}), ${text}`;
}
