/** The log of the service: actions of its administrators, and registrations of anonymous identities. */
import { AuditLogPayload } from "../../contract/payloads/organizations/audit.ts";
import type { App } from "../app.ts";
import { exportAuditLog } from "../audit/export.ts";
import { serviceLog } from "../audit/fan-out.ts";
import { readAuditLog } from "../audit/log.ts";
import { AuditExportQuery, AuditLogQuery } from "../audit/schema.ts";
import { routesOf, type Route } from "../http/route.ts";

const route = routesOf({ method: "get", tag: "Administration", auth: "administrator" });

export function serviceLogRoutes(app: App): Route[] {
  return [
    route({
      path: "/api/admin/audit-log",
      id: "listAdminAudit",
      summary: "Read what administrators did, and which anonymous identities were registered",
      query: AuditLogQuery,
      data: AuditLogPayload,
      handle: ({ query }) => readAuditLog(app, serviceLog, query),
    }),
    route({
      path: "/api/admin/audit-log/export",
      id: "exportAdminAudit",
      summary: "Download the log of the service as CSV or JSON",
      query: AuditExportQuery,
      produces: "text/csv",
      budget: "export",
      handle: ({ query, request }) =>
        exportAuditLog(app, serviceLog, query, { owner: "service", isHead: request.isHead }),
    }),
  ];
}
