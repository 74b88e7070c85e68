/**
 * Nobody gives more than they hold, and nobody changes somebody who holds more: asked wherever a role is assigned,
 * invited with, put on a team or written.
 */
import type { Permission } from "../../contract/vocabulary.ts";
import { isId } from "../../storage/database.ts";
import type { InvitationDoc } from "../../storage/invitations.ts";
import type { MembershipDoc } from "../../storage/memberships.ts";
import type { Actor, PermissionMap } from "../access/actor.ts";
import { membershipIn } from "../access/decide.ts";
import { isBuiltIn, missingFrom, permissionsOfRole, unionOf } from "../access/permissions.ts";
import type { App } from "../app.ts";
import { ServiceError, forbidden, notFound } from "../errors.ts";
import { effectiveMemberships } from "../users/load.ts";

/** Throws `forbidden`, with `details.missing`, unless the caller has all of a map in the organization. */
export function requireHeld(actor: Actor, tenantId: string, wanted: PermissionMap, act: string): void {
  const held = membershipIn(actor, tenantId)?.permissions ?? {};
  const missing: Permission[] = missingFrom(held, wanted);
  if (missing.length === 0) return;
  const shown = missing.slice(0, 5).join(", ") + (missing.length > 5 ? ", …" : "");
  throw forbidden(`You can't ${act}: that takes ${shown}, which you do not have yourself.`, { missing });
}

/** What roles give together. Throws `not_found` for one that the organization does not have. */
export async function permissionsOfRoles(
  app: App,
  tenantId: string,
  roles: readonly string[],
): Promise<PermissionMap> {
  const custom = await app.storage.roles.listByIds(roles.filter(isId));
  return unionOf(
    roles.map((role) => {
      if (isBuiltIn(role)) return permissionsOfRole(role);
      const found = custom.find((one) => one._id === role && one.tenantId === tenantId);
      if (!found) throw notFound("role", role);
      return found.permissions;
    }),
  );
}

/** What teams carry together. Throws `not_found` for one that the organization does not have. */
export async function permissionsOfTeams(
  app: App,
  tenantId: string,
  teamIds: readonly string[],
): Promise<PermissionMap> {
  const teams = teamIds.length > 0 ? await app.storage.teams.listWithRoles(teamIds.filter(isId)) : [];
  return unionOf(
    teamIds.flatMap((id) => {
      const team = teams.find((one) => one._id === id && one.tenantId === tenantId);
      if (!team) throw unknownTeam(id);
      const custom = team.roles.filter((role) => role.active && role.tenantId === tenantId);
      return [...team.roleIds.map(permissionsOfRole), ...custom.map((role) => role.permissions)];
    }),
  );
}

/** What an invitation would give now; roles and teams that are gone give nothing. */
export async function permissionsOfOffer(
  app: App,
  { tenantId, role, teamIds }: Pick<InvitationDoc, "tenantId" | "role" | "teamIds">,
): Promise<PermissionMap> {
  const known = { tenantId, tenantSlug: "", tenantName: "", role, teamIds };
  return unionOf((await effectiveMemberships(app, [known])).map((one) => one.permissions));
}

/** All that a member may do, by their role and their teams. */
export async function permissionsOfMember(app: App, member: MembershipDoc): Promise<PermissionMap> {
  return unionOf((await effectiveMemberships(app, [member])).map((one) => one.permissions));
}

/** A team inside an organization; to clients "team" is what the organization itself is called. */
export function unknownTeam(id: string): ServiceError {
  return new ServiceError("not_found", `No team "${id}" was found.`, { kind: "team", ref: id });
}
