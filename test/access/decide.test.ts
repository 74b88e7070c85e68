import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  visibilities,
  type Permission,
  type PermissionGroup,
  type Visibility,
} from "../../contract/vocabulary.ts";
import type { Actor, PermissionMap, TokenLimits } from "../../src/access/actor.ts";
import {
  decideSkill,
  decideTenant,
  isAllowedIn,
  readableTenants,
  type AccessContext,
  type SkillFacts,
  type Verdict,
} from "../../src/access/decide.ts";
import { anonymousKeyPermissions, permissionsOfRole } from "../../src/access/permissions.ts";
import { runCount } from "../support/run-count.ts";
import { anyLimits, anyContext, anyRoles, origin, permissions, userWith } from "./actors.ts";

const anonymous: Actor = { kind: "anonymous", origin };
/** An anonymous key, whose only tenant is its identity. */
const keyOf = (tenantId: string): Actor => ({
  kind: "anonymous-key",
  identityId: tenantId,
  username: tenantId,
  memberships: [
    {
      tenantId,
      tenantSlug: tenantId,
      tenantName: tenantId,
      role: "anonymous",
      teamIds: [],
      permissions: anonymousKeyPermissions,
    },
  ],
  origin,
});
const skill = (visibility: Visibility, folderId: string | null = null): SkillFacts => ({
  tenantId: "org",
  visibility,
  context: folderId === null ? null : { folderIds: [folderId], restriction: null },
});

describe("the decision about a skill", () => {
  const people: Record<string, Actor> = {
    anonymous,
    stranger: userWith({ other: "owner" }),
    viewer: userWith({ org: "viewer" }),
    member: userWith({ org: "member" }),
    admin: userWith({ org: "admin" }),
    owner: userWith({ org: "owner" }),
    "unknown role": userWith({ org: "jester" }),
    "reading token": userWith({ org: "owner" }, { scopes: { skill: ["read"] } }),
    "other scope": userWith({ org: "owner" }, { scopes: { auditLog: ["read"] } }),
    "folder token": userWith({ org: "owner" }, { allowedFolderIds: ["f1"] }),
    "viewer's wide token": userWith({ org: "viewer" }, { scopes: { skill: ["read", "update", "delete"] } }),
    administrator: { ...userWith({}), isAdministrator: true },
    "anonymous key": keyOf("other"),
    "the key that shares it": keyOf("org"),
  };
  const all = { read: "allowed", update: "allowed", delete: "allowed" } as const;
  const refused = { read: "allowed", update: "refused", delete: "refused" } as const;
  const absent = { read: "absent", update: "absent", delete: "absent" } as const;
  const unknown = { read: "unauthenticated", update: "unauthenticated", delete: "unauthenticated" } as const;
  const open = { ...unknown, read: "allowed" } as const;
  const editing = { ...all, delete: "refused" } as const;
  const table: [
    string,
    Record<"read" | "update" | "delete", Verdict>,
    Record<"read" | "update" | "delete", Verdict>,
  ][] = [
    // caller; result for a public or unlisted skill, and for a private one
    ["anonymous", open, unknown],
    ["stranger", refused, absent],
    ["viewer", refused, refused],
    ["member", editing, editing],
    ["admin", all, all],
    ["owner", all, all],
    ["unknown role", refused, absent],
    ["reading token", refused, refused],
    ["other scope", refused, absent],
    ["folder token", refused, absent],
    ["viewer's wide token", refused, refused],
    ["administrator", refused, absent],
    ["anonymous key", refused, absent],
    ["the key that shares it", all, all],
  ];

  for (const [who, whenOpen, whenPrivate] of table) {
    it(`for ${who}`, () => {
      for (const visibility of visibilities) {
        const expected = visibility === "private" ? whenPrivate : whenOpen;
        for (const action of ["read", "update", "delete"] as const) {
          const verdict = decideSkill(people[who]!, `skill:${action}`, skill(visibility));
          assert.equal(verdict, expected[action], `${action} of ${visibility}`);
        }
      }
    });
  }

  it("treats a skill that was taken down as a private one, for every caller and visibility", () => {
    for (const [who, actor] of Object.entries(people))
      for (const visibility of visibilities)
        for (const permission of permissions)
          assert.equal(
            decideSkill(actor, permission, { ...skill(visibility), isTakenDown: true }),
            decideSkill(actor, permission, skill("private")),
            `${who}: ${permission} of ${visibility}`,
          );
  });

  it("limits a token with folders to the contents of these folders", () => {
    const actor = people["folder token"]!;

    assert.equal(decideSkill(actor, "skill:read", skill("private", "f1")), "allowed");
    assert.equal(decideSkill(actor, "skill:update", skill("private", "f1")), "allowed");
    assert.equal(decideSkill(actor, "skill:read", skill("private", "f2")), "absent");
    assert.equal(decideSkill(actor, "skill:update", skill("public", "f2")), "refused");
    assert.equal(decideSkill(actor, "skill:create", skill("public", null)), "refused");
  });

  it("limits a token with skills to these skills, in a restricted folder too", () => {
    const named = { ...skill("private"), skillId: "s1" };
    const membership = userWith({ org: "admin" }).memberships[0]!;
    const actor: Actor = {
      kind: "organization",
      tokenId: "t",
      tokenName: "CI",
      memberships: [membership],
      limits: { skillIds: ["s1"] },
      origin,
    };
    const closed = { folderIds: ["f1"], restriction: { folderId: "f1", level: null } };

    assert.equal(decideSkill(actor, "skill:update", named), "allowed");
    assert.equal(decideSkill(actor, "skill:update", { ...named, context: closed }), "allowed");
    assert.equal(decideSkill(actor, "skill:read", { ...named, skillId: "s2" }), "absent");
    assert.equal(decideSkill(actor, "skill:read", skill("private")), "absent");
    assert.equal(decideSkill(actor, "skill:update", { ...named, visibility: "public" }), "allowed");
    assert.equal(decideSkill(actor, "skill:update", skill("public")), "refused");
    assert.equal(isAllowedIn(actor, "skill:create", "org", null), false);
    for (const permission of permissions)
      assert.equal(decideTenant(actor, permission, "org"), "refused", permission);
    const both: Actor = { ...actor, limits: { skillIds: ["s1"], allowedFolderIds: ["f2"] } };
    assert.equal(decideSkill(both, "skill:read", { ...named, context: closed }), "absent");
  });

  it("gives an anonymous key only its own skills: no publishing, no folders, no analytics, no organization", () => {
    const key = keyOf("org");
    const own = ["skill:read", "skill:update", "skill:delete"];
    for (const permission of permissions) {
      const verdict = decideSkill(key, permission, skill("unlisted"));
      assert.equal(verdict, own.includes(permission) ? "allowed" : "refused", permission);
      assert.equal(decideTenant(key, permission, "other"), "absent");
      if (!own.includes(permission)) assert.equal(decideTenant(key, permission, "org"), "refused");
      assert.equal(isAllowedIn(key, permission, "org", null), own.includes(permission), permission);
      const governed: AccessContext = { folderIds: ["f1"], restriction: { folderId: "f1", level: null } };
      assert.equal(isAllowedIn(key, permission, "org", governed), false, permission);
    }
  });

  it("throws the same error for unknown and hidden skills", () => {
    for (const actor of [anonymous, people["stranger"]!, people["other scope"]!, people["anonymous key"]!])
      for (const permission of ["skill:read", "skill:update"] as const)
        assert.equal(
          decideSkill(actor, permission, undefined),
          decideSkill(actor, permission, skill("private")),
        );
  });
});

describe("the decision about an organization", () => {
  it("hides it from all but its members, who can do what their role allows", () => {
    assert.equal(decideTenant(anonymous, "member", "org"), "unauthenticated");
    assert.equal(decideTenant(userWith({ other: "owner" }), "member", "org"), "absent");
    assert.equal(decideTenant(userWith({ other: "owner" }), "organization:update", "org"), "absent");
    assert.equal(decideTenant(userWith({ org: "viewer" }), "member", "org"), "allowed");
    assert.equal(decideTenant(userWith({ org: "member" }), "organization:update", "org"), "refused");
    assert.equal(decideTenant(userWith({ org: "admin" }), "organization:update", "org"), "allowed");
    assert.equal(decideTenant(userWith({ org: "admin" }), "organization:delete", "org"), "refused");
    assert.equal(decideTenant(userWith({ org: "owner" }), "organization:delete", "org"), "allowed");
    assert.equal(decideTenant(userWith({ org: "owner" }), "member", undefined), "absent");
    const token = userWith({ org: "owner" }, { scopes: { skill: ["read"] } });
    assert.equal(decideTenant(token, "organization:update", "org"), "refused");
  });
});

describe("the built-in roles", () => {
  it("each have at least the permissions of the next lower one, and only the owner has the owner's", () => {
    const held = (role: string) =>
      permissions.filter((p) => {
        const [group, action] = p.split(":") as [PermissionGroup, string];
        return permissionsOfRole(role)[group]?.includes(action);
      });
    for (const [lower, higher] of [
      ["viewer", "member"],
      ["member", "admin"],
      ["admin", "owner"],
    ] as const)
      assert.deepEqual(
        held(lower).filter((p) => !held(higher).includes(p)),
        [],
      );
    assert.deepEqual(held("owner"), permissions);
    assert.deepEqual(
      permissions.filter((p) => !held("admin").includes(p)),
      ["organization:delete", "sso:manage", "scim:manage"],
    );
    assert.deepEqual(held("constructor"), []);
    assert.deepEqual(held("__proto__"), []);
  });
});

describe("the invariants of access", () => {
  const anySkill: fc.Arbitrary<SkillFacts | undefined> = fc.option(
    fc.record({
      skillId: fc.constantFrom("s1", "s2", "s3"),
      tenantId: fc.constantFrom("org", "other", "third"),
      visibility: fc.constantFrom(...visibilities),
      context: anyContext,
    }),
    { nil: undefined },
  );
  const anyPermission = fc.constantFrom(...permissions);
  const may = (actor: Actor, permission: Permission, facts: SkillFacts | undefined) =>
    decideSkill(actor, permission, facts) === "allowed";
  const holds = (property: fc.IRawProperty<unknown, false>) =>
    fc.assert(property, { numRuns: runCount(200, 20000) });

  it("a token never does what its holder can't", () => {
    holds(
      fc.property(anyRoles, anyLimits, anyPermission, anySkill, (roles, limits, permission, facts) => {
        const [token, holder] = [userWith(roles, limits), userWith(roles)];
        if (may(token, permission, facts)) assert.ok(may(holder, permission, facts));
        if (decideTenant(token, permission, facts?.tenantId) === "allowed")
          assert.equal(decideTenant(holder, permission, facts?.tenantId), "allowed");
        for (const tenant of readableTenants(token)) assert.ok(readableTenants(holder).includes(tenant));
      }),
    );
  });

  it("removing a scope, a folder or a role never adds access", () => {
    holds(
      fc.property(
        anyRoles,
        anyLimits,
        anyLimits,
        anyPermission,
        anySkill,
        (roles, limits, fewer, permission, facts) => {
          const both: TokenLimits = {
            ...limits,
            ...(limits.scopes || fewer.scopes ? { scopes: common(limits.scopes, fewer.scopes) } : {}),
            ...(limits.allowedFolderIds || fewer.allowedFolderIds
              ? { allowedFolderIds: commonList(limits.allowedFolderIds, fewer.allowedFolderIds) }
              : {}),
            ...(limits.skillIds || fewer.skillIds
              ? { skillIds: commonList(limits.skillIds, fewer.skillIds) }
              : {}),
          };
          if (may(userWith(roles, both), permission, facts))
            assert.ok(may(userWith(roles, limits), permission, facts));
          const [, ...rest] = Object.entries(roles);
          if (may(userWith(Object.fromEntries(rest), limits), permission, facts))
            assert.ok(may(userWith(roles, limits), permission, facts));
        },
      ),
    );
  });

  it("a token or a user never sees less than an anonymous caller", () => {
    holds(
      fc.property(anyRoles, fc.option(anyLimits, { nil: undefined }), anySkill, (roles, limits, facts) => {
        if (!may(anonymous, "skill:read", facts)) return;
        for (const actor of [userWith(roles, limits), keyOf("org")])
          assert.ok(may(actor, "skill:read", facts));
      }),
    );
  });

  it("a skill in a list can be read directly, and one that a token can change can be read by its holder", () => {
    holds(
      fc.property(anyRoles, anyLimits, anyPermission, anySkill, (roles, limits, permission, facts) => {
        const actor = userWith(roles, limits);
        const { scopes: _scopes, ...unscoped } = limits;
        if (facts && isAllowedIn(actor, "skill:read", facts.tenantId, facts.context, facts.skillId))
          assert.ok(may(actor, "skill:read", facts));
        if (may(actor, permission, facts)) assert.ok(may(userWith(roles, unscoped), "skill:read", facts));
        const verdict = decideSkill(actor, permission, facts);
        assert.equal(
          verdict === "refused",
          !may(actor, permission, facts) && may(actor, "skill:read", facts),
        );
      }),
    );
  });
});

function commonList<T>(a: readonly T[] | undefined, b: readonly T[] | undefined): T[] {
  return a && b ? a.filter((item) => b.includes(item)) : [...(a ?? b ?? [])];
}

/** The intersection of two scopes; an absent scope stands for everything. */
function common(a: PermissionMap | undefined, b: PermissionMap | undefined): PermissionMap {
  if (!a || !b) return a ?? b ?? {};
  const groups = Object.keys(a).filter((group) => group in b) as PermissionGroup[];
  return Object.fromEntries(groups.map((group) => [group, commonList(a[group], b[group])]));
}
