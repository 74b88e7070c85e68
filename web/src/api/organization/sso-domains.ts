/** Domains of an organization, and auto-join. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, ok, type Schemas } from "../client.ts";

export type SsoDomain = Schemas["SsoDomain"];
export type AutoJoin = Schemas["AutoJoin"];

export const domainsQuery = (org: string) =>
  queryOptions({
    queryKey: ["sso-domains", org],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/tenants/{tenant}/sso/domains", { signal, params: { path: { tenant: org } } })),
  });

export const claimDomain = (tenant: string, domain: string) =>
  dataOf(api.POST("/api/tenants/{tenant}/sso/domains", { params: { path: { tenant } }, body: { domain } }));

export const verifyDomain = (tenant: string, id: string) =>
  dataOf(api.POST("/api/tenants/{tenant}/sso/domains/{id}/verify", { params: { path: { tenant, id } } }));

export const removeDomain = (tenant: string, id: string) =>
  ok(api.DELETE("/api/tenants/{tenant}/sso/domains/{id}", { params: { path: { tenant, id } } }));

export const autoJoinQuery = (org: string) =>
  queryOptions({
    queryKey: ["auto-join", org],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/tenants/{tenant}/auto-join", { signal, params: { path: { tenant: org } } })),
  });

export const setAutoJoin = (tenant: string, body: { enabled: boolean; role: string }) =>
  dataOf(api.PUT("/api/tenants/{tenant}/auto-join", { params: { path: { tenant } }, body }));
