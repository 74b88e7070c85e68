/** The log of the service: actions of its administrators, and registrations of anonymous identities. */
import { AuditLogPayload } from "../../contract/payloads/audit.ts";
import type { App } from "../app.ts";
import { exportAuditLog } from "../audit/export.ts";
import { serviceLog } from "../audit/fan-out.ts";
import { readAuditLog } from "../audit/log.ts";
import { AuditExportQuery, AuditLogQuery } from "../audit/schema.ts";
import { route, type Route } from "../http/route.ts";

const common = { method: "get", tag: "Administration", auth: "administrator" } as const;

export function serviceLogRoutes(app: App): Route[] {
  return [
    route({
      ...common,
      path: "/api/admin/audit-log",
      summary: "Read what administrators did, and which anonymous identities were registered",
      query: AuditLogQuery,
      data: AuditLogPayload,
      handle: ({ query }) => readAuditLog(app, serviceLog, query),
    }),
    route({
      ...common,
      path: "/api/admin/audit-log/export",
      summary: "Download the log of the service as CSV or JSON",
      query: AuditExportQuery,
      produces: "text/csv",
      budget: "export",
      handle: ({ query, request }) =>
        exportAuditLog(app, serviceLog, query, { owner: "service", isHead: request.isHead }),
    }),
  ];
}
