/** Loads organizations and workspaces for callers who manage them. */
import type { Permission } from "../../contract/vocabulary.ts";
import { isId } from "../../storage/database.ts";
import type { TenantDoc } from "../../storage/organizations/tenants.ts";
import type { WorkspaceDoc } from "../../storage/workspaces/workspaces.ts";
import type { Actor } from "../access/actor.ts";
import { decideTenant } from "../access/decide.ts";
import type { App } from "../app.ts";
import { ServiceError, forbidden, notFound } from "../errors.ts";
import { loadTenant } from "../orgs/service.ts";

/** Requires the permission to manage the organization's workspaces, and further ones. */
export async function loadManaged(
  app: App,
  actor: Actor,
  ref: string,
  ...also: Permission[]
): Promise<TenantDoc> {
  const tenant = await loadTenant(app, actor, ref, "personalWorkspace:manage");
  for (const permission of also)
    if (decideTenant(actor, permission, tenant._id) !== "allowed")
      throw forbidden(
        `This also requires ${permission} in "${tenant.slug}", which your role does not allow.`,
      );
  return tenant;
}

/** Finds the workspace of a user. Throws `not_found`. */
export async function loadWorkspace(app: App, tenantId: string, userId: string): Promise<WorkspaceDoc> {
  const row = isId(userId) ? await app.storage.workspaces.find(tenantId, userId) : null;
  if (!row) throw notFound("workspace", userId);
  return row;
}

/** Finds the workspace of a former member. The organization can reassign or delete no other. */
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
