/** Organizations and workspaces as those who manage them find them. */
import { isId } from "../../storage/database.ts";
import type { TenantDoc } from "../../storage/tenants.ts";
import type { WorkspaceDoc } from "../../storage/workspaces.ts";
import type { Permission } from "../../contract/vocabulary.ts";
import type { Actor } from "../access/actor.ts";
import { decideTenant } from "../access/decide.ts";
import type { App } from "../app.ts";
import { ServiceError, forbidden, notFound } from "../errors.ts";
import { loadTenant } from "../orgs/service.ts";

/** The organization, for whoever may manage its workspaces, and has what the act takes beyond that. */
export async function loadManaged(
  app: App,
  actor: Actor,
  ref: string,
  also?: Permission,
): Promise<TenantDoc> {
  const tenant = await loadTenant(app, actor, ref, "personalWorkspace:manage");
  if (also !== undefined && decideTenant(actor, also, tenant._id) !== "allowed")
    throw forbidden(`This takes ${also} in "${tenant.slug}" as well, which your role does not allow.`);
  return tenant;
}

/** A workspace by whose it is. Throws `not_found`. */
export async function loadWorkspace(app: App, tenantId: string, userId: string): Promise<WorkspaceDoc> {
  const row = isId(userId) ? await app.storage.workspaces.find(tenantId, userId) : null;
  if (!row) throw notFound("workspace", userId);
  return row;
}

/** The workspace of somebody who has left: the only ones that are the organization's to give away or delete. */
export async function loadLeftWorkspace(app: App, tenantId: string, userId: string): Promise<WorkspaceDoc> {
  const row = await loadWorkspace(app, tenantId, userId);
  if (row.state === "left") return row;
  const why =
    row.state === "deleting" ? "it is being deleted already" : "its owner is a member: remove them first";
  throw new ServiceError("refused", `The workspace of "${userId}" can't be reassigned or deleted: ${why}.`, {
    kind: "workspace",
    ref: userId,
  });
}
