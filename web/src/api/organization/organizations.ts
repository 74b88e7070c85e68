/** Changes to an organization itself, and its numbers. */
import type { ScanPolicy } from "../../../../contract/scan/policy.ts";
import { api, dataOf, ok } from "../client.ts";
import { query } from "../query.ts";

const pathOf = (tenant: string) => ({ path: { tenant } });

export interface OrganizationChange {
  name?: string;
  slug?: string;
  description?: string;
  maxTokenDays?: number | null;
  scanPolicy?: ScanPolicy;
}
export const changeOrganization = (tenant: string, body: OrganizationChange) =>
  dataOf(api.PATCH("/api/tenants/{tenant}", { params: pathOf(tenant), body }));

export const setAvatar = (tenant: string, picture: Blob) =>
  dataOf(
    api.PUT("/api/tenants/{tenant}/avatar", {
      params: pathOf(tenant),
      // A Blob is sent as it is; the description has the bytes of a body as a string.
      body: picture as never,
      bodySerializer: (body: unknown) => body as Blob,
      headers: { "content-type": "application/octet-stream" },
    }),
  );
export const removeAvatar = (tenant: string) =>
  ok(api.DELETE("/api/tenants/{tenant}/avatar", { params: pathOf(tenant) }));

export const deleteOrganization = (tenant: string) =>
  ok(api.DELETE("/api/tenants/{tenant}", { params: pathOf(tenant) }));

export const restoreOrganization = (tenant: string) =>
  dataOf(api.POST("/api/tenants/{tenant}/restore", { params: pathOf(tenant) }));

export const storageQuery = (org: string) => query("/api/tenants/{tenant}/storage", { tenant: org });

export const analyticsQuery = (org: string, days: number) =>
  query("/api/tenants/{tenant}/analytics", { tenant: org, days, limit: 20 });

/** Unused skills, outdated installs and the cost in context. */
export const usageQuery = (org: string) => query("/api/tenants/{tenant}/analytics/usage", { tenant: org });

/** Words of the organization that mean much the same, which its members' searches know. */
export const relatedWordsQuery = (tenant: string) =>
  query("/api/tenants/{tenant}/search-synonyms", { tenant });
export const changeRelatedWords = (tenant: string, groups: string[][]) =>
  dataOf(api.PUT("/api/tenants/{tenant}/search-synonyms", { params: pathOf(tenant), body: { groups } }));

export const createOrganization = (body: { name: string; slug?: string }) =>
  dataOf(api.POST("/api/tenants", { body }));

export const tenantTeamsQuery = (org: string) =>
  query("/api/tenants/{tenant}/analytics/teams", { tenant: org });
export const teamUsageQuery = (org: string, team: string) =>
  query("/api/tenants/{tenant}/analytics/teams/{id}", { tenant: org, id: team });
export const contextQuery = (org: string) =>
  query("/api/tenants/{tenant}/analytics/context", { tenant: org });
