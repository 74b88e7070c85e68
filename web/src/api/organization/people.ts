/** Members, teams, roles and invitations of an organization. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { allPages, api, dataOf, ok, type Schemas } from "../client.ts";

export type Member = Schemas["Member"];
export type Team = Schemas["Team"];
export type Role = Schemas["Role"];
export type Invitation = Schemas["Invitation"];
export type Permissions = Record<string, string[]>;
export interface MemberFilter {
  query?: string;
  role?: string;
  team?: string;
}

const pageSize = 200;
const tenantOf = (org: string) => ({ path: { tenant: org } });
const present = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== "")) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

export const membersQuery = (org: string, filter: MemberFilter) =>
  infiniteQueryOptions({
    queryKey: ["members", org, filter],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      ok(
        api.GET("/api/tenants/{tenant}/members", {
          signal,
          params: {
            ...tenantOf(org),
            query: { limit: pageSize, ...present({ ...filter, cursor: pageParam }) },
          },
        }),
      ),
    getNextPageParam: (last) => last.nextCursor,
    placeholderData: keepPreviousData,
  });

/** The first members whose name matches, to choose one from. */
export const memberSearchQuery = (org: string, query: string) =>
  queryOptions({
    queryKey: ["member-search", org, query],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET("/api/tenants/{tenant}/members", {
          signal,
          params: { ...tenantOf(org), query: { limit: 50, ...present({ query }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** Folders on which a team has a grant, as far as the user may see the grants. */
export const teamFoldersQuery = (org: string, team: string) =>
  queryOptions({
    queryKey: ["team", org, team, "folders"],
    queryFn: ({ signal }) =>
      allPages(2000, (query) =>
        ok(
          api.GET("/api/tenants/{tenant}/teams/{id}/folders", {
            signal,
            params: { path: { tenant: org, id: team }, query },
          }),
        ),
      ),
  });

export const teamsQuery = (org: string) =>
  queryOptions({
    queryKey: ["teams", org],
    queryFn: ({ signal }) =>
      allPages(pageSize, (query) =>
        ok(api.GET("/api/tenants/{tenant}/teams", { signal, params: { ...tenantOf(org), query } })),
      ),
  });

export const teamQuery = (org: string, id: string) =>
  queryOptions({
    queryKey: ["team", org, id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/tenants/{tenant}/teams/{id}", { signal, params: { path: { tenant: org, id } } })),
  });

export const teamMembersQuery = (org: string, id: string, query: string) =>
  infiniteQueryOptions({
    queryKey: ["team-members", org, id, query],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      ok(
        api.GET("/api/tenants/{tenant}/teams/{id}/members", {
          signal,
          params: {
            path: { tenant: org, id },
            query: { limit: pageSize, ...present({ query, cursor: pageParam }) },
          },
        }),
      ),
    getNextPageParam: (last) => last.nextCursor,
    placeholderData: keepPreviousData,
  });

export const rolesQuery = (org: string) =>
  queryOptions({
    queryKey: ["roles", org],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/tenants/{tenant}/roles", { signal, params: tenantOf(org) })),
  });

export const invitationsQuery = (org: string) =>
  queryOptions({
    queryKey: ["invitations", org],
    queryFn: ({ signal }) =>
      allPages(pageSize, (query) =>
        ok(api.GET("/api/tenants/{tenant}/invitations", { signal, params: { ...tenantOf(org), query } })),
      ),
  });

export const changeRole = (tenant: string, userId: string, role: string) =>
  dataOf(
    api.PATCH("/api/tenants/{tenant}/members/{userId}", {
      params: { path: { tenant, userId } },
      body: { role },
    }),
  );

export const removeMember = (tenant: string, userId: string) =>
  ok(api.DELETE("/api/tenants/{tenant}/members/{userId}", { params: { path: { tenant, userId } } }));

export const invite = (tenant: string, body: { email: string; role: string; teamIds: string[] }) =>
  dataOf(api.POST("/api/tenants/{tenant}/invitations", { params: { path: { tenant } }, body }));

export const withdrawInvitation = (tenant: string, id: string) =>
  ok(api.DELETE("/api/tenants/{tenant}/invitations/{id}", { params: { path: { tenant, id } } }));

export const resendInvitation = (tenant: string, id: string) =>
  ok(api.POST("/api/tenants/{tenant}/invitations/{id}/resend", { params: { path: { tenant, id } } }));

export const createTeam = (tenant: string, body: { name: string; roles: string[] }) =>
  dataOf(api.POST("/api/tenants/{tenant}/teams", { params: { path: { tenant } }, body }));

export const changeTeam = (tenant: string, id: string, body: { name?: string; roles?: string[] }) =>
  dataOf(api.PATCH("/api/tenants/{tenant}/teams/{id}", { params: { path: { tenant, id } }, body }));

export const deleteTeam = (tenant: string, id: string) =>
  ok(api.DELETE("/api/tenants/{tenant}/teams/{id}", { params: { path: { tenant, id } } }));

const teamMember = (tenant: string, id: string, userId: string) => ({ path: { tenant, id, userId } });
export const addToTeam = (tenant: string, id: string, userId: string) =>
  ok(
    api.PUT("/api/tenants/{tenant}/teams/{id}/members/{userId}", { params: teamMember(tenant, id, userId) }),
  );
export const removeFromTeam = (tenant: string, id: string, userId: string) =>
  ok(
    api.DELETE("/api/tenants/{tenant}/teams/{id}/members/{userId}", {
      params: teamMember(tenant, id, userId),
    }),
  );

export const createRole = (tenant: string, body: { name: string; permissions: Permissions }) =>
  dataOf(api.POST("/api/tenants/{tenant}/roles", { params: { path: { tenant } }, body: body as never }));

export const changeRolePermissions = (
  tenant: string,
  id: string,
  body: { name?: string; permissions?: Permissions },
) =>
  dataOf(
    api.PATCH("/api/tenants/{tenant}/roles/{id}", { params: { path: { tenant, id } }, body: body as never }),
  );

export const deleteRole = (tenant: string, id: string) =>
  ok(api.DELETE("/api/tenants/{tenant}/roles/{id}", { params: { path: { tenant, id } } }));
