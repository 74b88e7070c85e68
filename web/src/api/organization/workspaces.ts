/** Personal workspaces of an organization. */
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { api, dataOf, ok, type Schemas } from "../client.ts";
import { pages, query } from "../query.ts";

export type Workspace = Schemas["Workspace"];
export type WorkspaceSettings = Schemas["WorkspaceSettings"];
export type WorkspaceState = Workspace["state"];

const pageSize = 100;
const at = (tenant: string) => ({ params: { path: { tenant } } });

export const workspaceSettingsQuery = (org: string) =>
  query("/api/tenants/{tenant}/personal-workspaces", { tenant: org });

export const workspacesQuery = (org: string, state: WorkspaceState | undefined) =>
  infiniteQueryOptions({
    ...pages("/api/tenants/{tenant}/personal-workspaces/members", { tenant: org, limit: pageSize, state }),
    placeholderData: keepPreviousData,
  });

export const enableWorkspaces = (org: string) =>
  dataOf(api.POST("/api/tenants/{tenant}/personal-workspaces/enable", { ...at(org), body: {} }));
export const disableWorkspaces = (org: string) =>
  dataOf(api.POST("/api/tenants/{tenant}/personal-workspaces/disable", { ...at(org), body: {} }));
export const retryWorkspaces = (org: string, userId?: string) =>
  dataOf(
    api.POST("/api/tenants/{tenant}/personal-workspaces/retry", {
      ...at(org),
      body: userId === undefined ? {} : { userId },
    }),
  );
export const repairWorkspaces = (org: string) =>
  dataOf(api.POST("/api/tenants/{tenant}/personal-workspaces/repair", { ...at(org), body: {} }));
export const moveWorkspaces = (org: string, body: { name?: string; parentId?: string | null }) =>
  dataOf(api.POST("/api/tenants/{tenant}/personal-workspaces/move", { ...at(org), body }));
export const reassignWorkspace = (org: string, userId: string, toUserId: string) =>
  dataOf(
    api.POST("/api/tenants/{tenant}/personal-workspaces/reassign", {
      ...at(org),
      body: { userId, toUserId },
    }),
  );
export const deleteWorkspace = (org: string, userId: string) =>
  ok(
    api.DELETE("/api/tenants/{tenant}/personal-workspaces/members/{userId}", {
      params: { path: { tenant: org, userId } },
    }),
  );
