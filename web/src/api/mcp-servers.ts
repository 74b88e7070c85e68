/** MCP servers that an organization has registered, their installs, and the skills that require them. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { paths } from "../../generated/api-types.ts";
import { allPages, api, dataOf, ok, type Schemas } from "./client.ts";

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
  queryOptions({
    queryKey: ["mcp-servers", org],
    queryFn: ({ signal }) =>
      allPages(pageSize, (query) =>
        ok(
          api.GET("/api/tenants/{tenant}/mcp-servers", { signal, params: { path: { tenant: org }, query } }),
        ),
      ),
  });

export const mcpServerQuery = (org: string, server: string) =>
  queryOptions({
    queryKey: ["mcp-server", org, server],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET("/api/tenants/{tenant}/mcp-servers/{server}", { signal, params: serverOf(org, server) }),
      ),
  });

/** Skills that require a server, as far as the user may read them. */
export const requiringSkillsQuery = (org: string, server: string) =>
  infiniteQueryOptions({
    queryKey: ["skills", org, "requiring", server],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === "" ? {} : { cursor: pageParam };
      const query = { tenant_id: org, mcp_server: `${org}/${server}`, limit: 50, ...cursor };
      return ok(api.GET("/api/skills", { signal, params: { query } }));
    },
    getNextPageParam: (last) => last.nextCursor,
  });

export const mcpInstallsQuery = (org: string, server: string) =>
  infiniteQueryOptions({
    queryKey: ["mcp-installs", org, server],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 50, cursor: pageParam === "" ? undefined : pageParam };
      const params = { ...serverOf(org, server), query };
      return ok(api.GET("/api/tenants/{tenant}/mcp-servers/{server}/installs", { signal, params }));
    },
    getNextPageParam: (last) => last.nextCursor,
  });

export const mcpAnalyticsQuery = (org: string, server: string) =>
  queryOptions({
    queryKey: ["mcp-analytics", org, server],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET("/api/tenants/{tenant}/mcp-servers/{server}/analytics", {
          signal,
          params: serverOf(org, server),
        }),
      ),
  });

export const createMcpServer = (tenant: string, body: Create) =>
  dataOf(api.POST("/api/tenants/{tenant}/mcp-servers", { params: { path: { tenant } }, body }));

export const updateMcpServer = (tenant: string, server: string, body: Update) =>
  dataOf(api.PATCH("/api/tenants/{tenant}/mcp-servers/{server}", { params: serverOf(tenant, server), body }));

/** Effects of the deletion of a server. */
export const mcpDeletionQuery = (org: string, server: string) =>
  queryOptions({
    queryKey: ["mcp-server", org, server, "deletion"],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET("/api/tenants/{tenant}/mcp-servers/{server}/deletion", {
          signal,
          params: serverOf(org, server),
        }),
      ),
  });

export const deleteMcpServer = (tenant: string, server: string) =>
  ok(api.DELETE("/api/tenants/{tenant}/mcp-servers/{server}", { params: serverOf(tenant, server) }));

export type McpRegistry = Schemas["McpRegistry"];

/** Whether anyone can read the servers, and which ones. */
export const mcpRegistryQuery = (tenant: string) =>
  queryOptions({
    queryKey: ["mcp-registry", tenant],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/tenants/{tenant}/mcp-registry", { signal, params: { path: { tenant } } })),
  });

export const changeMcpRegistry = (tenant: string, enabled: boolean) =>
  dataOf(api.PUT("/api/tenants/{tenant}/mcp-registry", { params: { path: { tenant } }, body: { enabled } }));

export type CatalogEntry = Schemas["McpCatalogEntry"];

/** Servers of the catalog whose words begin with those of the query. */
export const mcpCatalogQuery = (org: string, query: string) =>
  infiniteQueryOptions({
    queryKey: ["mcp-catalog", org, query],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const filter = query === "" ? {} : { query };
      const page = { limit: 20, ...filter, cursor: pageParam === "" ? undefined : pageParam };
      const params = { path: { tenant: org }, query: page };
      return ok(api.GET("/api/tenants/{tenant}/mcp-servers/catalog", { signal, params }));
    },
    getNextPageParam: (last) => last.nextCursor,
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
