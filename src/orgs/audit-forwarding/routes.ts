/** Routes of the receiver of an organization's audit log. */
import { AuditForwardingSettingPayload } from "../../../contract/payloads/organizations/audit.ts";
import type { App } from "../../app.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { TenantParams } from "../schema.ts";
import { AuditForwarding } from "./schema.ts";
import { endForwarding, readForwarding, setForwarding, testForwarding } from "./service.ts";

const route = routesOf({ tag: "Organizations", auth: "required" });

export function auditForwardingRoutes(app: App): Route[] {
  const common = {
    path: "/api/tenants/:tenant/audit-log/forwarding",
    params: TenantParams,
    data: AuditForwardingSettingPayload,
  };
  return [
    route({
      ...common,
      method: "get",
      id: "getAuditForwarding",
      summary: "Read where an organization's audit log is sent, and whether that works",
      handle: ({ actor, params }) => readForwarding(app, actor, params.tenant),
    }),
    route({
      ...common,
      method: "put",
      id: "setAuditForwarding",
      summary: "Send an organization's audit log to a receiver from now on",
      body: AuditForwarding,
      handle: ({ actor, params, body }) => setForwarding(app, actor, params.tenant, body),
    }),
    route({
      ...common,
      method: "delete",
      id: "removeAuditForwarding",
      summary: "Send an organization's audit log to no receiver any more",
      handle: ({ actor, params }) => endForwarding(app, actor, params.tenant),
    }),
    route({
      ...common,
      method: "post",
      path: "/api/tenants/:tenant/audit-log/forwarding/test",
      id: "testAuditForwarding",
      failures: ["refused"],
      summary: "Send a message without entries to the receiver now",
      budget: "search",
      async handle({ actor, params }) {
        await testForwarding(app, actor, params.tenant);
        return readForwarding(app, actor, params.tenant);
      },
    }),
  ];
}
