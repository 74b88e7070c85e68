/**
 * A registered server in the form of the public MCP registry (`server.json`, API v0.1). Anyone can read the result: it
 * has the configuration, and neither people nor folders.
 */
import { toOneLine } from "../../../contract/checks/unsafe-characters.ts";
import type { McpServerConfig } from "../../../contract/mcp-servers.ts";
import type { McpServerDoc } from "../../../storage/mcp/servers.ts";
import { officialKey } from "../catalog/registry-schema.ts";
import { valueOf, variablesOf } from "./inputs.ts";
import { packageOf } from "./package.ts";

/** Bounds of the form. */
const descriptionLength = 100;
const schema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

export interface RegistryVersion {
  server: {
    $schema: string;
    name: string;
    title: string;
    description: string;
    version: string;
    remotes?: object[];
    packages?: object[];
  };
  _meta: Record<typeof officialKey, object>;
}

/** A revision as the version of the form. */
export const versionOf = (revision: number) => `${revision}.0.0`;

/** Name in the form: the host in reverse order, the organization, and the slug. */
export function registryName(baseUrl: string, org: string, slug: string): string {
  const { hostname } = new URL(baseUrl);
  const isAddress = /^[\d.]+$|:/.test(hostname);
  const parts = isAddress ? [hostname.replaceAll(".", "-")] : hostname.split(".").toReversed();
  const host = parts.join(".").replaceAll(/[^a-z\d.-]+/g, "-");
  return `${host}.${org}/${slug}`;
}

export const hasPublicForm = (server: McpServerDoc) => !("problem" in toServerJson(server, server.slug));

/** A deleted server: its name and its last version. */
function toTombstone(server: McpServerDoc, name: string): RegistryVersion {
  const { name: title, revision, createdAt, updatedAt } = server;
  return {
    server: { $schema: schema, name, title, description: "Deleted", version: versionOf(revision) },
    _meta: {
      [officialKey]: {
        status: "deleted",
        statusChangedAt: updatedAt.toISOString(),
        publishedAt: createdAt.toISOString(),
        updatedAt: updatedAt.toISOString(),
        isLatest: false,
      },
    },
  };
}

/** The server in the form, or the reason why it has none. */
export function toServerJson(server: McpServerDoc, name: string): RegistryVersion | { problem: string } {
  if (server.tombstone) return toTombstone(server, name);
  const { config } = server;
  const parts = config.transport === "stdio" ? packageOf(config) : remoteOf(config);
  if ("problem" in parts) return parts;
  const about = toOneLine(server.description) || server.name;
  return {
    server: {
      $schema: schema,
      name,
      title: server.name,
      description:
        about.length <= descriptionLength
          ? about
          : `${about.slice(0, descriptionLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…`,
      version: versionOf(server.revision),
      ...parts,
    },
    _meta: {
      [officialKey]: {
        status: "active",
        statusChangedAt: server.createdAt.toISOString(),
        publishedAt: server.createdAt.toISOString(),
        updatedAt: server.updatedAt.toISOString(),
        isLatest: true,
      },
    },
  };
}

function remoteOf(config: McpServerConfig): { remotes: object[] } {
  const { transport, url = "", headers } = config;
  return {
    remotes: [
      {
        type: transport === "sse" ? "sse" : "streamable-http",
        url,
        ...variablesOf(url, config),
        headers: headers.length === 0 ? undefined : headers.map((header) => valueOf(header, config)),
      },
    ],
  };
}
