/** Members, teams, roles and invitations of an organization. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, ok, type Schemas } from "../client.ts";
import { pages, query, whole } from "../query.ts";

export type Member = Schemas["Member"];
export type MemberInstall = Schemas["MemberInstall"];
export type MemberFolder = Schemas["MemberFolder"];
export type Team = Schemas["Team"];
export type Role = Schemas["Role"];
export type Invitation = Schemas["Invitation"];
export type InvitationOutcome = Schemas["InvitationOutcome"];
export type Permissions = Record<string, string[]>;
export interface MemberFilter {
  query?: string;
  role?: string;
  team?: string;
}

const pageSize = 200;
export const membersQuery = (org: string, filter: MemberFilter) =>
  infiniteQueryOptions({
    ...pages("/api/tenants/{tenant}/members", { tenant: org, limit: pageSize, ...filter }),
    placeholderData: keepPreviousData,
  });

export const memberQuery = (org: string, userId: string) =>
  query("/api/tenants/{tenant}/members/{userId}", { tenant: org, userId });

/** Folders with the access of a member, as far as the user may know it. */
export const memberFoldersQuery = (org: string, userId: string) =>
  whole("/api/tenants/{tenant}/members/{userId}/folders", { tenant: org, userId, limit: pageSize });

export const memberInstallsQuery = (org: string, userId: string) =>
  infiniteQueryOptions(
    pages("/api/tenants/{tenant}/members/{userId}/installs", { tenant: org, userId, limit: 20 }),
  );

/** The number of members, without those of further pages. */
export const memberCountQuery = (org: string) =>
  infiniteQueryOptions({ ...membersQuery(org, {}), select: ({ pages: [first] }) => first?.total });

/** The first members whose name matches, to choose one from. */
export const memberSearchQuery = (org: string, text: string) =>
  queryOptions({
    ...query("/api/tenants/{tenant}/members", { tenant: org, limit: 50, query: text }),
    placeholderData: keepPreviousData,
  });

/** Folders on which a team has a grant, as far as the user may see the grants. */
export const teamFoldersQuery = (org: string, team: string) =>
  whole("/api/tenants/{tenant}/teams/{id}/folders", { tenant: org, id: team, limit: 2000 });

export const teamsQuery = (org: string) =>
  whole("/api/tenants/{tenant}/teams", { tenant: org, limit: pageSize });

export const teamQuery = (org: string, id: string) =>
  query("/api/tenants/{tenant}/teams/{id}", { tenant: org, id });

export const teamMembersQuery = (org: string, id: string, text: string) =>
  infiniteQueryOptions({
    ...pages("/api/tenants/{tenant}/teams/{id}/members", { tenant: org, id, limit: pageSize, query: text }),
    placeholderData: keepPreviousData,
  });

export const rolesQuery = (org: string) => query("/api/tenants/{tenant}/roles", { tenant: org });

export const invitationsQuery = (org: string) =>
  whole("/api/tenants/{tenant}/invitations", { tenant: org, limit: pageSize });

export const changeRole = (tenant: string, userId: string, role: string) =>
  dataOf(
    api.PATCH("/api/tenants/{tenant}/members/{userId}", {
      params: { path: { tenant, userId } },
      body: { role },
    }),
  );

export const removeMember = (tenant: string, userId: string) =>
  ok(api.DELETE("/api/tenants/{tenant}/members/{userId}", { params: { path: { tenant, userId } } }));

/** Invites up to `limits.invitationBatchSize` addresses. */
export const inviteMany = (tenant: string, body: { emails: string[]; role: string; teamIds: string[] }) =>
  dataOf(api.POST("/api/tenants/{tenant}/invitations/batch", { params: { path: { tenant } }, body }));

/** The link of an invitation, to hand it over. */
export const invitationLink = (tenant: string, id: string) =>
  dataOf(api.POST("/api/tenants/{tenant}/invitations/{id}/link", { params: { path: { tenant, id } } }));

export const withdrawInvitation = (tenant: string, id: string) =>
  ok(api.DELETE("/api/tenants/{tenant}/invitations/{id}", { params: { path: { tenant, id } } }));

export const resendInvitation = (tenant: string, id: string) =>
  ok(api.POST("/api/tenants/{tenant}/invitations/{id}/resend", { params: { path: { tenant, id } } }));

export const createTeam = (tenant: string, body: { name: string; description: string; roles: string[] }) =>
  dataOf(api.POST("/api/tenants/{tenant}/teams", { params: { path: { tenant } }, body }));

export const changeTeam = (
  tenant: string,
  id: string,
  body: { name?: string; description?: string; roles?: string[] },
) => dataOf(api.PATCH("/api/tenants/{tenant}/teams/{id}", { params: { path: { tenant, id } }, body }));

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
