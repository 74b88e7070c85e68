/** Teams of an organization, and who is in them. Whoever changes a team holds what it carries. */
import { limits } from "../../contract/limits.ts";
import { isDuplicate, isId } from "../../storage/database.ts";
import { outboxFields } from "../../storage/outbox.ts";
import type { TeamDoc } from "../../storage/teams.ts";
import type { TenantDoc } from "../../storage/tenants.ts";
import { actorId, type Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent, settleEvents } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { decodeCursor, encodeCursor } from "../http/cursor.ts";
import { Page } from "../http/route.ts";
import { foldName } from "../users/schema.ts";
import { permissionsOfRoles, permissionsOfTeams, requireHeld, unknownTeam } from "./giving.ts";
import { listMembers, onMember, type Member } from "./members.ts";
import { NameCursor, type CreateTeam, type ListQuery, type MemberQuery, type UpdateTeam } from "./schema.ts";
import { loadTenant } from "./service.ts";

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
  const shown = rows.slice(0, input.limit);
  const last = rows.length > input.limit ? shown.at(-1) : undefined;
  return new Page(shown, last ? encodeCursor([last.nameKey]) : null);
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
  const carried = await permissionsOfRoles(app, tenant._id, input.roles);
  requireHeld(actor, tenant._id, carried, "put these roles on a team");
  if ((await app.storage.teams.count(tenant._id)) >= limits.teamsPerOrganization) {
    const limit = limits.teamsPerOrganization;
    throw new ServiceError("limit_reached", `An organization has at most ${limit} teams.`, { limit });
  }
  const now = app.now();
  const id = app.newId();
  const event = makeEvent(app, actor, "team.created", {
    tenantId: tenant._id,
    resourceType: "team",
    resourceId: id,
    metadata: { name: input.name, roles: input.roles },
  });
  const team: TeamDoc = {
    _id: id,
    tenantId: tenant._id,
    name: input.name,
    nameKey: foldName(input.name),
    roleIds: input.roles,
    revision: 0,
    active: true,
    createdBy: actorId(actor),
    createdAt: now,
    updatedAt: now,
    ...outboxFields([event]),
  };
  try {
    await app.storage.teams.insert(team);
  } catch (error) {
    throw nameTaken(error, input.name);
  }
  settleEvents(app, app.storage.teams, id, [event]);
  return team;
}

/** Changes name or roles. The caller must hold both what the team carried and what it is to carry. */
export async function updateTeam(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
  input: UpdateTeam,
): Promise<TeamDoc> {
  const tenant = await loadTenant(app, actor, tenantRef, "team:update");
  const team = await loadTeam(app, tenant, id);
  await requireHeldByTeam(app, actor, team, "change this team");
  if (input.roles) {
    const carried = await permissionsOfRoles(app, tenant._id, input.roles);
    requireHeld(actor, tenant._id, carried, "put these roles on a team");
  }
  const event = makeEvent(app, actor, "team.updated", {
    tenantId: tenant._id,
    resourceType: "team",
    resourceId: id,
    metadata: { name: team.name, changed: { ...input } },
  });
  const fields = {
    ...(input.name === undefined ? {} : { name: input.name, nameKey: foldName(input.name) }),
    ...(input.roles === undefined ? {} : { roleIds: input.roles }),
  };
  let updated: TeamDoc | null;
  try {
    updated = await app.storage.teams.update(id, team.revision, fields, app.now(), [event]);
  } catch (error) {
    throw nameTaken(error, input.name ?? team.name);
  }
  if (!updated)
    throw new ServiceError("conflict", "This team was changed meanwhile: look again and try again.", {
      kind: "team",
      ref: id,
    });
  settleEvents(app, app.storage.teams, id, [event]);
  return updated;
}

/**
 * Deletes a team: from this write on nobody has anything by it. What still names it is cleaned up by a job, which every
 * room takes part in (`workers/orgs/team-deleted.ts`).
 */
export async function deleteTeam(app: App, actor: Actor, tenantRef: string, id: string): Promise<void> {
  const tenant = await loadTenant(app, actor, tenantRef, "team:delete");
  const team = await loadTeam(app, tenant, id);
  await requireHeldByTeam(app, actor, team, "delete this team");
  const event = makeEvent(app, actor, "team.deleted", {
    tenantId: tenant._id,
    resourceType: "team",
    resourceId: id,
    metadata: { name: team.name },
  });
  if (!(await app.storage.teams.markRemoved(id, app.now(), [event]))) throw unknownTeam(id);
  settleEvents(app, app.storage.teams, id, [event]);
  app.background("clean up after a team", () =>
    app.queue.enqueue("orgs.team-deleted", { tenantId: tenant._id, teamId: id }, { jobId: id }),
  );
}

/** A page of a team's members, by user name. */
export async function listTeamMembers(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
  input: MemberQuery,
): Promise<Page<Member>> {
  const team = await readTeam(app, actor, tenantRef, id);
  return listMembers(app, actor, tenantRef, input, team._id);
}

/** Puts a member into a team; who is in it already stays in it. */
export async function addTeamMember(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
  userId: string,
): Promise<void> {
  await changeTeamMember(app, actor, tenantRef, id, userId, "team.member_added");
}

/** Takes a member out of a team; throws `not_found` for who is not in it. */
export async function removeTeamMember(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
  userId: string,
): Promise<void> {
  await changeTeamMember(app, actor, tenantRef, id, userId, "team.member_removed");
}

async function changeTeamMember(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
  userId: string,
  change: "team.member_added" | "team.member_removed",
): Promise<void> {
  const tenant = await loadTenant(app, actor, tenantRef, "team:update");
  const team = await loadTeam(app, tenant, id);
  await requireHeldByTeam(app, actor, team, "change who is in this team");
  const isAdded = change === "team.member_added";
  await onMember(app, tenant._id, userId, async (member) => {
    const isIn = member.teamIds.includes(id);
    if (isAdded && isIn) return member;
    if (!isAdded && !isIn) throw notInTeam(team, userId);
    if (isAdded && member.teamIds.length >= limits.teamsPerMember) {
      const limit = limits.teamsPerMember;
      throw new ServiceError("limit_reached", `One person is in at most ${limit} teams.`, { limit });
    }
    const event = makeEvent(app, actor, change, {
      tenantId: tenant._id,
      resourceType: "team",
      resourceId: id,
      metadata: { team: team.name, userId, username: member.username },
    });
    const fields = isAdded ? { addTeam: id } : { removeTeam: id };
    const changed = await app.storage.memberships.change(member._id, member.revision, fields, [event]);
    if (!changed) return undefined;
    settleEvents(app, app.storage.memberships, member._id, [event]);
    return changed;
  });
}

async function loadTeam(app: App, tenant: TenantDoc, id: string): Promise<TeamDoc> {
  const team = isId(id) ? await app.storage.teams.find(tenant._id, id) : null;
  if (!team) throw unknownTeam(id);
  return team;
}

async function requireHeldByTeam(app: App, actor: Actor, team: TeamDoc, act: string): Promise<void> {
  requireHeld(actor, team.tenantId, await permissionsOfTeams(app, team.tenantId, [team._id]), act);
}

function notInTeam(team: TeamDoc, userId: string): ServiceError {
  return new ServiceError("not_found", `No member "${userId}" was found in the team "${team.name}".`, {
    kind: "member",
    ref: userId,
  });
}

function nameTaken(error: unknown, name: string): unknown {
  if (!isDuplicate(error, "team_name")) return error;
  return new ServiceError(
    "already_exists",
    `There is a team "${name}" already: choose another name.`,
    { kind: "team", ref: name },
    { cause: error },
  );
}
