/** The catalog of MCP servers over HTTP. */
import {
  McpCatalogEntryPayload,
  McpCatalogUpdatePayload,
  McpServerPayload,
} from "../../../contract/payloads/mcp-servers.ts";
import type { App } from "../../app.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { TenantParams } from "../../orgs/schema.ts";
import { presentServer } from "../present.ts";
import { ApplyCatalogUpdate, ImportMcpServer, McpServerParams, SearchCatalog } from "../schema.ts";
import { readServer } from "../service.ts";
import { applyCatalogUpdate, readCatalogUpdate } from "./apply-update.ts";
import { importServer, searchCatalog } from "./import-server.ts";

const route = routesOf({ tag: "MCP servers", auth: "required" });
const base = "/api/tenants/:tenant/mcp-servers";

export function catalogRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: `${base}/catalog`,
      id: "searchMcpCatalog",
      summary: "Search the catalog of MCP servers",
      params: TenantParams,
      query: SearchCatalog,
      data: McpCatalogEntryPayload,
      page: true,
      budget: "search",
      handle: ({ actor, params, query }) => searchCatalog(app, actor, params.tenant, query),
    }),
    route({
      method: "post",
      path: `${base}/import`,
      id: "importMcpServer",
      failures: ["already_exists", "limit_reached", "managed_folder", "refused"],
      summary: "Register an MCP server of the catalog",
      params: TenantParams,
      body: ImportMcpServer,
      status: 201,
      data: McpServerPayload,
      handle: async ({ actor, params, body }) =>
        presentServer(app, actor, await importServer(app, actor, params.tenant, body)),
      authorizeRepeat: ({ actor, params }, { id }: McpServerPayload) =>
        readServer(app, actor, params.tenant, id),
    }),
    route({
      method: "get",
      path: `${base}/:server/catalog-update`,
      id: "getCatalogUpdate",
      failures: ["refused"],
      summary: "Compare an imported MCP server with the latest version of the catalog",
      params: McpServerParams,
      data: McpCatalogUpdatePayload,
      handle: ({ actor, params }) => readCatalogUpdate(app, actor, params.tenant, params.server),
    }),
    route({
      method: "post",
      path: `${base}/:server/apply-catalog`,
      id: "applyCatalogUpdate",
      failures: ["conflict", "refused"],
      summary: "Apply the latest version of the catalog to an imported MCP server",
      params: McpServerParams,
      body: ApplyCatalogUpdate,
      data: McpServerPayload,
      handle: async ({ actor, params, body }) =>
        presentServer(app, actor, await applyCatalogUpdate(app, actor, params.tenant, params.server, body)),
    }),
  ];
}
