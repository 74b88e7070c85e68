/**
 * Privilege-escalation checks: a caller can't give permissions that they don't have, nor change a member who has more.
 * They apply wherever a role is assigned, offered by an invitation, given to a team or edited.
 */
import type { Permission } from "../../contract/vocabulary.ts";
import { isId } from "../../storage/database.ts";
import type { MembershipDoc } from "../../storage/memberships/memberships.ts";
import type { InvitationDoc } from "../../storage/organizations/invitations.ts";
import type { Actor, PermissionMap } from "../access/actor.ts";
import { bypassesRestrictions, membershipIn } from "../access/decide.ts";
import { isBuiltIn, missingFrom, permissionsOfRole, unionOf } from "../access/permissions.ts";
import { highestLevel, holdsGrants, type HeldGrant } from "../access/team.ts";
import type { App } from "../app.ts";
import { forbidden, notFound } from "../errors.ts";
import { effectiveMemberships } from "../users/load.ts";

/** Throws `forbidden`, with `details.missing`, unless the caller has all these permissions in the organization. */
export function requirePermissions(actor: Actor, tenantId: string, wanted: PermissionMap, act: string): void {
  const held = membershipIn(actor, tenantId)?.permissions ?? {};
  const missing: Permission[] = missingFrom(held, wanted);
  if (missing.length === 0) return;
  const shown = missing.slice(0, 5).join(", ") + (missing.length > 5 ? ", …" : "");
  throw forbidden(`You can't ${act}: that takes ${shown}, which you do not have yourself.`, { missing });
}

/** The permissions of several roles together. Throws `not_found` for a role that the organization does not have. */
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

/** The permissions of several teams together. Throws `not_found` for a team that the organization does not have. */
export async function permissionsOfTeams(
  app: App,
  tenantId: string,
  teamIds: readonly string[],
): Promise<PermissionMap> {
  const teams = teamIds.length > 0 ? await app.storage.teams.listWithRoles(teamIds.filter(isId)) : [];
  return unionOf(
    teamIds.flatMap((id) => {
      const team = teams.find((one) => one._id === id && one.tenantId === tenantId);
      if (!team) throw notFound("team", id);
      const custom = team.roles.filter((role) => role.active && role.tenantId === tenantId);
      return [...team.roleIds.map(permissionsOfRole), ...custom.map((role) => role.permissions)];
    }),
  );
}

/**
 * Throws `forbidden` unless the caller has what teams give their members: the permissions of their roles, and their
 * grants on restricted folders. Every way to join a team calls it.
 */
export async function requireTeamAccess(
  app: App,
  actor: Actor,
  tenantId: string,
  teamIds: readonly string[],
  act: string,
): Promise<void> {
  requirePermissions(actor, tenantId, await permissionsOfTeams(app, tenantId, teamIds), act);
  await requireGrants(app, actor, tenantId, { kind: "team", ids: teamIds }, act);
}

/**
 * Requires for members who obtain permissions what `requireTeamAccess` requires for a team: a permission counts in each
 * restricted folder that they have a grant on. Those of personal workspaces are left out, since they belong to the
 * members. Throws `forbidden`.
 */
export async function requireMemberGrants(
  app: App,
  actor: Actor,
  tenantId: string,
  members: readonly Pick<MembershipDoc, "userId" | "teamIds">[],
  act: string,
): Promise<void> {
  const ids = new Set(members.flatMap(({ userId, teamIds }) => [userId, ...teamIds]));
  await requireGrants(app, actor, tenantId, { kind: "member", ids: [...ids] }, act);
}

async function requireGrants(
  app: App,
  actor: Actor,
  tenantId: string,
  { kind, ids }: { kind: "team" | "member"; ids: readonly string[] },
  act: string,
): Promise<void> {
  if (ids.length === 0 || bypassesRestrictions(actor, tenantId)) return;
  if (holdsGrants(actor, tenantId, await grantsTo(app, actor, tenantId, ids))) return;
  // The folders may be out of the caller's sight, so none is named.
  throw forbidden(
    `You can't ${act}: the ${kind} has access to restricted folders that you do not have yourself. ` +
      "Ask someone who manages the access to these folders.",
    { kind, missing: ["folder:manageAcl"] },
  );
}

/** Grants of teams and members on restricted folders, with the level that the caller has on each. */
async function grantsTo(
  app: App,
  actor: Actor,
  tenantId: string,
  principalIds: readonly string[],
): Promise<HeldGrant[]> {
  const { folders } = app.storage;
  const own = actor.kind === "user" ? [actor.userId, ...(membershipIn(actor, tenantId)?.teamIds ?? [])] : [];
  // Brings the folders up to date with what was committed.
  await folders.readTrees([tenantId]);
  const granted = await folders.listRestrictedTo(tenantId, [...principalIds, ...own]);
  return granted.flatMap(({ grants }) => {
    const levelOf = (ids: readonly string[]) =>
      highestLevel(grants.filter(({ id }) => ids.includes(id)).map(({ level }) => level));
    const level = levelOf(principalIds);
    return level === null ? [] : [{ level, held: levelOf(own) }];
  });
}

/** The permissions that an invitation would give now; deleted roles and teams give none. */
export async function permissionsOfOffer(
  app: App,
  { tenantId, role, teamIds }: Pick<InvitationDoc, "tenantId" | "role" | "teamIds">,
): Promise<PermissionMap> {
  const known = { tenantId, tenantSlug: "", tenantName: "", role, teamIds };
  return unionOf((await effectiveMemberships(app, [known])).map((one) => one.permissions));
}

/** The permissions of a member, by their role and their teams. */
export async function permissionsOfMember(app: App, member: MembershipDoc): Promise<PermissionMap> {
  return unionOf((await effectiveMemberships(app, [member])).map((one) => one.permissions));
}
