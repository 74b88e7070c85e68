/** The switch of an organization for hosted connectors, and their use in numbers. */
import { limits } from "../../contract/limits.ts";
import type { McpCentralPayload } from "../../contract/payloads/connectors.ts";
import type { TenantDoc } from "../../storage/organizations/tenants.ts";
import type { Actor } from "../access/actor.ts";
import { isAllowedIn } from "../access/decide.ts";
import type { App } from "../app.ts";
import { flushEvents, makeEvent } from "../audit/events.ts";
import { loadTenant } from "../orgs/service.ts";
import { oldestCall } from "./status.ts";

export async function readCentral(app: App, actor: Actor, tenantRef: string): Promise<McpCentralPayload> {
  return present(app, actor, await loadTenant(app, actor, tenantRef, "member"));
}

/**
 * Turns hosted connectors of the organization's servers off, which ends their use with the next call, or on again.
 * Credentials stay encrypted until their owners delete them.
 */
export async function changeCentral(
  app: App,
  actor: Actor,
  tenantRef: string,
  enabled: boolean,
): Promise<McpCentralPayload> {
  const tenant = await loadTenant(app, actor, tenantRef, "organization:update");
  const event = makeEvent(app, actor, "organization.updated", {
    tenantId: tenant._id,
    resourceType: "organization",
    resourceId: tenant._id,
    metadata: { mcpCentral: enabled },
  });
  const updated = await app.storage.tenants.change(tenant._id, {
    when: { mcpCentralOff: { $exists: enabled } },
    patch: { mcpCentralOff: enabled ? null : true },
    now: app.now(),
    events: [event],
  });
  if (updated) flushEvents(app, app.storage.tenants, tenant._id, [event]);
  return present(app, actor, updated ?? tenant);
}

async function present(app: App, actor: Actor, tenant: TenantDoc): Promise<McpCentralPayload> {
  const enabled = tenant.mcpCentralOff !== true;
  if (!isAllowedIn(actor, "organization:update", tenant._id, null)) return { enabled };
  const [connectors, calls] = await Promise.all([
    app.storage.connectors.countByServer(tenant._id),
    app.storage.connectorCalls.countByServer(tenant._id, oldestCall(app)),
  ]);
  const ids = [...new Set([...connectors, ...calls].map((row) => row._id))].toSorted();
  return {
    enabled,
    usage: {
      days: limits.connectorCallDays,
      connectors: connectors.reduce((sum, row) => sum + row.connectors, 0),
      calls: calls.reduce((sum, row) => sum + row.calls, 0),
      servers: ids.map((serverId) => {
        const figures = calls.find((row) => row._id === serverId);
        return {
          serverId,
          connectors: connectors.find((row) => row._id === serverId)?.connectors ?? 0,
          calls: figures?.calls ?? 0,
          failed: figures?.failed ?? 0,
        };
      }),
    },
  };
}
