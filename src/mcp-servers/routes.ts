/** The registry of MCP servers over HTTP. */
import {
  McpAnalyticsPayload,
  McpInstallPayload,
  McpServerPayload,
} from "../../contract/payloads/mcp-servers.ts";
import { RecordedInstallPayload } from "../../contract/payloads/usage/analytics.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { Page, routesOf, type Route } from "../http/route.ts";
import { TenantParams } from "../orgs/schema.ts";
import { catalogRoutes } from "./catalog/routes.ts";
import { createServer } from "./create-server.ts";
import { forgetInstall, listInstalls, readAnalytics, recordInstall } from "./installs.ts";
import type { SeenServer } from "./load.ts";
import { presentServer, presentServers } from "./present.ts";
import { registrySwitchRoutes } from "./public-registry/routes.ts";
import {
  CreateMcpServer,
  FindMcpServers,
  ListMcpServers,
  McpInstallPlace,
  McpServerParams,
  RecordMcpInstall,
  UpdateMcpServer,
} from "./schema.ts";
import { findServers, listServers, readServer } from "./service.ts";
import { updateServer } from "./update-server.ts";

const route = routesOf({ tag: "MCP servers", auth: "required" });
const base = "/api/tenants/:tenant/mcp-servers";
const item = `${base}/:server`;

export function mcpServerRoutes(app: App): Route[] {
  return [
    ...catalogRoutes(app),
    ...registrySwitchRoutes(app),
    ...readRoutes(app),
    ...changeRoutes(app),
    ...installRoutes(app),
  ];
}

async function presentPage(app: App, actor: Actor, page: Page<SeenServer>): Promise<Page<McpServerPayload>> {
  return new Page(await presentServers(app, actor, page.items), page.nextCursor);
}

function readRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/mcp-servers",
      id: "findMcpServers",
      failures: ["reauthentication_required", "not_found", "ambiguous"],
      summary:
        "Find an MCP server by organization/slug, slug, publicId or id, or list those of your organizations",
      query: FindMcpServers,
      data: McpServerPayload,
      page: true,
      handle: async ({ actor, query }) => presentPage(app, actor, await findServers(app, actor, query)),
    }),
    route({
      method: "get",
      path: base,
      id: "listMcpServers",
      summary: "List the MCP servers of an organization in the order of their slugs",
      params: TenantParams,
      query: ListMcpServers,
      data: McpServerPayload,
      page: true,
      handle: async ({ actor, params, query }) =>
        presentPage(app, actor, await listServers(app, actor, params.tenant, query)),
    }),
    route({
      method: "get",
      path: item,
      id: "getMcpServer",
      summary: "Read an MCP server",
      params: McpServerParams,
      data: McpServerPayload,
      handle: async ({ actor, params }) =>
        presentServer(app, actor, await readServer(app, actor, params.tenant, params.server)),
    }),
  ];
}

function changeRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: base,
      id: "createMcpServer",
      failures: ["already_exists", "limit_reached", "managed_folder"],
      summary: "Register an MCP server",
      params: TenantParams,
      body: CreateMcpServer,
      status: 201,
      data: McpServerPayload,
      handle: async ({ actor, params, body }) =>
        presentServer(app, actor, await createServer(app, actor, params.tenant, body)),
      authorizeRepeat: ({ actor, params }, { id }: McpServerPayload) =>
        readServer(app, actor, params.tenant, id),
    }),
    route({
      method: "patch",
      path: item,
      id: "updateMcpServer",
      failures: ["conflict", "limit_reached", "managed_folder"],
      summary: "Change an MCP server; each save has the next revision, which clients take over",
      params: McpServerParams,
      body: UpdateMcpServer,
      data: McpServerPayload,
      handle: async ({ actor, params, body }) =>
        presentServer(app, actor, await updateServer(app, actor, params.tenant, params.server, body)),
    }),
  ];
}

function installRoutes(app: App): Route[] {
  return [
    route({
      method: "put",
      path: `${item}/installs`,
      id: "reportMcpInstall",
      summary: "Report that you have a revision of an MCP server installed",
      params: McpServerParams,
      body: RecordMcpInstall,
      data: RecordedInstallPayload,
      handle: ({ actor, params, body }) => recordInstall(app, actor, params, body),
    }),
    route({
      method: "delete",
      path: `${item}/installs`,
      id: "removeMcpInstall",
      summary: "Report that you don't have it installed any more",
      params: McpServerParams,
      query: McpInstallPlace,
      data: null,
      handle: ({ actor, params, query }) => forgetInstall(app, actor, params, query),
    }),
    route({
      method: "get",
      path: `${item}/installs`,
      id: "listMcpInstalls",
      summary: "List which members have an MCP server installed, latest report first",
      params: McpServerParams,
      query: ListMcpServers,
      data: McpInstallPayload,
      page: true,
      handle: ({ actor, params, query }) => listInstalls(app, actor, params, query),
    }),
    route({
      method: "get",
      path: `${item}/analytics`,
      id: "getMcpAnalytics",
      summary: "Count the installs of an MCP server by revision and tool",
      params: McpServerParams,
      data: McpAnalyticsPayload,
      budget: "analytics",
      handle: ({ actor, params }) => readAnalytics(app, actor, params),
    }),
  ];
}
