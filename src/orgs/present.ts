import type {
  InvitationPayload,
  JoinedPayload,
  MemberPayload,
  RolePayload,
  TeamPayload,
  TenantPayload,
} from "../../contract/payloads/organizations/organizations.ts";
import { defaultScanPolicy } from "../../contract/scan/policy.ts";
import { builtInRoles } from "../../contract/vocabulary.ts";
import type { MembershipDoc } from "../../storage/memberships/memberships.ts";
import type { InvitationDoc } from "../../storage/organizations/invitations.ts";
import type { RoleDoc } from "../../storage/organizations/roles.ts";
import type { TeamDoc } from "../../storage/organizations/teams.ts";
import type { TenantDoc } from "../../storage/organizations/tenants.ts";
import type { Actor, PermissionMap } from "../access/actor.ts";
import { membershipIn } from "../access/decide.ts";
import { ownerRole, permissionsOfRole } from "../access/permissions.ts";
import type { App } from "../app.ts";
import type { Member } from "./members/members.ts";

/** An organization as its members see it. `createdBy` sets the role of the member who has just created it. */
export function presentTenant(app: App, tenant: TenantDoc, actor: Actor): TenantPayload {
  const isCreator = actor.kind === "user" && actor.userId === tenant.createdBy;
  const membership = membershipIn(actor, tenant._id);
  const role = membership?.role ?? (isCreator ? ownerRole : null);
  return {
    id: tenant._id,
    slug: tenant.slug,
    formerSlugs: tenant.slugs.slice(1),
    name: tenant.name,
    description: tenant.description ?? "",
    role,
    permissions: actionsOf(membership?.permissions ?? permissionsOfRole(role ?? "")),
    avatarUrl: tenant.avatar
      ? `${app.config.baseUrl}/api/tenants/${tenant._id}/avatar?v=${tenant.avatar.id}`
      : null,
    maxTokenDays: tenant.maxTokenDays ?? null,
    scanPolicy: tenant.scanPolicy ?? defaultScanPolicy,
    deletionAt: tenant.deletionAt?.toISOString(),
    createdAt: tenant.createdAt.toISOString(),
    updatedAt: tenant.updatedAt.toISOString(),
  };
}

export function presentMember(member: Member): MemberPayload {
  const { membership, account, showsEmail, names, lastSeenAt, isProvisioned } = member;
  return {
    userId: membership.userId,
    username: account?.username ?? membership.username,
    name: account?.name ?? membership.username,
    email: showsEmail && account ? account.email : undefined,
    role: membership.role,
    roleName: names.get(membership.role) ?? membership.role,
    teamIds: membership.teamIds,
    teams: namedTeams(membership.teamIds, names),
    lastSeenAt: showsEmail ? (lastSeenAt ? lastSeenAt.toISOString().slice(0, 10) : null) : undefined,
    provisioned: showsEmail && isProvisioned ? true : undefined,
    joinedAt: membership.createdAt.toISOString(),
  };
}

type Names = ReadonlyMap<string, string>;

const namedTeams = (ids: readonly string[], names: Names) =>
  ids.flatMap((id) => {
    const name = names.get(id);
    return name === undefined ? [] : [{ id, name }];
  });

export function presentTeam(team: TeamDoc, names: Names, members: number): TeamPayload {
  return {
    id: team._id,
    name: team.name,
    description: team.description ?? "",
    members,
    roles: team.roleIds,
    roleNames: team.roleIds.map((id) => names.get(id) ?? id),
    createdAt: team.createdAt.toISOString(),
    updatedAt: team.updatedAt.toISOString(),
  };
}

export function presentRole(role: RoleDoc): RolePayload {
  return {
    id: role._id,
    name: role.name,
    isBuiltIn: false,
    permissions: role.permissions,
    createdAt: role.createdAt.toISOString(),
    updatedAt: role.updatedAt.toISOString(),
  };
}

/** The roles that every organization has, as custom ones are shown. */
export function presentBuiltInRoles(): RolePayload[] {
  return builtInRoles.map((name) => ({
    id: name,
    name,
    isBuiltIn: true,
    permissions: actionsOf(permissionsOfRole(name)),
  }));
}

export function presentInvitation(app: App, invitation: InvitationDoc, names: Names): InvitationPayload {
  return {
    id: invitation._id,
    email: invitation.email,
    role: invitation.role,
    roleName: names.get(invitation.role) ?? invitation.role,
    teamIds: invitation.teamIds,
    teams: namedTeams(invitation.teamIds, names),
    invitedBy: invitation.invitedBy.name,
    createdAt: invitation.createdAt.toISOString(),
    expiresAt: invitation.expiresAt.toISOString(),
    url: `${app.config.baseUrl}/invitations/${invitation._id}`,
    mail: invitation.mailDueSince ? "waiting" : invitation.mailFailedAt ? "failed" : "sent",
  };
}

export function presentJoined(membership: MembershipDoc): JoinedPayload {
  const { tenantId, tenantSlug, tenantName, role } = membership;
  return { tenantId, tenantSlug, tenantName, role };
}

function actionsOf(map: PermissionMap): Record<string, string[]> {
  return Object.fromEntries(Object.entries(map).map(([group, actions]) => [group, [...actions]]));
}
