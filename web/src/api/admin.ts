/** Calls of the administration: queues and jobs, connections, accounts, organizations, the log of the service. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { JobState, MetricRange, SignUpMode, AnonymousMcpMode } from "../../../contract/vocabulary.ts";
import { api, dataOf, ok, type Schemas } from "./client.ts";
import { auditParams, auditPageSize, type AuditFilter } from "./organization/audit.ts";
import { pages, query } from "./query.ts";

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

export const queuesQuery = query("/api/admin/queues");

export const jobsQuery = (filter: JobFilter) =>
  infiniteQueryOptions({
    ...pages("/api/admin/jobs", { ...filter, limit: jobsPageSize }),
    placeholderData: keepPreviousData,
  });

export const jobQuery = (queue: string, id: string) => query("/api/admin/jobs/{queue}/{id}", { queue, id });

export const metricsQuery = (range: MetricRange, queue: string | undefined) =>
  queryOptions({
    ...query("/api/admin/metrics", { range, queue }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });

export const healthQuery = queryOptions({ ...query("/api/admin/health"), refetchInterval: slowMs });

export const connectionsQuery = infiniteQueryOptions({
  ...pages("/api/admin/connections", { limit: pageSize }),
  refetchInterval: slowMs,
});

export const usersQuery = ({ query: text, only }: UserFilter) =>
  infiniteQueryOptions({
    ...pages("/api/admin/users", {
      limit: pageSize,
      query: text,
      suspended: only === "suspended" || undefined,
      administrator: only === "administrators" || undefined,
    }),
    placeholderData: keepPreviousData,
  });

export const organizationsQuery = (text: string | undefined) =>
  infiniteQueryOptions({
    ...pages("/api/admin/organizations", { limit: pageSize, query: text }),
    placeholderData: keepPreviousData,
  });

export const serviceLogQuery = (filter: AuditFilter, limit = auditPageSize) =>
  queryOptions({
    ...query("/api/admin/audit-log", { ...auditParams(filter), page: filter.page ?? 1, limit }),
    placeholderData: keepPreviousData,
  });

/** Address of the whole log that matches, as a download. */
export const serviceLogExport = (filter: AuditFilter, format: "csv" | "json"): string =>
  `/api/admin/audit-log/export?${new URLSearchParams({ ...auditParams(filter), format })}`;

export const openReportsQuery = infiniteQueryOptions({
  ...pages("/api/admin/reports", { state: "open", limit: pageSize }),
  refetchInterval: slowMs,
});

export type HeldVersion = Schemas["HeldVersion"];

export const heldVersionsQuery = infiniteQueryOptions({
  ...pages("/api/admin/held-versions", { limit: pageSize }),
  refetchInterval: slowMs,
});

export const serviceSettingsQuery = query("/api/admin/settings");

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
  change: { signUp: SignUpMode } | { anonymousMcp: AnonymousMcpMode } | { rootCollection: string | null },
  reason: string,
) => dataOf(api.PATCH("/api/admin/settings", { body: { ...change, reason } }));

export const setStorageLimit = (organization: string, limitBytes: number | null, reason: string) =>
  dataOf(
    api.PUT("/api/admin/organizations/{tenant}/storage-limit", {
      params: { path: { tenant: organization } },
      body: { limitBytes, reason },
    }),
  );

export type SigningKey = Schemas["SigningKey"];
export const signingKeysQuery = query("/api/admin/signing-keys");
export const rotateSigningKey = (reason: string) =>
  dataOf(api.POST("/api/admin/signing-keys/rotate", { body: { reason } }));
export const revokeSigningKey = (key: string, reason: string) =>
  dataOf(api.POST("/api/admin/signing-keys/{key}/revoke", { params: { path: { key } }, body: { reason } }));
