/** Members of a team: list, add and remove. */
import { limits } from "../../../contract/limits.ts";
import type { MembershipDoc } from "../../../storage/memberships/memberships.ts";
import type { TeamDoc } from "../../../storage/organizations/teams.ts";
import type { Actor } from "../../access/actor.ts";
import { missingFrom } from "../../access/permissions.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeEvent } from "../../audit/events.ts";
import { ServiceError } from "../../errors.ts";
import type { Page } from "../../http/route.ts";
import { listMembers, onMember, type Member } from "../members/members.ts";
import {
  permissionsOfMember,
  permissionsOfTeams,
  requireMemberGrants,
  requireTeamAccess,
} from "../permission-checks.ts";
import type { MemberQuery } from "../schema.ts";
import { loadTenant } from "../service.ts";
import { loadTeam, readTeam, requirePermissionsOf } from "./teams.ts";

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

/** Adds a member to a team; a member of the team stays in it. */
export async function addTeamMember(
  app: App,
  actor: Actor,
  tenantRef: string,
  id: string,
  userId: string,
): Promise<void> {
  await changeTeamMember(app, actor, tenantRef, id, userId, "team.member_added");
}

/** Removes a member from a team. Throws `not_found` for a user who is not in it. */
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
  const isAdded = change === "team.member_added";
  if (isAdded) await requireTeamAccess(app, actor, tenant._id, [id], "add anyone to this team");
  else await requirePermissionsOf(app, actor, team, "remove anyone from this team");
  await onMember(app, tenant._id, userId, async (member) => {
    const isIn = member.teamIds.includes(id);
    if (isAdded && isIn) return member;
    if (!isAdded && !isIn) throw notInTeam(team, userId);
    if (isAdded) await requireJoining(app, actor, member, id);
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
    const teams = { teamIds: id };
    const changed = await app.storage.memberships.change(member._id, {
      revision: member.revision,
      addToSet: isAdded ? teams : undefined,
      pull: isAdded ? undefined : teams,
      events: [event],
    });
    if (!changed) return undefined;
    flushEvents(app, app.storage.memberships, member._id, [event]);
    return changed;
  });
}

/** Requires the grants of a member to whom the roles of the team give more. Throws `forbidden`. */
async function requireJoining(app: App, actor: Actor, member: MembershipDoc, teamId: string): Promise<void> {
  const { tenantId } = member;
  const [held, given] = await Promise.all([
    permissionsOfMember(app, member),
    permissionsOfTeams(app, tenantId, [teamId]),
  ]);
  if (missingFrom(held, given).length > 0)
    await requireMemberGrants(app, actor, tenantId, [member], "add this member to a team with these roles");
}

function notInTeam(team: TeamDoc, userId: string): ServiceError {
  return new ServiceError("not_found", `No member "${userId}" was found in the team "${team.name}".`, {
    kind: "member",
    ref: userId,
  });
}
