/** Everybody's own audit log. */
import { AuditLogPayload } from "../../contract/payloads/organizations/audit.ts";
import type { Actor, UserActor } from "../access/actor.ts";
import { limitsOf } from "../access/decide.ts";
import { isPermitted } from "../access/permissions.ts";
import type { App } from "../app.ts";
import { exportAuditLog } from "../audit/export.ts";
import { readAuditLog } from "../audit/log.ts";
import { AuditExportQuery, AuditLogQuery } from "../audit/schema.ts";
import { forbidden } from "../errors.ts";
import { routesOf, type Route } from "../http/route.ts";
import { requireUser } from "./load.ts";

const route = routesOf({ tag: "User", auth: "required" });

export function userAuditRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/user/audit-log",
      id: "listOwnAudit",
      summary: "List what you did, newest first",
      query: AuditLogQuery,
      data: AuditLogPayload,
      handle: async ({ actor, query }) =>
        readAuditLog(app, { userId: requireLogReader(actor).userId }, query),
    }),
    route({
      method: "get",
      path: "/api/user/audit-log/export",
      id: "exportOwnAudit",
      summary: "Download what you did as CSV or JSON",
      query: AuditExportQuery,
      produces: "text/csv",
      budget: "export",
      async handle({ actor, query, request }) {
        const { userId, username } = requireLogReader(actor);
        return exportAuditLog(app, { userId }, query, { owner: username, isHead: request.isHead });
      },
    }),
  ];
}

/** A restricted token needs the scope to read logs. */
function requireLogReader(actor: Actor): UserActor {
  const caller = requireUser(actor);
  const { scopes, allowedFolderIds } = limitsOf(caller);
  if (allowedFolderIds || (scopes && !isPermitted(scopes, "auditLog:read")))
    throw forbidden("This token's restrictions do not include reading the audit log.");
  return caller;
}
