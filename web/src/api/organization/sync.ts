/** The sync of an organization with a repository. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../client.ts";
import { pages, query } from "../query.ts";

export type SyncState = Schemas["RepositorySync"];
export type Connection = Schemas["RepositoryConnection"];
export type SyncConflict = Schemas["SyncConflict"];
export type SyncRun = Schemas["SyncRun"];
export type SyncPlan = Schemas["SyncPlan"];
export type DirectoryChanges = Schemas["SyncPlanChanges"];
type Mode = Connection["mode"];
type Credentials = { repository: string } | { repository: string; token: string };
export type ConnectInput =
  | ({ host: "github-app" | "github-token"; branch?: string; mode: Mode } & Credentials)
  | { host: "local"; url: string; branch?: string; mode: Mode; username?: string; password?: string };

const tenant = (org: string) => ({ path: { tenant: org } });
const pageSize = 20;
/** Interval of a look while a sync runs: the event stream reports its end, unless it was not open yet. */
const runningMs = 10_000;

export const syncQuery = (org: string) =>
  queryOptions({
    ...query("/api/tenants/{tenant}/repo-sync", { tenant: org }),
    refetchInterval: ({ state }) => (state.data?.connection?.pending ? runningMs : false),
  });

export const syncRunsQuery = (org: string) =>
  pages("/api/tenants/{tenant}/repo-sync/history", { tenant: org, limit: pageSize });

/** Conflicts that no person has marked as fine. */
export const syncConflictsQuery = (org: string) =>
  pages("/api/tenants/{tenant}/repo-sync/conflicts", { tenant: org, seen: false, limit: pageSize });

/** The two versions of a conflict: from the one published here to the one of the repository. */
export const conflictDiffQuery = ({ skillId, losing, winning }: SyncConflict) =>
  queryOptions({
    ...query("/api/skills/{skill}/diff", { skill: skillId, from: String(losing), to: String(winning) }),
    staleTime: Infinity,
  });

export const runSync = (org: string) =>
  dataOf(api.POST("/api/tenants/{tenant}/repo-sync/run", { params: tenant(org) }));

export const takeOverSync = (org: string) =>
  dataOf(api.POST("/api/tenants/{tenant}/repo-sync/takeover", { params: tenant(org) }));

export const changeSync = (org: string, body: { mode?: Mode; marketplace?: boolean }) =>
  dataOf(api.PATCH("/api/tenants/{tenant}/repo-sync", { params: tenant(org), body }));

export const disconnectRepository = (org: string) =>
  dataOf(api.DELETE("/api/tenants/{tenant}/repo-sync", { params: tenant(org) }));

export const planNextSync = (org: string) =>
  dataOf(api.GET("/api/tenants/{tenant}/repo-sync/plan", { params: tenant(org) }));
export const planConnection = (org: string, body: ConnectInput) =>
  dataOf(api.POST("/api/tenants/{tenant}/repo-sync/plan", { params: tenant(org), body: body as never }));

export const connectRepository = (org: string, body: ConnectInput) =>
  dataOf(api.POST("/api/tenants/{tenant}/repo-sync", { params: tenant(org), body: body as never }));

export const markConflict = (org: string, conflict: string) =>
  dataOf(
    api.PUT("/api/tenants/{tenant}/repo-sync/conflicts/{conflict}/seen", {
      params: { path: { tenant: org, conflict } },
    }),
  );

/** Publishes the content of an earlier version as a new one. */
export const bringBack = ({ skillId, losing }: SyncConflict) =>
  dataOf(
    api.POST("/api/skills/{skill}/revert", {
      params: { path: { skill: skillId } },
      body: { version: losing },
    }),
  );
