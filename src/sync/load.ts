/** An organization's connection, for an act. */
import type { ConnectionDoc } from "../../storage/connections.ts";
import type { TenantDoc } from "../../storage/tenants.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import { loadTenant } from "../orgs/service.ts";

/** Throws `not_found` for an organization that the actor does not see, and where nothing is connected. */
export async function loadConnection(
  app: App,
  actor: Actor,
  tenantRef: string,
  permission: "githubSync:read" | "githubSync:manage",
): Promise<{ tenant: TenantDoc; connection: ConnectionDoc }> {
  const tenant = await loadTenant(app, actor, tenantRef, permission);
  const connection = await app.storage.connections.findOfTenant(tenant._id);
  if (!connection) throw notConnected(tenant);
  return { tenant, connection };
}

export function notConnected(tenant: TenantDoc): ServiceError {
  return new ServiceError("not_found", `"${tenant.slug}" has no repository connected.`, {
    kind: "repository",
  });
}
