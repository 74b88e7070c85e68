/** Input of the routes for MCP servers. */
import { z } from "zod";
import { checkMcpServer } from "../../contract/checks/mcp-checks.ts";
import { oneLineText, plainTextOfLines } from "../../contract/checks/unsafe-characters.ts";
import { limits } from "../../contract/limits.ts";
import { reservedMcpSlugs } from "../../contract/mcp-servers.ts";
import { slugPattern } from "../../contract/names/slug.ts";
import { mcpServerConfig } from "../../contract/payloads/mcp-servers.ts";
import { installScopes, mcpInstallModes, mcpTargets, mcpTransports } from "../../contract/vocabulary.ts";
import { listQuery } from "../http/request/cursor.ts";
import { catalogName, catalogVersion } from "./catalog/registry-schema.ts";

const name = z
  .string()
  .trim()
  .min(1)
  .max(limits.mcpServerName)
  .regex(oneLineText, "must be one line without control characters");
const description = z
  .string()
  .trim()
  .max(limits.mcpServerDescription)
  .regex(plainTextOfLines, "must have no control characters except line breaks and tabs");
export const mcpServerSlug = z
  .string()
  .max(limits.mcpServerSlug)
  .regex(slugPattern, "must be lower-case letters, digits and single hyphens")
  .refine((slug) => !reservedMcpSlugs.includes(slug), "is reserved: choose another slug");
const folderId = z
  .string()
  .min(1)
  .max(64)
  .nullable()
  .meta({ description: "folder whose restriction decides who sees it; null is the root" });

const { transport, command, url, allowHttp, ...lists } = mcpServerConfig;

export const CreateMcpServer = z
  .strictObject({
    name,
    slug: mcpServerSlug.optional().meta({ description: "default: made from the name" }),
    description: description.default(""),
    folderId: folderId.default(null),
    transport,
    command,
    url,
    allowHttp,
    args: lists.args.default([]),
    env: lists.env.default([]),
    headers: lists.headers.default([]),
    variables: lists.variables.default([]),
  })
  .superRefine((server, context) => {
    for (const { path, message } of checkMcpServer(server))
      context.addIssue({ code: "custom", path: path.split("."), message });
  });
export type CreateMcpServer = z.output<typeof CreateMcpServer>;

const editedRevision = z
  .number()
  .int()
  .min(1)
  .meta({ description: "the revision that was edited; 409 if there is a later one" });

export const UpdateMcpServer = z
  .strictObject({
    name: name.optional(),
    description: description.optional(),
    folderId: folderId.optional(),
    transport: transport.optional(),
    command: command.unwrap().nullable().optional(),
    url: url.unwrap().nullable().optional(),
    allowHttp,
    args: lists.args.optional(),
    env: lists.env.optional(),
    headers: lists.headers.optional(),
    variables: lists.variables.optional(),
    revision: editedRevision.optional(),
  })
  .refine((fields) => Object.keys(fields).some((field) => field !== "revision"), "needs a field to change");
export type UpdateMcpServer = z.output<typeof UpdateMcpServer>;

export const ApplyCatalogUpdate = z.strictObject({
  version: catalogVersion.meta({
    description: "the version that was looked at; 409 if the catalog has a later one",
  }),
  revision: editedRevision.optional(),
});
export type ApplyCatalogUpdate = z.output<typeof ApplyCatalogUpdate>;

const installPlace = {
  platform: z.enum(mcpTargets),
  scope: z.enum(installScopes),
  machine: z
    .string()
    .max(limits.machineId)
    .regex(/^[\x21-\x7e]+$/, "must be visible ASCII characters")
    .meta({ description: "an id that the client has generated" }),
};
export const McpInstallPlace = z.object(installPlace);
export type McpInstallPlace = z.output<typeof McpInstallPlace>;
export const RecordMcpInstall = z.strictObject({
  ...installPlace,
  revision: z.number().int().min(1),
  via: z.enum(mcpInstallModes).default("local"),
});
export type RecordMcpInstall = z.output<typeof RecordMcpInstall>;

const tenant = z.string().min(1).max(64).meta({ description: "id or slug" });
export const McpServerParams = z.object({
  tenant,
  server: z.string().min(1).max(64).meta({ description: "slug, publicId or id" }),
});
export const ListMcpServers = z.object(listQuery);
export type ListMcpServers = z.output<typeof ListMcpServers>;
export const FindMcpServers = z.object({
  ...listQuery,
  ref: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: "organization/slug, a slug, a publicId or an id; without it, lists all" }),
});
export type FindMcpServers = z.output<typeof FindMcpServers>;

export const SearchCatalog = z.object({
  ...listQuery,
  query: z
    .string()
    .max(200)
    .optional()
    .meta({ description: "beginnings of words in the name, title and description" }),
});
export type SearchCatalog = z.output<typeof SearchCatalog>;
export const ImportMcpServer = z.strictObject({
  name: catalogName.meta({ description: "name in the catalog, such as io.github.user/weather" }),
  version: catalogVersion.optional().meta({ description: "default: the latest one, which it then follows" }),
  slug: mcpServerSlug.optional().meta({ description: "default: made from the title" }),
  folderId: folderId.default(null),
});
export type ImportMcpServer = z.output<typeof ImportMcpServer>;

export const requiredMcpServers = z
  .array(
    z.strictObject({
      tenantSlug: z.string().min(1).max(64).meta({ description: "the skill's own organization" }),
      slug: z.string().min(1).max(limits.mcpServerSlug),
      transport: z
        .enum(mcpTransports)
        .optional()
        .meta({ description: "ignored, so that a list can be sent as it was read" }),
    }),
  )
  .max(limits.mcpServersPerSkill)
  .meta({ description: "MCP servers that a private skill requires, in place of the previous ones" });
