/** The audit log of an organization. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Schemas } from "../client.ts";
import { query } from "../query.ts";

export type AuditEntry = Schemas["AuditEntry"];
export interface AuditFilter {
  action?: string;
  actor?: string;
  resource?: string;
  /** Dates without time, both inclusive. */
  from?: string;
  to?: string;
  /** Days up to today, in place of dates. */
  past?: AuditRange;
  page?: number;
  /** The entry whose details are open; it selects nothing. */
  entry?: string;
}
/** Common ranges of time, in days of UTC. */
export const auditRanges = ["1d", "7d", "30d"] as const;
export type AuditRange = (typeof auditRanges)[number];
/** A filter that selects everything. */
export const noAuditFilter: AuditFilter = {
  action: undefined,
  actor: undefined,
  resource: undefined,
  from: undefined,
  to: undefined,
  past: undefined,
};
export type AuditPage = Schemas["AuditLog"];
export const auditPageSize = 100;
const dayMs = 86_400_000;

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
const dateOf = (value: unknown) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined;

/** The filter in the address of a page. */
export const readAuditFilter = (raw: Record<string, unknown>): AuditFilter => ({
  action: textOf(raw["action"]),
  actor: textOf(raw["actor"]),
  resource: textOf(raw["resource"]),
  from: dateOf(raw["from"]),
  to: dateOf(raw["to"]),
  past: auditRanges.find((past) => past === raw["past"]),
  page: typeof raw["page"] === "number" && raw["page"] > 1 ? Math.floor(raw["page"]) : undefined,
  entry: textOf(raw["entry"]),
});

const dayBefore = (days: number): string => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);

/** The parameters of the API, whose `to` is exclusive. */
export function auditParams({ action, actor, resource, from, to, past }: AuditFilter) {
  const start = past === undefined ? from : dayBefore(Number.parseInt(past, 10) - 1);
  const end = to === undefined ? undefined : new Date(Date.parse(to) + dayMs).toISOString().slice(0, 10);
  return {
    ...(action ? { action } : {}),
    ...(actor ? { actor } : {}),
    ...(resource ? { resource_id: resource } : {}),
    ...(start ? { from: start } : {}),
    ...(end ? { to: end } : {}),
  };
}

export const auditQuery = (org: string, filter: AuditFilter, limit = auditPageSize) =>
  queryOptions({
    ...query("/api/tenants/{tenant}/audit-log", {
      tenant: org,
      ...auditParams(filter),
      page: filter.page ?? 1,
      limit,
    }),
    placeholderData: keepPreviousData,
  });

/** Address of the whole log that matches, as a download. */
export const auditExport = (org: string, filter: AuditFilter, format: "csv" | "json"): string =>
  `/api/tenants/${encodeURIComponent(org)}/audit-log/export?${new URLSearchParams({ ...auditParams(filter), format })}`;
