/** The registry of MCP servers, as it crosses the wire. `contract/mcp-servers.ts` has the rules. */
import { z } from "zod";
import { limits } from "../limits.ts";
import {
  installScopes,
  mcpInstallModes,
  mcpServerSources,
  mcpTargets,
  mcpTransports,
  mcpValueFormats,
} from "../vocabulary.ts";
import { timestamp } from "./timestamp.ts";

const name = z.string().min(1).max(limits.mcpValueName);

export const McpFixedValue = z
  .strictObject({
    name,
    kind: z.literal("fixed"),
    value: z.string().max(limits.mcpFixedValue).meta({
      description: "the same for everyone, stored as plain text; a header may contain placeholders {NAME}",
    }),
  })
  .meta({ id: "McpFixedValue" });

export const McpMemberValue = z
  .strictObject({
    name,
    kind: z.literal("member"),
    label: z.string().trim().min(1).max(limits.mcpValueLabel),
    description: z.string().trim().max(limits.mcpValueDescription).optional(),
    secret: z.boolean(),
    required: z.boolean(),
    format: z.enum(mcpValueFormats).optional().meta({ description: "default: string" }),
  })
  .meta({ id: "McpMemberValue", description: "supplied by each member at installation, and never stored" });

export const McpValue = z.discriminatedUnion("kind", [McpFixedValue, McpMemberValue]);

/** The fields that the entry in a tool's file is made from. */
export const mcpServerConfig = {
  transport: z.enum(mcpTransports),
  command: z.string().max(limits.mcpCommand).optional().meta({ description: "stdio only" }),
  args: z
    .array(z.string().max(limits.mcpArgument))
    .max(limits.mcpArguments)
    .meta({ description: "stdio only; may contain placeholders {NAME}" }),
  env: z.array(McpValue).max(limits.mcpValues).meta({ description: "environment variables; stdio only" }),
  url: z
    .string()
    .max(limits.mcpUrl)
    .optional()
    .meta({ description: "http and sse only; may contain placeholders {NAME}" }),
  allowHttp: z.boolean().optional().meta({
    description: "set for a URL without encryption; the service itself never connects to such a one",
  }),
  headers: z.array(McpValue).max(limits.mcpValues).meta({ description: "http and sse only" }),
  variables: z
    .array(McpMemberValue)
    .max(limits.mcpValues)
    .meta({ description: "values of members that only fill placeholders" }),
};

export const McpServerPayload = z
  .object({
    id: z.string(),
    publicId: z.string(),
    slug: z.string().meta({ description: "key of the entry in each tool's file; it does not change" }),
    tenantId: z.string(),
    tenantSlug: z.string(),
    name: z.string(),
    description: z.string(),
    ...mcpServerConfig,
    revision: z.number().int().meta({ description: "number of saves, from 1" }),
    source: z.enum(mcpServerSources),
    catalogName: z.string().optional(),
    catalogVersion: z.string().optional(),
    catalogUpdate: z
      .object({ version: z.string(), changed: z.array(z.string()) })
      .optional()
      .meta({ description: "a later version in the catalog, and the fields that taking it over changes" }),
    edited: z.boolean().meta({
      description: "an import of an earlier version, or changed here: it does not follow the catalog",
    }),
    folderId: z.string().nullable(),
    restricted: z.boolean().meta({
      description: "in a restricted folder: only members with a grant on it see the server",
    }),
    can: z.array(z.enum(["update", "delete", "analytics"])).meta({ description: "what the caller may do" }),
    createdBy: z.string().nullable().meta({ description: "user name; null when that account is gone" }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "McpServer" });
export type McpServerPayload = z.infer<typeof McpServerPayload>;

export const McpCatalogUpdatePayload = z
  .object({
    version: z.string(),
    revision: z.number().int().meta({ description: "of the server" }),
    changes: z.array(
      z.object({
        field: z.string(),
        current: z.array(z.string()).meta({ description: "the current value, in lines; empty without one" }),
        latest: z.array(z.string()),
        changedHere: z.boolean().meta({
          description: "the current value is not that of the imported version, as far as that is known",
        }),
      }),
    ),
  })
  .meta({
    id: "McpCatalogUpdate",
    description: "what taking over the latest version of the catalog changes",
  });
export type McpCatalogUpdatePayload = z.infer<typeof McpCatalogUpdatePayload>;

export const McpInstallPayload = z
  .object({
    id: z.string(),
    user: z.object({ id: z.string(), username: z.string(), name: z.string() }),
    platform: z.enum(mcpTargets),
    scope: z.enum(installScopes),
    via: z.enum(mcpInstallModes),
    revision: z.number().int(),
    updateAvailable: z.boolean().meta({ description: "the server has a later revision" }),
    installedAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "McpInstall" });
export type McpInstallPayload = z.infer<typeof McpInstallPayload>;

const installs = z.number().int().meta({ description: "install locations of members" });

export const McpAnalyticsPayload = z
  .object({
    installs,
    outdated: installs.meta({ description: "those of an earlier revision" }),
    members: z.number().int().meta({ description: "members who have it" }),
    revisions: z
      .array(z.object({ revision: z.number().int(), installs }))
      .meta({ description: "latest first" }),
    platforms: z.array(z.object({ platform: z.enum(mcpTargets), installs })),
  })
  .meta({ id: "McpAnalytics" });
export type McpAnalyticsPayload = z.infer<typeof McpAnalyticsPayload>;

/** Effects of the deletion of a server. */
export const McpServerDeletionPayload = z
  .object({
    skills: z
      .array(z.object({ slug: z.string(), name: z.string() }))
      .meta({ description: "skills that require it and that you may read, at most 20" }),
    hasMoreSkills: z.boolean(),
    hasHiddenSkills: z.boolean().meta({
      description: "skills that you may not read require it too: you can't delete it",
    }),
    connectors: z.number().int().meta({ description: "hosted connectors of members, which end" }),
    installs: z
      .number()
      .int()
      .optional()
      .meta({ description: "installs, which stay in the tools; for callers with analytics:read" }),
  })
  .meta({ id: "McpServerDeletion" });
export type McpServerDeletionPayload = z.infer<typeof McpServerDeletionPayload>;

export const RequiredMcpServer = z
  .object({ tenantSlug: z.string(), slug: z.string(), transport: z.enum(mcpTransports) })
  .meta({ id: "RequiredMcpServer" });
export type RequiredMcpServer = z.infer<typeof RequiredMcpServer>;

/** A server of the catalog. */
export const McpCatalogEntryPayload = z
  .object({
    name: z.string().meta({ description: "reverse-DNS name in the registry" }),
    title: z.string(),
    description: z.string(),
    version: z.string().meta({ description: "the latest one" }),
    transport: z.enum(mcpTransports).optional(),
    target: z.string().optional().meta({ description: "address of a remote server, or command line" }),
    problem: z.string().optional().meta({ description: "why it can't be imported" }),
    updatedAt: timestamp,
  })
  .meta({ id: "McpCatalogEntry" });
export type McpCatalogEntryPayload = z.infer<typeof McpCatalogEntryPayload>;

/** The switch of an organization for the interface of the public registry. */
export const McpRegistryPayload = z
  .object({
    enabled: z.boolean(),
    url: z.string().meta({ description: "base URL for clients; they append /v0.1/servers" }),
    listed: z
      .array(z.string())
      .optional()
      .meta({ description: "slugs of the servers that anyone can read while it is enabled" }),
    omitted: z
      .array(z.object({ slug: z.string(), reason: z.string() }))
      .optional()
      .meta({ description: "servers that you may read and that have no entry" }),
  })
  .meta({
    id: "McpRegistry",
    description: "the lists are for callers whose role allows mcpServer:read",
  });
export type McpRegistryPayload = z.infer<typeof McpRegistryPayload>;
