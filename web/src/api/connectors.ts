/** The user's hosted connectors, and the switch of an organization for them. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, dataOf, ok, type Schemas } from "./client.ts";
import { pages, query } from "./query.ts";

export type Connector = Schemas["Connector"];
export type ConnectorCall = Schemas["ConnectorCall"];

/** A connection can end at any time without an event of the service. */
const liveMs = 15_000;

export const connectorsQuery = queryOptions({
  ...query("/api/user/connectors"),
  refetchInterval: liveMs,
});

export const callsQuery = infiniteQueryOptions({
  ...pages("/api/user/connector-calls", { limit: 50 }),
  refetchInterval: liveMs,
});

/** Servers that can be connected: the remote ones that the user may see, in all organizations. */
export const remoteServersQuery = pages("/api/mcp-servers", { limit: 100 });

const pathOf = (connector: string) => ({ path: { connector } });

export const createConnector = (server: string) =>
  dataOf(api.POST("/api/user/connectors", { body: { server } }));

export const connect = (
  connector: string,
  body: { url?: string; variables?: Record<string, string>; reauthorize?: boolean },
) => dataOf(api.POST("/api/user/connectors/{connector}/connect", { params: pathOf(connector), body }));

export const deleteConnector = (connector: string) =>
  ok(api.DELETE("/api/user/connectors/{connector}", { params: pathOf(connector) }));

export type McpCentral = Schemas["McpCentral"];

export const centralQuery = (tenant: string) => query("/api/tenants/{tenant}/mcp-central", { tenant });

export const changeCentral = (tenant: string, enabled: boolean) =>
  dataOf(api.PUT("/api/tenants/{tenant}/mcp-central", { params: { path: { tenant } }, body: { enabled } }));
