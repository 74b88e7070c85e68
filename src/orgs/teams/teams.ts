/** Teams of an organization. Changing a team requires the permissions that it gives. */
import { limits } from "../../../contract/limits.ts";
import { isId } from "../../../storage/database.ts";
import type { TeamDoc } from "../../../storage/organizations/teams.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeEvent, flushEvents } from "../../audit/events.ts";
import { notFound } from "../../errors.ts";
import { decodeCursor, pageOf } from "../../http/request/cursor.ts";
import { type Page } from "../../http/route.ts";
import { foldName } from "../../users/schema.ts";
import { insertRecord, newRecord, requireFreeSlot, updateRecord } from "../named-records.ts";
import {
  permissionsOfRoles,
  permissionsOfTeams,
  requireMemberGrants,
  requirePermissions,
  requireTeamAccess,
} from "../permission-checks.ts";
import { NameCursor, type CreateTeam, type ListQuery, type UpdateTeam } from "../schema.ts";
import { loadTenant } from "../service.ts";

/** A page of teams, by name. */
export async function listTeams(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: ListQuery,
): Promise<Page<TeamDoc>> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:read");
  const [after] = decodeCursor(input.cursor, NameCursor) ?? [];
  const rows = await app.storage.teams.list(tenant._id, after, input.limit + 1);
  return pageOf(rows, input.limit, (last) => [last.nameKey]);
}

export async function readTeam(app: App, actor: Actor, tenantRef: string, id: string): Promise<TeamDoc> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:read");
  return loadTeam(app, tenant, id);
}

/** Throws `already_exists`, `limit_reached`, or `forbidden` for roles that give more than the caller holds. */
export async function createTeam(
  app: App,
  actor: Actor,
  tenantRef: string,
  input: CreateTeam,
): Promise<TeamDoc> {
  const tenant = await loadTenant(app, actor, tenantRef, "team:create");
  const permissions = await permissionsOfRoles(app, tenant._id, input.roles);
  requirePermissions(actor, tenant._id, permissions, "put these roles on a team");
  const { teams } = app.storage;
  requireFreeSlot("team", await teams.count(tenant._id), limits.teamsPerOrganization);
  const event = makeEvent(app, actor, "team.created", {
    tenantId: tenant._id,
    resourceType: "team",
    resourceId: app.newId(),
    metadata: { name: input.name, description: input.description || undefined, roles: input.roles },
  });
  const record = newRecord(app, actor, input.name, event);
  return insertRecord(app, "team", teams, {
    ...record,
    description: input.description || undefined,
    roleIds: input.roles,
  });
}

/** Changes a team. The caller must have its previous and its new permissions. */
export async function updateTeam(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
  input: UpdateTeam,
): Promise<TeamDoc> {
  const tenant = await loadTenant(app, actor, tenantRef, "team:update");
  const team = await loadTeam(app, tenant, id);
  await requirePermissionsOf(app, actor, team, "change this team");
  if (input.roles) {
    const permissions = await permissionsOfRoles(app, tenant._id, input.roles);
    requirePermissions(actor, tenant._id, permissions, "put these roles on a team");
    // A role extends what the team's members may do in folders on which they have grants.
    if (input.roles.some((role) => !team.roleIds.includes(role))) {
      await requireTeamAccess(app, actor, tenant._id, [id], "add a role to this team");
      const members = await app.storage.memberships.listHolders(tenant._id, { teamIds: [id] });
      await requireMemberGrants(app, actor, tenant._id, members, "add a role to the team of this member");
    }
  }
  const event = makeEvent(app, actor, "team.updated", {
    tenantId: tenant._id,
    resourceType: "team",
    resourceId: id,
    metadata: { name: team.name, changed: { ...input } },
  });
  const fields = {
    name: input.name,
    nameKey: input.name === undefined ? undefined : foldName(input.name),
    description: input.description,
    roleIds: input.roles,
  };
  return updateRecord(app, "team", app.storage.teams, team, fields, event);
}

/**
 * Deletes a team: from this write on it gives its members nothing. A job removes the references to it
 * (`workers/orgs/team-deleted.ts`).
 */
export async function deleteTeam(app: App, actor: Actor, tenantRef: string, id: string): Promise<void> {
  const tenant = await loadTenant(app, actor, tenantRef, "team:delete");
  const team = await loadTeam(app, tenant, id);
  await requirePermissionsOf(app, actor, team, "delete this team");
  const event = makeEvent(app, actor, "team.deleted", {
    tenantId: tenant._id,
    resourceType: "team",
    resourceId: id,
    metadata: { name: team.name },
  });
  if (!(await app.storage.teams.markRemoved(id, app.now(), [event]))) throw notFound("team", id);
  flushEvents(app, app.storage.teams, id, [event]);
  app.background("clean up after a team", () =>
    app.queue.enqueue("orgs.team-deleted", { tenantId: tenant._id, teamId: id }, { jobId: id }),
  );
}

/** Finds a team of an organization. Throws `not_found`. */
export async function loadTeam(app: App, tenant: TenantDoc, id: string): Promise<TeamDoc> {
  const team = isId(id) ? await app.storage.teams.find(tenant._id, id) : null;
  if (!team) throw notFound("team", id);
  return team;
}

/** Throws `forbidden` unless the caller has the permissions of the team. */
export async function requirePermissionsOf(
  app: App,
  actor: Actor,
  team: TeamDoc,
  act: string,
): Promise<void> {
  requirePermissions(actor, team.tenantId, await permissionsOfTeams(app, team.tenantId, [team._id]), act);
}
