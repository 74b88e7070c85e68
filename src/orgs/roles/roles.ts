/** Custom roles of an organization. A caller gives only permissions that they have; a role in use can't be deleted. */
import { limits } from "../../../contract/limits.ts";
import { isId } from "../../../storage/database.ts";
import type { RoleDoc } from "../../../storage/organizations/roles.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import { missingFrom } from "../../access/permissions.ts";
import type { App } from "../../app.ts";
import { makeEvent, flushEvents } from "../../audit/events.ts";
import { ServiceError, notFound } from "../../errors.ts";
import { foldName } from "../../users/schema.ts";
import { insertRecord, newRecord, requireFreeSlot, updateRecord } from "../named-records.ts";
import { requireMemberGrants, requirePermissions, requireTeamAccess } from "../permission-checks.ts";
import type { CreateRole, UpdateRole } from "../schema.ts";
import { loadTenant } from "../service.ts";

/** Number of users of a role that an error names. */
const namedUsers = 10;

/** The organization's custom roles, by name. */
export async function listRoles(app: App, actor: Actor, tenantRef: string): Promise<RoleDoc[]> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:read");
  return app.storage.roles.list(tenant._id);
}

/** A custom role. Without an id, only the access to roles is decided. */
export async function readRole(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string | undefined,
): Promise<RoleDoc | undefined> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:read");
  return id === undefined ? undefined : loadRole(app, tenant._id, id);
}

/** Throws `already_exists`, `limit_reached`, or `forbidden` for permissions that the caller does not have. */
export async function createRole(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: CreateRole,
): Promise<RoleDoc> {
  const tenant = await loadTenant(app, actor, tenantRef, "role:create");
  requirePermissions(actor, tenant._id, input.permissions, "make this role");
  const { roles } = app.storage;
  requireFreeSlot("role", await roles.count(tenant._id), limits.rolesPerOrganization);
  const { name, permissions } = input;
  const event = makeEvent(app, actor, "role.created", {
    tenantId: tenant._id,
    resourceType: "role",
    resourceId: app.newId(),
    metadata: { name, permissions },
  });
  return insertRecord(app, "role", roles, { ...newRecord(app, actor, name, event), permissions });
}

/**
 * Changes the name or the permissions. The caller must have the previous and the new permissions and, to extend it,
 * what each team with the role gives, and the grants of its holders on restricted folders.
 */
export async function updateRole(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
  input: UpdateRole,
): Promise<RoleDoc> {
  const tenant = await loadTenant(app, actor, tenantRef, "role:update");
  const role = await loadRole(app, tenant._id, id);
  requirePermissions(actor, tenant._id, role.permissions, "change this role");
  const wanted = input.permissions ?? {};
  requirePermissions(actor, tenant._id, wanted, "put this into a role");
  if (missingFrom(role.permissions, wanted).length > 0) {
    // Its holders may then do more in folders on which they, or their teams, have grants.
    const teams = await app.storage.teams.listWithRole(tenant._id, id, limits.teamsPerOrganization);
    const teamIds = teams.map((team) => team._id);
    await requireTeamAccess(app, actor, tenant._id, teamIds, "extend a role of a team");
    const members = await app.storage.memberships.listHolders(tenant._id, { role: id, teamIds });
    await requireMemberGrants(app, actor, tenant._id, members, "extend the role of this member");
  }
  const event = makeEvent(app, actor, "role.updated", {
    tenantId: tenant._id,
    resourceType: "role",
    resourceId: id,
    metadata: { name: role.name, changed: { ...input } },
  });
  const fields = {
    name: input.name,
    nameKey: input.name === undefined ? undefined : foldName(input.name),
    permissions: input.permissions,
  };
  return updateRecord(app, "role", app.storage.roles, role, fields, event);
}

/** Throws `refused`, with `details.usedBy`, while a member, a team, an invitation or auto-join has the role. */
export async function deleteRole(app: App, actor: Actor, tenantRef: string, id: string): Promise<void> {
  const tenant = await loadTenant(app, actor, tenantRef, "role:delete");
  const role = await loadRole(app, tenant._id, id);
  requirePermissions(actor, tenant._id, role.permissions, "delete this role");
  await requireUnused(app, role, tenant);
  const event = makeEvent(app, actor, "role.deleted", {
    tenantId: tenant._id,
    resourceType: "role",
    resourceId: id,
    metadata: { name: role.name },
  });
  if (!(await app.storage.roles.markRemoved(id, app.now(), [event]))) throw notFound("role", id);
  flushEvents(app, app.storage.roles, id, [event]);
}

async function requireUnused(
  app: App,
  { _id, tenantId, name }: RoleDoc,
  { autoJoin }: TenantDoc,
): Promise<void> {
  const { memberships, teams, invitations } = app.storage;
  const [members, carrying, invited] = await Promise.all([
    memberships.listWithRole(tenantId, _id, namedUsers),
    teams.listWithRole(tenantId, _id, namedUsers),
    invitations.listWithRole(tenantId, _id, namedUsers),
  ]);
  const isOfAutoJoin = autoJoin?.role === _id;
  if (members.length + carrying.length + invited.length === 0 && !isOfAutoJoin) return;
  const usedBy = {
    members: members.map(({ userId, username }) => ({ userId, username })),
    teams: carrying.map((team) => ({ id: team._id, name: team.name })),
    invitations: invited.map((invitation) => ({ id: invitation._id, email: invitation.email })),
  };
  const parts = [
    ["members", usedBy.members.map((one) => one.username)],
    ["teams", usedBy.teams.map((one) => one.name)],
    ["invitations", usedBy.invitations.map((one) => one.email)],
  ] as const;
  const users = parts
    .filter(([, names]) => names.length > 0)
    .map(([kind, names]) => `${kind} ${names.join(", ")}`);
  if (isOfAutoJoin) users.push("auto-join");
  throw new ServiceError(
    "refused",
    `The role "${name}" is in use by ${users.join("; ")}: give them another first.`,
    {
      kind: "role",
      ref: _id,
      usedBy,
    },
  );
}

async function loadRole(app: App, tenantId: string, id: string): Promise<RoleDoc> {
  const role = isId(id) ? await app.storage.roles.find(tenantId, id) : null;
  if (!role) throw notFound("role", id);
  return role;
}
