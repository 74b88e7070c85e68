/** MCP servers that an organization has registered, their installs, and the skills that require them. */
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { paths } from "../../generated/api-types.ts";
import { api, dataOf, ok, type Schemas } from "./client.ts";
import { pages, query, whole } from "./query.ts";

export type McpServer = Schemas["McpServer"];
export type McpInstall = Schemas["McpInstall"];
export type McpAnalytics = Schemas["McpAnalytics"];
type Create =
  paths["/api/tenants/{tenant}/mcp-servers"]["post"]["requestBody"]["content"]["application/json"];
type Update =
  paths["/api/tenants/{tenant}/mcp-servers/{server}"]["patch"]["requestBody"]["content"]["application/json"];
type Import =
  paths["/api/tenants/{tenant}/mcp-servers/import"]["post"]["requestBody"]["content"]["application/json"];

const pageSize = 200;
const serverOf = (tenant: string, server: string) => ({ path: { tenant, server } });

/** All servers that the user may read: an organization has at most 500. */
export const mcpServersQuery = (org: string) =>
  whole("/api/tenants/{tenant}/mcp-servers", { tenant: org, limit: pageSize });

export const mcpServerQuery = (org: string, server: string) =>
  query("/api/tenants/{tenant}/mcp-servers/{server}", { tenant: org, server });

/** Skills that require a server, as far as the user may read them. */
export const requiringSkillsQuery = (org: string, server: string) =>
  pages("/api/skills", { tenant_id: org, mcp_server: `${org}/${server}`, limit: 50 });

export const mcpInstallsQuery = (org: string, server: string) =>
  pages("/api/tenants/{tenant}/mcp-servers/{server}/installs", { tenant: org, server, limit: 50 });

export const mcpAnalyticsQuery = (org: string, server: string) =>
  query("/api/tenants/{tenant}/mcp-servers/{server}/analytics", { tenant: org, server });

export const createMcpServer = (tenant: string, body: Create) =>
  dataOf(api.POST("/api/tenants/{tenant}/mcp-servers", { params: { path: { tenant } }, body }));

export const updateMcpServer = (tenant: string, server: string, body: Update) =>
  dataOf(api.PATCH("/api/tenants/{tenant}/mcp-servers/{server}", { params: serverOf(tenant, server), body }));

/** Effects of the deletion of a server. */
export const mcpDeletionQuery = (org: string, server: string) =>
  query("/api/tenants/{tenant}/mcp-servers/{server}/deletion", { tenant: org, server });

export const deleteMcpServer = (tenant: string, server: string) =>
  ok(api.DELETE("/api/tenants/{tenant}/mcp-servers/{server}", { params: serverOf(tenant, server) }));

export type McpRegistry = Schemas["McpRegistry"];

/** Whether anyone can read the servers, and which ones. */
export const mcpRegistryQuery = (tenant: string) => query("/api/tenants/{tenant}/mcp-registry", { tenant });

export const changeMcpRegistry = (tenant: string, enabled: boolean) =>
  dataOf(api.PUT("/api/tenants/{tenant}/mcp-registry", { params: { path: { tenant } }, body: { enabled } }));

export type CatalogEntry = Schemas["McpCatalogEntry"];

/** Servers of the catalog whose words begin with those of the query. */
export const mcpCatalogQuery = (org: string, text: string) =>
  infiniteQueryOptions({
    ...pages("/api/tenants/{tenant}/mcp-servers/catalog", { tenant: org, query: text, limit: 20 }),
    placeholderData: keepPreviousData,
  });

export const importMcpServer = (tenant: string, body: Import) =>
  dataOf(api.POST("/api/tenants/{tenant}/mcp-servers/import", { params: { path: { tenant } }, body }));

export type CatalogUpdate = Schemas["McpCatalogUpdate"];

/** Compares a server with the latest version of the catalog. */
export const readCatalogUpdate = (tenant: string, server: string) =>
  dataOf(
    api.GET("/api/tenants/{tenant}/mcp-servers/{server}/catalog-update", {
      params: serverOf(tenant, server),
    }),
  );

/** Takes over the version that was looked at. */
export const applyCatalogUpdate = (
  tenant: string,
  server: string,
  { version, revision }: Pick<CatalogUpdate, "version" | "revision">,
) =>
  dataOf(
    api.POST("/api/tenants/{tenant}/mcp-servers/{server}/apply-catalog", {
      params: serverOf(tenant, server),
      body: { version, revision },
    }),
  );
