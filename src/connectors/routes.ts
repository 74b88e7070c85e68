import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import {
  ConnectorCallPayload,
  ConnectorPayload,
  ConnectResultPayload,
  CreatedConnectorPayload,
  McpCentralPayload,
} from "../../contract/payloads/connectors.ts";
import type { App } from "../app.ts";
import { Page, routesOf, type Route } from "../http/route.ts";
import { findServer } from "../mcp-servers/load.ts";
import { TenantParams } from "../orgs/schema.ts";
import { listOwnCalls } from "./calls.ts";
import { changeCentral, readCentral } from "./organization.ts";
import { presentCall, presentConnector } from "./present.ts";
import { deleteConnector } from "./remove.ts";
import { ChangeCentral, ConnectConnector, ConnectorParams, CreateConnector, ListCalls } from "./schema.ts";
import { ensureConnector, listOwnConnectors, loadConnector } from "./service.ts";

const route = routesOf({ tag: "Hosted connectors", auth: "required" });

export function connectorRoutes(app: App): Route[] {
  return [...ownRoutes(app), ...changeRoutes(app), ...organizationRoutes(app)];
}

function ownRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/user/connectors",
      id: "listConnectors",
      summary: "List your hosted connectors with their status",
      data: z
        .array(ConnectorPayload)
        .max(limits.connectorsPerUser)
        .meta({ description: "all of them, unless `limit` is lower: a user has at most 20" }),
      async handle({ actor }) {
        const { user, connectors } = await listOwnConnectors(app, actor);
        return connectors.map((seen) => presentConnector(app, user, seen));
      },
    }),
    route({
      method: "get",
      path: "/api/user/connector-calls",
      id: "listConnectorCalls",
      summary: "List your calls through hosted connectors in the last seven days, latest first",
      query: ListCalls,
      page: true,
      data: ConnectorCallPayload,
      async handle({ actor, query }) {
        const { items, nextCursor } = await listOwnCalls(app, actor, query);
        return new Page(items.map(presentCall), nextCursor);
      },
    }),
    route({
      method: "get",
      path: "/api/user/connectors/:connector",
      id: "getConnector",
      summary: "Read one of your hosted connectors",
      params: ConnectorParams,
      data: ConnectorPayload,
      async handle({ actor, params }) {
        const { user, seen } = await loadConnector(app, actor, params.connector);
        return presentConnector(app, user, seen);
      },
    }),
  ];
}

function changeRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/api/user/connectors",
      id: "createConnector",
      failures: ["reauthentication_required", "not_found", "ambiguous", "limit_reached", "refused"],
      summary: "Create a hosted connector to a remote MCP server, or find the one that you have",
      body: CreateConnector,
      status: 201,
      data: CreatedConnectorPayload,
      async handle({ actor, body }) {
        const { user, seen, created } = await ensureConnector(app, actor, body.server);
        return { ...presentConnector(app, user, seen), created };
      },
      async authorizeRepeat({ actor }, { id, server }: CreatedConnectorPayload) {
        await loadConnector(app, actor, id);
        if (server) await findServer(app, actor, server.publicId);
      },
    }),
    route({
      method: "post",
      path: "/api/user/connectors/:connector/connect",
      id: "connectConnector",
      failures: ["conflict", "refused"],
      summary: "Connect from the browser, with values or by the authorization of the server's provider",
      params: ConnectorParams,
      body: ConnectConnector,
      data: ConnectResultPayload,
      budget: "connect",
      async handle({ actor, params, body }) {
        const { connectConnector } = await import("./connecting/connect.ts");
        const { user, seen, authorizationUrl } = await connectConnector(app, actor, params.connector, body);
        return {
          connector: presentConnector(app, user, seen),
          authorizationUrl: authorizationUrl?.href,
        };
      },
    }),
    route({
      method: "delete",
      path: "/api/user/connectors/:connector",
      id: "deleteConnector",
      summary: "Delete a hosted connector with its credentials",
      params: ConnectorParams,
      data: null,
      handle: ({ actor, params }) => deleteConnector(app, actor, params.connector),
    }),
  ];
}

function organizationRoutes(app: App): Route[] {
  const path = "/api/tenants/:tenant/mcp-central";
  return [
    route({
      path,
      method: "get",
      id: "getMcpCentral",
      summary: "Read whether members may use hosted connectors, and how much they do",
      params: TenantParams,
      data: McpCentralPayload,
      handle: ({ actor, params }) => readCentral(app, actor, params.tenant),
    }),
    route({
      path,
      method: "put",
      id: "setMcpCentral",
      summary: "Turn hosted connectors of the organization's servers on or off",
      params: TenantParams,
      body: ChangeCentral,
      data: McpCentralPayload,
      handle: ({ actor, params, body }) => changeCentral(app, actor, params.tenant, body.enabled),
    }),
  ];
}
