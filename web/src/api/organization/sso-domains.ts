/** Domains of an organization, and auto-join. */
import { api, dataOf, ok, type Schemas } from "../client.ts";
import { query } from "../query.ts";

export type SsoDomain = Schemas["SsoDomain"];
export type AutoJoin = Schemas["AutoJoin"];

export const domainsQuery = (org: string) => query("/api/tenants/{tenant}/sso/domains", { tenant: org });

export const claimDomain = (tenant: string, domain: string) =>
  dataOf(api.POST("/api/tenants/{tenant}/sso/domains", { params: { path: { tenant } }, body: { domain } }));

export const verifyDomain = (tenant: string, id: string) =>
  dataOf(api.POST("/api/tenants/{tenant}/sso/domains/{id}/verify", { params: { path: { tenant, id } } }));

export const removeDomain = (tenant: string, id: string) =>
  ok(api.DELETE("/api/tenants/{tenant}/sso/domains/{id}", { params: { path: { tenant, id } } }));

export const autoJoinQuery = (org: string) => query("/api/tenants/{tenant}/auto-join", { tenant: org });

export const setAutoJoin = (tenant: string, body: { enabled: boolean; role: string }) =>
  dataOf(api.PUT("/api/tenants/{tenant}/auto-join", { params: { path: { tenant } }, body }));
