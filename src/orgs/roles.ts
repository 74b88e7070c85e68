/** Custom roles of an organization. What they hold is given by whoever holds it, and nobody is left with a role that is gone. */
import { limits } from "../../contract/limits.ts";
import { isDuplicate, isId } from "../../storage/database.ts";
import { outboxFields } from "../../storage/outbox.ts";
import type { RoleDoc } from "../../storage/roles.ts";
import type { Actor } from "../access/actor.ts";
import { actorId } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent, settleEvents } from "../audit/events.ts";
import { ServiceError, notFound } from "../errors.ts";
import { foldName } from "../users/schema.ts";
import { requireHeld } from "./giving.ts";
import type { CreateRole, UpdateRole } from "./schema.ts";
import { loadTenant } from "./service.ts";

/** How many users of a role a refusal names. */
const namedUsers = 10;

/** The organization's custom roles, by name. */
export async function listRoles(app: App, actor: Actor, tenantRef: string): Promise<RoleDoc[]> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:read");
  return app.storage.roles.list(tenant._id);
}

/** Throws `already_exists`, `limit_reached`, or `forbidden` for what the caller does not hold. */
export async function createRole(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: CreateRole,
): Promise<RoleDoc> {
  const tenant = await loadTenant(app, actor, tenantRef, "role:create");
  requireHeld(actor, tenant._id, input.permissions, "make this role");
  if ((await app.storage.roles.count(tenant._id)) >= limits.rolesPerOrganization) {
    const limit = limits.rolesPerOrganization;
    throw new ServiceError("limit_reached", `An organization has at most ${limit} roles.`, { limit });
  }
  const now = app.now();
  const { name, permissions } = input;
  const id = app.newId();
  const event = makeEvent(app, actor, "role.created", {
    tenantId: tenant._id,
    resourceType: "role",
    resourceId: id,
    metadata: { name, permissions },
  });
  const role: RoleDoc = {
    _id: id,
    tenantId: tenant._id,
    name,
    nameKey: foldName(name),
    permissions,
    revision: 0,
    active: true,
    createdBy: actorId(actor),
    createdAt: now,
    updatedAt: now,
    ...outboxFields([event]),
  };
  try {
    await app.storage.roles.insert(role);
  } catch (error) {
    throw nameTaken(error, name);
  }
  settleEvents(app, app.storage.roles, id, [event]);
  return role;
}

/** Changes name or content. The caller must hold both what the role gave and what it is to give. */
export async function updateRole(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
  input: UpdateRole,
): Promise<RoleDoc> {
  const tenant = await loadTenant(app, actor, tenantRef, "role:update");
  const role = await loadRole(app, tenant._id, id);
  requireHeld(actor, tenant._id, role.permissions, "change this role");
  requireHeld(actor, tenant._id, input.permissions ?? {}, "put this into a role");
  const event = makeEvent(app, actor, "role.updated", {
    tenantId: tenant._id,
    resourceType: "role",
    resourceId: id,
    metadata: { name: role.name, changed: { ...input } },
  });
  const fields = {
    ...(input.name === undefined ? {} : { name: input.name, nameKey: foldName(input.name) }),
    ...(input.permissions === undefined ? {} : { permissions: input.permissions }),
  };
  let updated: RoleDoc | null;
  try {
    updated = await app.storage.roles.update(id, role.revision, fields, app.now(), [event]);
  } catch (error) {
    throw nameTaken(error, input.name ?? role.name);
  }
  if (!updated) throw changedMeanwhile(id);
  settleEvents(app, app.storage.roles, id, [event]);
  return updated;
}

/** Throws `refused`, with `details.usedBy`, while a member, a team or an invitation has the role. */
export async function deleteRole(app: App, actor: Actor, tenantRef: string, id: string): Promise<void> {
  const tenant = await loadTenant(app, actor, tenantRef, "role:delete");
  const role = await loadRole(app, tenant._id, id);
  requireHeld(actor, tenant._id, role.permissions, "delete this role");
  await requireUnused(app, role);
  const event = makeEvent(app, actor, "role.deleted", {
    tenantId: tenant._id,
    resourceType: "role",
    resourceId: id,
    metadata: { name: role.name },
  });
  if (!(await app.storage.roles.markRemoved(id, app.now(), [event]))) throw notFound("role", id);
  settleEvents(app, app.storage.roles, id, [event]);
}

async function requireUnused(app: App, { _id, tenantId, name }: RoleDoc): Promise<void> {
  const { memberships, teams, invitations } = app.storage;
  const [members, carrying, invited] = await Promise.all([
    memberships.listWithRole(tenantId, _id, namedUsers),
    teams.listWithRole(tenantId, _id, namedUsers),
    invitations.listWithRole(tenantId, _id, namedUsers),
  ]);
  if (members.length + carrying.length + invited.length === 0) return;
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

function changedMeanwhile(id: string): ServiceError {
  return new ServiceError("conflict", "This role was changed meanwhile: look again and try again.", {
    kind: "role",
    ref: id,
  });
}

function nameTaken(error: unknown, name: string): unknown {
  if (!isDuplicate(error, "role_name")) return error;
  return new ServiceError(
    "already_exists",
    `There is a role "${name}" already: choose another name.`,
    { kind: "role", ref: name },
    { cause: error },
  );
}
