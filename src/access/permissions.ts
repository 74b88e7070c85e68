/** The permissions of the built-in roles (`docs/concepts/access.md`), and how a token limits them. */
import {
  permissionActions,
  type BuiltInRole,
  type Permission,
  type PermissionGroup,
} from "../../contract/vocabulary.ts";
import type { Membership, PermissionMap, TokenLimits } from "./actor.ts";

const { sso, scim, ...administrable } = permissionActions;

export const rolePermissions: Record<BuiltInRole, PermissionMap> = {
  owner: { ...administrable, sso, scim },
  admin: { ...administrable, organization: ["update"] },
  member: {
    skill: ["read", "create", "update"],
    folder: ["create", "update", "delete"],
    analytics: ["read"],
    member: ["read"],
    mcpServer: ["read"],
  },
  viewer: { skill: ["read"], analytics: ["read"], mcpServer: ["read"] },
};

/** Permissions of an organization's own token without limits. Only a person reviews. */
export const organizationTokenPermissions: PermissionMap = {
  ...rolePermissions.admin,
  skill: permissionActions.skill.filter((action) => action !== "review"),
};

/** Permissions of an anonymous key on its shares. Sharing requires no permission to publish in a tenant. */
export const anonymousKeyPermissions: PermissionMap = { skill: ["read", "update", "delete"] };

/** Permissions of the sync of a repository in its organization: it deletes nothing. */
export const syncPermissions: PermissionMap = {
  skill: ["read", "create", "update"],
  folder: ["create", "manageAcl"],
};

export function isBuiltIn(role: string): role is BuiltInRole {
  return Object.hasOwn(rolePermissions, role);
}

/** The role that at least one member of every organization must have. */
export const ownerRole: BuiltInRole = "owner";

export function permissionsOfRole(role: string): PermissionMap {
  return isBuiltIn(role) ? rolePermissions[role] : {};
}

export function isPermitted(map: PermissionMap | undefined, permission: Permission): boolean {
  const [group, action] = permission.split(":") as [PermissionGroup, string];
  return map?.[group]?.includes(action) ?? false;
}

/** Whether a member has a permission in their organization, by the role and the scopes of the token. */
export function memberMay(
  membership: Membership | undefined,
  limits: TokenLimits,
  permission: Permission,
): boolean {
  if (!isPermitted(membership?.permissions, permission)) return false;
  return limits.scopes === undefined || isPermitted(limits.scopes, permission);
}

/** The union of several maps. */
export function unionOf(maps: readonly PermissionMap[]): PermissionMap {
  if (maps.length === 1) return maps[0]!;
  const union: Partial<Record<PermissionGroup, string[]>> = {};
  for (const map of maps) {
    for (const [group, actions] of Object.entries(map) as [PermissionGroup, readonly string[]][])
      union[group] = [...new Set([...(union[group] ?? []), ...actions])];
  }
  return union;
}

/** The permissions of `wanted` that a map does not have. */
export function missingFrom(map: PermissionMap, wanted: PermissionMap): Permission[] {
  return Object.entries(wanted).flatMap(([group, actions]) =>
    actions
      .map((action) => `${group}:${action}` as Permission)
      .filter((permission) => !isPermitted(map, permission)),
  );
}
