/** An organization's audit log, for callers with the permission `auditLog:read`. */
import { AuditLogPayload } from "../../contract/payloads/organizations/audit.ts";
import type { App } from "../app.ts";
import { exportAuditLog } from "../audit/export.ts";
import { readAuditLog } from "../audit/log.ts";
import { AuditExportQuery, AuditLogQuery } from "../audit/schema.ts";
import { routesOf, type Route } from "../http/route.ts";
import { TenantParams } from "./schema.ts";
import { loadTenant } from "./service.ts";

const route = routesOf({ tag: "Organizations", auth: "required" });

export function auditRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/tenants/:tenant/audit-log",
      id: "listAudit",
      summary: "List what was done in an organization, newest first",
      params: TenantParams,
      query: AuditLogQuery,
      data: AuditLogPayload,
      async handle({ actor, params, query }) {
        const tenant = await loadTenant(app, actor, params.tenant, "auditLog:read");
        return readAuditLog(app, { tenantId: tenant._id }, query);
      },
    }),
    route({
      method: "get",
      path: "/api/tenants/:tenant/audit-log/export",
      id: "exportAudit",
      summary: "Download an organization's audit log as CSV or JSON",
      params: TenantParams,
      query: AuditExportQuery,
      produces: "text/csv",
      budget: "export",
      async handle({ actor, params, query, request }) {
        const tenant = await loadTenant(app, actor, params.tenant, "auditLog:read");
        const options = { owner: tenant.slug, isHead: request.isHead };
        return exportAuditLog(app, { tenantId: tenant._id }, query, options);
      },
    }),
  ];
}
