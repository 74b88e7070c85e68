/** Loads the connection of an organization, and checks the permission for it. */
import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import { decideRepository } from "../../access/repository.ts";
import type { App } from "../../app.ts";
import { ServiceError, forbidden } from "../../errors.ts";
import { loadTenant } from "../../orgs/service.ts";

/** Throws `not_found` for an organization that the actor can't see, or without a connection. */
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

/** Throws `forbidden`, with `details.missing`, unless the actor may choose the organization's repository. */
export function requireEverySkill(actor: Actor, tenant: TenantDoc): void {
  const verdict = decideRepository(actor, tenant._id);
  if (verdict === "allowed") return;
  const { missing, isLimitedToFolders } = verdict;
  const problem = isLimitedToFolders
    ? "a token that is not limited to folders"
    : `${missing.join(", ")}, which your role or token does not have`;
  throw forbidden(
    `A repository connection reads and writes every skill of "${tenant.slug}", so it requires ${problem}. ` +
      "Ask an owner or admin of the organization.",
    { kind: "repository", missing },
  );
}

export function notConnected(tenant: TenantDoc): ServiceError {
  return new ServiceError("not_found", `"${tenant.slug}" has no repository connected.`, {
    kind: "repository",
  });
}
