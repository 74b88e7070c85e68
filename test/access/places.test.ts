import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  builtInRoles,
  folderLevels,
  permissionActions,
  scopableActions,
  visibilities,
  type FolderLevel,
  type Permission,
  type Visibility,
} from "../../contract/vocabulary.ts";
import type { Actor, OrganizationActor, TokenLimits, UserActor } from "../../src/access/actor.ts";
import {
  bypassesRestrictions,
  decideFolder,
  decideSkill,
  decideTenant,
  isAllowedIn,
  limitsOf,
  type AccessContext,
  type SkillFacts,
  type Verdict,
} from "../../src/access/decide.ts";
import { missingFrom, permissionsOfRole, unionOf } from "../../src/access/permissions.ts";
import { runCount } from "../support/run-count.ts";

const origin = { ipHash: "hash", source: "api", client: "api" } as const;
const anonymous: Actor = { kind: "anonymous", origin };
const membership = (role: string) => ({
  tenantId: "org",
  tenantSlug: "org",
  tenantName: "Org",
  role,
  teamIds: [],
  permissions: permissionsOfRole(role),
});

function user(role: string | undefined, limits?: TokenLimits): UserActor {
  return {
    kind: "user",
    userId: "u1",
    username: "ada",
    name: "Ada",
    isAdministrator: false,
    memberships: role === undefined ? [] : [membership(role)],
    via: limits ? { kind: "token", tokenId: "t1", limits } : { kind: "session", sessionId: "s1" },
    origin,
  };
}

function token(limits: TokenLimits = {}): OrganizationActor {
  const own = { ...membership("token"), permissions: permissionsOfRole("admin") };
  return { kind: "organization", tokenId: "t2", tokenName: "ci", memberships: [own], limits, origin };
}

/** The access context of `inner`, which lies in `outer`; `level` is the actor's on the effectively restricted one. */
const at = (restriction: string | null, level: FolderLevel | null = null): AccessContext => ({
  folderIds: ["inner", "outer"],
  restriction: restriction === null ? null : { folderId: restriction, level },
});
const skillAt = (context: AccessContext | null, visibility: Visibility): SkillFacts => ({
  tenantId: "org",
  visibility,
  context,
});
const permissions = Object.entries(permissionActions).flatMap(([group, actions]) =>
  actions.map((action) => `${group}:${action}` as Permission),
);

describe("a restriction inside a personal workspace", () => {
  const inside = (level: FolderLevel | null, workspaceOf = "u1"): AccessContext => ({
    ...at("inner", level),
    workspaceOf,
  });
  const may = (actor: Actor, permission: Permission, context: AccessContext) =>
    isAllowedIn(actor, permission, "org", context);

  it("makes its member an editor, and no one else", () => {
    for (const level of [null, "viewer", "editor"] as const) {
      assert.ok(may(user("member"), "skill:read", inside(level)));
      assert.ok(may(user("member"), "skill:update", inside(level)));
      assert.ok(may(user("member"), "folder:delete", inside(level)));
      assert.ok(!may(user("member"), "folder:manageAcl", inside(level)));
    }
    assert.ok(!may(user("member"), "skill:read", inside(null, "u2")));
    assert.ok(!may(token({ scopes: { skill: ["read"] } }), "skill:read", inside(null, "t2")));
    assert.ok(!may(user(undefined), "skill:read", inside(null)));
  });

  it("adds nothing to the member's role or token", () => {
    assert.ok(!may(user("viewer"), "skill:update", inside(null)));
    assert.ok(!may(user("member", { scopes: { skill: ["read"] } }), "skill:update", inside(null)));
    assert.ok(!may(user("member", { allowedFolderIds: ["x"] }), "skill:read", inside(null)));
  });
});

describe("the decision about a skill in a folder", () => {
  const acts = ["skill:read", "skill:update", "skill:delete"] as const;
  const short: Record<string, Verdict> = { y: "allowed", n: "refused", "-": "absent", a: "unauthenticated" };
  /**
   * Results of read, update and delete: for a public skill without a restriction, without a grant, and with each grant.
   */
  const table: [string, Actor, string, string, string, string, string][] = [
    // caller, unrestricted folder, no grant, viewer, editor, manager
    ["anonymous", anonymous, "yaa", "aaa", "aaa", "aaa", "aaa"],
    ["stranger", user(undefined), "ynn", "---", "---", "---", "---"],
    ["viewer", user("viewer"), "ynn", "---", "ynn", "ynn", "ynn"],
    ["member", user("member"), "yyn", "---", "ynn", "yyn", "yyn"],
    ["admin", user("admin"), "yyy", "yyy", "yyy", "yyy", "yyy"],
    ["owner", user("owner"), "yyy", "yyy", "yyy", "yyy", "yyy"],
    [
      "owner's reading token",
      user("owner", { scopes: { skill: ["read"] } }),
      "ynn",
      "ynn",
      "ynn",
      "ynn",
      "ynn",
    ],
    [
      "owner's token for outer",
      user("owner", { allowedFolderIds: ["outer"] }),
      "yyy",
      "yyy",
      "yyy",
      "yyy",
      "yyy",
    ],
    [
      "owner's token for another",
      user("owner", { allowedFolderIds: ["x"] }),
      "ynn",
      "---",
      "---",
      "---",
      "---",
    ],
    [
      "member's token for inner",
      user("member", { allowedFolderIds: ["inner"] }),
      "yyn",
      "---",
      "ynn",
      "yyn",
      "yyn",
    ],
    ["organization token", token(), "yyy", "yyy", "yyy", "yyy", "yyy"],
    ["its scoped token", token({ scopes: { skill: ["read", "update"] } }), "yyn", "---", "---", "---", "---"],
    ["its token for outer", token({ allowedFolderIds: ["outer"] }), "yyy", "yyy", "yyy", "yyy", "yyy"],
    ["its token for another", token({ allowedFolderIds: ["x"] }), "ynn", "---", "---", "---", "---"],
  ];

  for (const [who, actor, open, none, ...granted] of table) {
    it(`for ${who}`, () => {
      const verdicts = (context: AccessContext, visibility: Visibility) =>
        acts.map((act) => decideSkill(actor, act, skillAt(context, visibility)));
      const expected = (letters: string) => letters.split("").map((letter) => short[letter]!);

      // A scoped token of an organization has no grants of its own, whatever the facts contain.
      const levels = actor.kind === "organization" ? [] : [...folderLevels.entries()];
      assert.deepEqual(verdicts(at(null), "public"), expected(open));
      for (const visibility of visibilities) {
        assert.deepEqual(verdicts(at("outer"), visibility), expected(none), visibility);
        for (const [index, level] of levels)
          assert.deepEqual(verdicts(at("inner", level), visibility), expected(granted[index]!), level);
      }
    });
  }

  it("lets only those with a grant, or exempt from restrictions, read it", () => {
    assert.equal(bypassesRestrictions(user("admin", { scopes: { skill: ["read"] } }), "org"), true);
    assert.equal(bypassesRestrictions(user("member"), "org"), false);
    assert.equal(bypassesRestrictions(token(), "org"), true);
    assert.equal(bypassesRestrictions(token({ scopes: {} }), "org"), false);
    assert.equal(bypassesRestrictions(token(), "other"), false);
  });
});

describe("the decision about a folder", () => {
  const folder = (context: AccessContext, isOnTheWay = false) => ({ tenantId: "org", context, isOnTheWay });

  it("shows it to callers who may read in it or in a folder below it", () => {
    assert.equal(decideFolder(user("viewer"), "see", folder(at(null))), "allowed");
    assert.equal(decideFolder(user("viewer"), "see", folder(at("outer"))), "absent");
    assert.equal(decideFolder(user("viewer"), "see", folder(at("outer"), true)), "allowed");
    assert.equal(decideFolder(user(undefined), "see", folder(at(null), true)), "absent");
    assert.equal(decideFolder(anonymous, "see", folder(at(null))), "unauthenticated");
    assert.equal(decideFolder(user("owner"), "see", undefined), "absent");
    assert.equal(decideFolder(user("viewer"), "folder:create", folder(at("outer"), true)), "refused");
  });

  it("lets managers and holders of the permission manage grants, but no narrowed token", () => {
    const acl = (actor: Actor, context: AccessContext) =>
      decideFolder(actor, "folder:manageAcl", folder(context)) === "allowed";

    assert.equal(acl(user("admin"), at(null)), true);
    assert.equal(acl(user("member"), at(null)), false);
    assert.equal(acl(user("member"), at("outer", "manager")), true);
    assert.equal(acl(user("member"), at("outer", "editor")), false);
    assert.equal(acl(user("viewer"), at("outer", "manager")), false, "a grant never adds");
    assert.equal(acl(token(), at("outer")), true);
    assert.equal(acl(user("owner", { allowedFolderIds: ["outer"] }), at("outer", "manager")), false);
    assert.equal(acl(user("owner", { scopes: { folder: ["update"] } }), at("outer", "manager")), false);
    assert.equal(acl(token({ allowedFolderIds: ["outer"] }), at("outer")), false);
  });
});

describe("an organization's settings", () => {
  it("are refused to tokens that are limited to folders, whatever their permissions", () => {
    for (const permission of permissions) {
      const narrowed = { allowedFolderIds: ["outer"] };
      assert.equal(decideTenant(user("owner", narrowed), permission, "org"), "refused", permission);
      assert.equal(decideTenant(token(narrowed), permission, "org"), "refused", permission);
    }
    assert.equal(decideTenant(token(), "member:invite", "org"), "allowed");
    assert.equal(decideTenant(token({ scopes: { auditLog: ["read"] } }), "auditLog:read", "org"), "allowed");
    assert.equal(decideTenant(token({ scopes: { auditLog: ["read"] } }), "member:read", "org"), "refused");
    assert.equal(decideTenant(token(), "sso:manage", "org"), "refused");
    assert.equal(decideTenant(token(), "member", "other"), "absent");
  });
});

describe("sets of permissions", () => {
  it("can be joined, and compared for missing permissions", () => {
    const joined = unionOf([permissionsOfRole("viewer"), { skill: ["delete"], auditLog: ["read"] }]);

    assert.deepEqual(joined.skill, ["read", "delete"]);
    assert.deepEqual(missingFrom(joined, { skill: ["read", "create"], auditLog: ["read"] }), [
      "skill:create",
    ]);
    assert.deepEqual(missingFrom(permissionsOfRole("owner"), permissionsOfRole("admin")), []);
    assert.ok(missingFrom(permissionsOfRole("admin"), permissionsOfRole("owner")).includes("sso:manage"));
  });
});

describe("the invariants of access, with folders and grants", () => {
  const anyLevel = fc.option(fc.constantFrom(...folderLevels));
  const anyContext: fc.Arbitrary<AccessContext | null> = fc.option(
    fc.subarray(["f1", "f2", "f3"], { minLength: 1 }).chain((folderIds) =>
      fc.record({
        folderIds: fc.constant(folderIds),
        restriction: fc.option(fc.record({ folderId: fc.constantFrom(...folderIds), level: anyLevel })),
      }),
    ),
  );
  const anySkill = fc.record({
    tenantId: fc.constant("org"),
    visibility: fc.constantFrom(...visibilities),
    context: anyContext,
  });
  const anyScopes = fc.record(
    {
      skill: fc.subarray([...scopableActions.skill]),
      folder: fc.subarray([...scopableActions.folder]),
      auditLog: fc.subarray([...scopableActions.auditLog]),
    },
    { requiredKeys: [] },
  );
  const anyLimits: fc.Arbitrary<TokenLimits> = fc.record(
    { scopes: anyScopes, allowedFolderIds: fc.subarray(["f1", "f2", "f3"]) },
    { requiredKeys: [] },
  );
  const anyRole = fc.constantFrom(undefined, ...builtInRoles);
  const anyActor: fc.Arbitrary<Actor> = fc.oneof(
    fc.constant(anonymous),
    fc.tuple(anyRole, fc.option(anyLimits, { nil: undefined })).map(([role, limits]) => user(role, limits)),
    anyLimits.map(token),
  );
  const anyPermission = fc.constantFrom(...permissions);
  const may = (actor: Actor, permission: Permission, skill: SkillFacts) =>
    decideSkill(actor, permission, skill) === "allowed";
  const holds = (property: fc.IRawProperty<unknown, false>) =>
    fc.assert(property, { numRuns: runCount(300, 30000) });
  const unscoped = (actor: Actor): Actor => {
    const { scopes: _scopes, ...limits } = limitsOf(actor);
    if (actor.kind === "organization") return { ...actor, limits };
    return actor.kind === "user" && actor.via.kind === "token"
      ? { ...actor, via: { ...actor.via, limits } }
      : actor;
  };
  const without = (skill: SkillFacts, level: FolderLevel | null): SkillFacts =>
    skill.context?.restriction
      ? { ...skill, context: { ...skill.context, restriction: { ...skill.context.restriction, level } } }
      : skill;

  it("1. a token never does what its holder can't", () => {
    holds(
      fc.property(anyRole, anyLimits, anyPermission, anySkill, (role, limits, permission, skill) => {
        if (may(user(role, limits), permission, skill)) assert.ok(may(user(role), permission, skill));
        if (may(token(limits), permission, skill)) assert.ok(may(token(), permission, skill));
      }),
    );
  });

  it("2. removing or lowering a grant never adds access", () => {
    holds(
      fc.property(anyActor, anyPermission, anySkill, (actor, permission, skill) => {
        const now = skill.context?.restriction?.level ?? null;
        const lower = [null, ...folderLevels.slice(0, Math.max(0, folderLevels.indexOf(now ?? "viewer")))];
        for (const level of lower)
          if (may(actor, permission, without(skill, level))) assert.ok(may(actor, permission, skill));
      }),
    );
  });

  it("2. narrowing a token never adds access", () => {
    holds(
      fc.property(anyActor, anyLimits, anyPermission, anySkill, (actor, limits, permission, skill) => {
        if (actor.kind !== "user" || actor.via.kind === "token") return;
        const narrowed: UserActor = { ...actor, via: { kind: "token", tokenId: "t", limits } };
        if (may(narrowed, permission, skill)) assert.ok(may(actor, permission, skill));
      }),
    );
  });

  it("3. no caller sees less than an anonymous one", () => {
    holds(
      fc.property(anyActor, anySkill, (actor, skill) => {
        if (may(anonymous, "skill:read", skill)) assert.ok(may(actor, "skill:read", skill));
      }),
    );
  });

  it("4. a restriction overrides visibility, and a skill that can be changed can be read by the holder", () => {
    holds(
      fc.property(anyActor, anyPermission, anySkill, (actor, permission, skill) => {
        if (skill.context?.restriction) {
          for (const visibility of visibilities)
            assert.equal(
              decideSkill(actor, permission, { ...skill, visibility }),
              decideSkill(actor, permission, skill),
            );
          assert.ok(!may(anonymous, "skill:read", skill));
        }
        if (may(actor, permission, skill)) assert.ok(may(unscoped(actor), "skill:read", skill));
        if (isAllowedIn(actor, "skill:read", skill.tenantId, skill.context))
          assert.ok(may(actor, "skill:read", skill), "what a list shows, a direct read gives");
      }),
    );
  });

  it("a grant never extends a role", () => {
    holds(
      fc.property(anyRole, anyPermission, anySkill, (role, permission, skill) => {
        const open = skill.context ? { ...skill, context: { ...skill.context, restriction: null } } : skill;
        if (may(user(role), permission, skill)) assert.ok(may(user(role), permission, open));
      }),
    );
  });
});
