/** The audit log of an organization. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "./client.ts";

export type AuditEntry = Schemas["AuditEntry"];
export interface AuditFilter {
  action?: string | undefined;
  actor?: string | undefined;
  resource?: string | undefined;
  /** Dates without time, both inclusive. */
  from?: string | undefined;
  to?: string | undefined;
  page?: number | undefined;
}
export const auditPageSize = 100;
const dayMs = 86_400_000;

/** The parameters of the API, whose `to` is exclusive. */
function paramsOf({ action, actor, resource, from, to }: AuditFilter) {
  const end = to === undefined ? undefined : new Date(Date.parse(to) + dayMs).toISOString().slice(0, 10);
  return {
    ...(action ? { action } : {}),
    ...(actor ? { actor } : {}),
    ...(resource ? { resource_id: resource } : {}),
    ...(from ? { from } : {}),
    ...(end ? { to: end } : {}),
  };
}

export const auditQuery = (org: string, filter: AuditFilter) =>
  queryOptions({
    queryKey: ["audit-log", org, filter],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET("/api/tenants/{tenant}/audit-log", {
          signal,
          params: {
            path: { tenant: org },
            query: { ...paramsOf(filter), page: filter.page ?? 1, limit: auditPageSize },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** Address of the whole log that matches, as a download. */
export const auditExport = (org: string, filter: AuditFilter, format: "csv" | "json"): string =>
  `/api/tenants/${encodeURIComponent(org)}/audit-log/export?${new URLSearchParams({ ...paramsOf(filter), format })}`;
