/** Calls of the administration: queues and jobs, connections, accounts, organizations, the log of the service. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { JobState, MetricRange, SignUpMode, AnonymousMcpMode } from "../../../contract/vocabulary.ts";
import { api, dataOf, ok, type Schemas } from "./client.ts";
import { auditParams, auditPageSize, type AuditFilter } from "./organization/audit.ts";

export type Queue = Schemas["Queue"];
export type Job = Schemas["Job"];
export type JobDetail = Schemas["JobDetail"];
export type JobMetrics = Schemas["JobMetrics"];
export type ServiceHealth = Schemas["ServiceHealth"];
export type AdminConnection = Schemas["AdminConnection"];
export type AdminUser = Schemas["AdminUser"];
export type AdminOrganization = Schemas["AdminOrganization"];
export interface JobFilter {
  queue?: string;
  state: JobState;
}
export interface UserFilter {
  query?: string;
  only?: "administrators" | "suspended";
}

const pageSize = 50;
/** Their rows have two lines. */
const jobsPageSize = 25;
const slowMs = 30_000;
/** Cursors are absent on the first page. */
type Cursor = string | undefined;
const at = (cursor: Cursor) => ({ limit: pageSize, ...(cursor === undefined ? {} : { cursor }) });

export const queuesQuery = queryOptions({
  queryKey: ["admin-queues"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/admin/queues", { signal })),
});

export const jobsQuery = ({ queue, state }: JobFilter, cursor: Cursor) =>
  queryOptions({
    queryKey: ["admin-jobs", queue, state, cursor],
    queryFn: ({ signal }) =>
      ok(
        api.GET("/api/admin/jobs", {
          signal,
          params: {
            query: { state, ...at(cursor), ...(queue === undefined ? {} : { queue }), limit: jobsPageSize },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const jobQuery = (queue: string, id: string) =>
  queryOptions({
    queryKey: ["admin-job", queue, id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/admin/jobs/{queue}/{id}", { signal, params: { path: { queue, id } } })),
  });

export const metricsQuery = (range: MetricRange, queue: string | undefined) =>
  queryOptions({
    queryKey: ["admin-metrics", range, queue],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET("/api/admin/metrics", {
          signal,
          params: { query: { range, ...(queue === undefined ? {} : { queue }) } },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });

export const healthQuery = queryOptions({
  queryKey: ["admin-health"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/admin/health", { signal })),
  refetchInterval: slowMs,
});

export const connectionsQuery = (cursor: Cursor) =>
  queryOptions({
    queryKey: ["admin-connections", cursor],
    queryFn: ({ signal }) => ok(api.GET("/api/admin/connections", { signal, params: { query: at(cursor) } })),
    placeholderData: keepPreviousData,
    refetchInterval: slowMs,
  });

export const usersQuery = ({ query, only }: UserFilter, cursor: Cursor) =>
  queryOptions({
    queryKey: ["admin-users", query, only, cursor],
    queryFn: ({ signal }) =>
      ok(
        api.GET("/api/admin/users", {
          signal,
          params: {
            query: {
              ...at(cursor),
              ...(query === undefined ? {} : { query }),
              ...(only === "suspended" ? { suspended: "true" as const } : {}),
              ...(only === "administrators" ? { administrator: "true" as const } : {}),
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const organizationsQuery = (query: string | undefined, cursor: Cursor) =>
  queryOptions({
    queryKey: ["admin-organizations", query, cursor],
    queryFn: ({ signal }) =>
      ok(
        api.GET("/api/admin/organizations", {
          signal,
          params: { query: { ...at(cursor), ...(query === undefined ? {} : { query }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const serviceLogQuery = (filter: AuditFilter, limit = auditPageSize) =>
  queryOptions({
    queryKey: ["admin-audit-log", filter, limit],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET("/api/admin/audit-log", {
          signal,
          params: { query: { ...auditParams(filter), page: filter.page ?? 1, limit } },
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** Address of the whole log that matches, as a download. */
export const serviceLogExport = (filter: AuditFilter, format: "csv" | "json"): string =>
  `/api/admin/audit-log/export?${new URLSearchParams({ ...auditParams(filter), format })}`;

export const openReportsQuery = queryOptions({
  queryKey: ["admin-reports"],
  queryFn: ({ signal }) =>
    ok(api.GET("/api/admin/reports", { signal, params: { query: { state: "open", limit: pageSize } } })),
  refetchInterval: slowMs,
});

export const serviceSettingsQuery = queryOptions({
  queryKey: ["admin-settings"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/admin/settings", { signal })),
});

const jobPath = (queue: string, id: string) => ({ params: { path: { queue, id } } });
export const retryJob = (queue: string, id: string) =>
  ok(api.POST("/api/admin/jobs/{queue}/{id}/retry", jobPath(queue, id)));
export const promoteJob = (queue: string, id: string) =>
  ok(api.POST("/api/admin/jobs/{queue}/{id}/promote", jobPath(queue, id)));
export const removeJob = (queue: string, id: string) =>
  ok(api.DELETE("/api/admin/jobs/{queue}/{id}", jobPath(queue, id)));

const queuePath = (queue: string) => ({ params: { path: { queue } } });
export const pauseQueue = (queue: string) =>
  ok(api.POST("/api/admin/queues/{queue}/pause", queuePath(queue)));
export const resumeQueue = (queue: string) =>
  ok(api.POST("/api/admin/queues/{queue}/resume", queuePath(queue)));
export const retryFailed = (queue: string) =>
  dataOf(api.POST("/api/admin/queues/{queue}/retry-failed", queuePath(queue)));

/** Actions on an account, each with a reason that the log of the service shows. */
const onUser = (user: string, reason: string) => ({ params: { path: { user } }, body: { reason } });
export const suspendUser = (user: string, reason: string) =>
  dataOf(api.POST("/api/admin/users/{user}/suspend", onUser(user, reason)));
export const restoreUser = (user: string, reason: string) =>
  dataOf(api.POST("/api/admin/users/{user}/unsuspend", onUser(user, reason)));
export const endSessionsOf = (user: string, reason: string) =>
  dataOf(api.POST("/api/admin/users/{user}/end-sessions", onUser(user, reason)));
export const resetFactorsOf = (user: string, reason: string) =>
  dataOf(api.POST("/api/admin/users/{user}/reset-factors", onUser(user, reason)));
export const grantAdministrator = (user: string, reason: string) =>
  dataOf(api.POST("/api/admin/users/{user}/grant-administrator", onUser(user, reason)));
export const removeAdministrator = (user: string, reason: string) =>
  dataOf(api.POST("/api/admin/users/{user}/remove-administrator", onUser(user, reason)));

export const confirmRestore = (reason: string) =>
  ok(api.POST("/api/admin/confirm-restore", { body: { reason } }));

export const changeSettings = (
  change: { signUp: SignUpMode } | { anonymousMcp: AnonymousMcpMode },
  reason: string,
) => dataOf(api.PATCH("/api/admin/settings", { body: { ...change, reason } }));
