/** Calls of the audit log of an organization, or of the caller (`docs/reference/audit.md`). */
import { limits } from "../../../contract/limits.ts";
import type { AuditEntryPayload, AuditLogPayload } from "../../../contract/payloads/organizations/audit.ts";
import { openCaller } from "../call.ts";
import type { HttpOptions } from "../http.ts";
import type { Shape } from "../shapes.ts";

const shape = {
  entries: [
    {
      id: "text",
      action: "text",
      actor: { type: "text", id: "text?", name: "text" },
      resourceType: "text",
      resourceId: "text",
      createdAt: "text",
    },
  ],
  total: "whole",
  totalIsExact: "flag",
} as const satisfies Shape;

export interface AuditFilters {
  /** Names and groups, separated by commas. */
  action?: string;
  actor?: string;
  resource_id?: string;
  /** ISO 8601, included. */
  from?: string;
  /** ISO 8601, excluded. */
  to?: string;
}

/** Reads entries, newest first, up to a number. `more`: there are older ones. */
export type ReadAudit = (
  filters: AuditFilters,
  max: number,
) => Promise<{ entries: AuditEntryPayload[]; more: boolean }>;

/** `organization`: id or slug; without it, the log is the caller's own. */
export function openAuditLog(options: HttpOptions, organization: string | undefined): ReadAudit {
  const { get } = openCaller(options);
  const path =
    organization === undefined
      ? "/api/user/audit-log"
      : `/api/tenants/${encodeURIComponent(organization)}/audit-log`;
  return async (filters, max) => {
    // Pages are numbered from the newest entry, so new entries repeat older ones on the next page.
    const entries = new Map<string, AuditEntryPayload>();
    const limit = Math.min(max, limits.pageSizeMax);
    for (let page = 1; ; page++) {
      const log = await get<AuditLogPayload>(path, shape, { ...filters, limit, page });
      for (const entry of log.entries) entries.set(entry.id, entry);
      const isRest = log.totalIsExact && log.total <= page * limit;
      const isEnd = log.entries.length < limit || isRest || page * limit >= limits.auditPagedEntries;
      if (isEnd || entries.size >= max) {
        const all = [...entries.values()];
        return {
          entries: all.slice(0, max),
          more: all.length > max || !(log.entries.length < limit || isRest),
        };
      }
    }
  };
}
