/** Actors for tests of the pure access decisions, and generated actors for their properties. */
import fc from "fast-check";
import {
  builtInRoles,
  folderLevels,
  permissionActions,
  type Permission,
  type PermissionGroup,
} from "../../contract/vocabulary.ts";
import type { PermissionMap, TokenLimits, UserActor } from "../../src/access/actor.ts";
import type { AccessContext } from "../../src/access/decide.ts";
import { permissionsOfRole } from "../../src/access/permissions.ts";

export const origin = { ipHash: "hash", source: "api", client: "api" } as const;

/** A member with a role in each of the given organizations; authenticated by a token if limits are given. */
export function userWith(roles: Record<string, string>, limits?: TokenLimits): UserActor {
  return {
    kind: "user",
    userId: "u1",
    username: "ada",
    name: "Ada",
    isAdministrator: false,
    memberships: Object.entries(roles).map(([tenantId, role]) => ({
      tenantId,
      tenantSlug: tenantId,
      tenantName: tenantId,
      role,
      teamIds: [],
      permissions: permissionsOfRole(role),
    })),
    via: limits ? { kind: "token", tokenId: "t1", limits } : { kind: "session", sessionId: "s1" },
    origin,
  };
}

/** All permissions. */
export const permissions = Object.entries(permissionActions).flatMap(([group, actions]) =>
  actions.map((action) => `${group}:${action}` as Permission),
);

export const anyRoles = fc.dictionary(
  fc.constantFrom("org", "other"),
  fc.constantFrom(...builtInRoles, "jester"),
);
const anyScopes: fc.Arbitrary<PermissionMap> = fc.subarray(permissions).map((chosen) => {
  const scopes: Partial<Record<PermissionGroup, string[]>> = {};
  for (const permission of chosen) {
    const [group, action] = permission.split(":") as [PermissionGroup, string];
    (scopes[group] ??= []).push(action);
  }
  return scopes;
});
export const anyLimits: fc.Arbitrary<TokenLimits> = fc.record(
  {
    scopes: anyScopes,
    allowedFolderIds: fc.subarray(["f1", "f2", "f3"]),
    skillIds: fc.subarray(["s1", "s2"]),
  },
  { requiredKeys: [] },
);
const folders = ["f1", "f2", "f3"];
export const anyContext: fc.Arbitrary<AccessContext | null> = fc.option(
  fc.subarray(folders, { minLength: 1 }).chain((folderIds) =>
    fc.record({
      folderIds: fc.constant(folderIds),
      restriction: fc.option(
        fc.record({
          folderId: fc.constantFrom(...folderIds),
          level: fc.option(fc.constantFrom(...folderLevels)),
        }),
      ),
    }),
  ),
);
