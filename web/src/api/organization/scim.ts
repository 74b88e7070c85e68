/** SCIM of an organization: state, token, and the users, groups and requests of the identity provider. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, ok, type Schemas } from "../client.ts";

export type ScimState = Schemas["ScimState"];
export type ScimToken = Schemas["ScimToken"];
export type ScimUser = Schemas["ScimUser"];
export type ScimGroup = Schemas["ScimGroup"];
export type ScimLogEntry = Schemas["ScimLogEntry"];

const groupsAtOnce = 200;
const pageSize = 50;
/** Time between two reads of the state while the first request is awaited. */
const waitingMs = 5000;
const at = (tenant: string) => ({ params: { path: { tenant } } });
const pageOf = (cursor: string | undefined) => ({ limit: pageSize, cursor: cursor || undefined });

export const scimQuery = (org: string) =>
  queryOptions({
    queryKey: ["scim", org],
    queryFn: ({ signal }) => dataOf(api.GET("/api/tenants/{tenant}/scim", { signal, ...at(org) })),
    refetchInterval: ({ state: { data } }) =>
      data?.enabled === true && data.lastUsedAt === null ? waitingMs : false,
  });

export interface ScimUserFilter {
  query?: string;
  state?: "active" | "inactive" | "invited";
}

export const scimUsersQuery = (org: string, { query, state }: ScimUserFilter, cursor: string | undefined) =>
  queryOptions({
    queryKey: ["scim-users", org, query, state, cursor],
    queryFn: ({ signal }) =>
      ok(
        api.GET("/api/tenants/{tenant}/scim/users", {
          signal,
          params: {
            path: { tenant: org },
            query: { ...pageOf(cursor), query: query || undefined, state },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** All groups, of which an organization has at most as many as teams. */
export const scimGroupsQuery = (org: string) =>
  queryOptions({
    queryKey: ["scim-groups", org],
    queryFn: async ({ signal }) => {
      const groups: ScimGroup[] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await ok(
          api.GET("/api/tenants/{tenant}/scim/groups", {
            signal,
            params: {
              path: { tenant: org },
              query: { limit: groupsAtOnce, cursor: cursor || undefined },
            },
          }),
        );
        groups.push(...page.data);
        cursor = page.nextCursor;
      }
      return groups;
    },
  });

export interface ScimLogFilter {
  query?: string;
  outcome?: ScimLogEntry["outcome"];
}

export const scimLogQuery = (org: string, { query, outcome }: ScimLogFilter, cursor: string | undefined) =>
  queryOptions({
    queryKey: ["scim-log", org, query, outcome, cursor],
    queryFn: ({ signal }) =>
      ok(
        api.GET("/api/tenants/{tenant}/scim/log", {
          signal,
          params: {
            path: { tenant: org },
            query: { ...pageOf(cursor), query: query || undefined, outcome },
          },
        }),
      ),
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
