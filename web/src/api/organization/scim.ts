/** SCIM of an organization: state, token, and the users, groups and requests of the identity provider. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, ok, type Schemas } from "../client.ts";
import { pages, query, whole } from "../query.ts";

export type ScimState = Schemas["ScimState"];
export type ScimToken = Schemas["ScimToken"];
export type ScimUser = Schemas["ScimUser"];
export type ScimGroup = Schemas["ScimGroup"];
export type ScimLogEntry = Schemas["ScimLogEntry"];

const pageSize = 50;
/** Time between two reads of the state while the first request is awaited. */
const waitingMs = 5000;
const at = (tenant: string) => ({ params: { path: { tenant } } });

export const scimQuery = (org: string) =>
  queryOptions({
    ...query("/api/tenants/{tenant}/scim", { tenant: org }),
    refetchInterval: ({ state: { data } }) =>
      data?.enabled === true && data.lastUsedAt === null ? waitingMs : false,
  });

export interface ScimUserFilter {
  query?: string;
  state?: "active" | "inactive" | "invited";
}

export const scimUsersQuery = (org: string, filter: ScimUserFilter) =>
  infiniteQueryOptions({
    ...pages("/api/tenants/{tenant}/scim/users", { tenant: org, limit: pageSize, ...filter }),
    placeholderData: keepPreviousData,
  });

/** All groups, of which an organization has at most as many as teams. */
export const scimGroupsQuery = (org: string) =>
  whole("/api/tenants/{tenant}/scim/groups", { tenant: org, limit: 200 });

export interface ScimLogFilter {
  query?: string;
  outcome?: ScimLogEntry["outcome"];
}

export const scimLogQuery = (org: string, filter: ScimLogFilter) =>
  infiniteQueryOptions({
    ...pages("/api/tenants/{tenant}/scim/log", { tenant: org, limit: pageSize, ...filter }),
    placeholderData: keepPreviousData,
  });

export const enableScim = (org: string) => dataOf(api.POST("/api/tenants/{tenant}/scim", at(org)));
export const rotateScimToken = (org: string) =>
  dataOf(api.POST("/api/tenants/{tenant}/scim/rotate", at(org)));
export const disableScim = (org: string) => ok(api.DELETE("/api/tenants/{tenant}/scim", at(org)));
export const manageTeam = (org: string, teamId: string) =>
  ok(api.POST("/api/tenants/{tenant}/scim/teams", { ...at(org), body: { teamId } }));
export const releaseTeam = (org: string, id: string) =>
  ok(api.DELETE("/api/tenants/{tenant}/scim/teams/{id}", { params: { path: { tenant: org, id } } }));
