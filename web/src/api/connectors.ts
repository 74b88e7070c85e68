/** The user's hosted connectors, and the switch of an organization for them. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, dataOf, ok, type Schemas } from "./client.ts";

export type Connector = Schemas["Connector"];
export type ConnectorCall = Schemas["ConnectorCall"];

/** A connection can end at any time without an event of the service. */
const liveMs = 15_000;
const pageSize = 100;

export const connectorsQuery = queryOptions({
  queryKey: ["connectors"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/user/connectors", { signal })),
  refetchInterval: liveMs,
});

export const callsQuery = infiniteQueryOptions({
  queryKey: ["connector-calls"],
  initialPageParam: "",
  queryFn: ({ pageParam, signal }) => {
    const query = { limit: 50, cursor: pageParam === "" ? undefined : pageParam };
    return ok(api.GET("/api/user/connector-calls", { signal, params: { query } }));
  },
  getNextPageParam: (last) => last.nextCursor,
  refetchInterval: liveMs,
});

/** Servers that can be connected: the remote ones that the user may see, in all organizations. */
export const remoteServersQuery = infiniteQueryOptions({
  queryKey: ["remote-servers"],
  initialPageParam: "",
  queryFn: ({ pageParam, signal }) => {
    const query = { limit: pageSize, cursor: pageParam === "" ? undefined : pageParam };
    return ok(api.GET("/api/mcp-servers", { signal, params: { query } }));
  },
  getNextPageParam: (last) => last.nextCursor,
});

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

export const centralQuery = (tenant: string) =>
  queryOptions({
    queryKey: ["connectors-switch", tenant],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/tenants/{tenant}/mcp-central", { signal, params: { path: { tenant } } })),
  });

export const changeCentral = (tenant: string, enabled: boolean) =>
  dataOf(api.PUT("/api/tenants/{tenant}/mcp-central", { params: { path: { tenant } }, body: { enabled } }));
