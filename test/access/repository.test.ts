/** Authorization to choose the repository that an organization is connected to. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Permission } from "../../contract/vocabulary.ts";
import type { Actor, PermissionMap, TokenLimits } from "../../src/access/actor.ts";
import { isAllowedIn } from "../../src/access/decide.ts";
import { rolePermissions } from "../../src/access/permissions.ts";
import { decideRepository, readsEverySkill } from "../../src/access/repository.ts";
import { runCount } from "../support/run-count.ts";
import { anyLimits, anyContext, anyRoles, origin, userWith } from "./actors.ts";

/** A member with a custom role. */
function memberWith(permissions: PermissionMap, limits?: TokenLimits): Actor {
  const actor = userWith({ org: "viewer" }, limits);
  return { ...actor, memberships: actor.memberships.map((one) => ({ ...one, permissions })) };
}
const tokenOf = (limits: TokenLimits): Actor => ({
  kind: "organization",
  tokenId: "t1",
  tokenName: "ci",
  memberships: [
    {
      tenantId: "org",
      tenantSlug: "org",
      tenantName: "org",
      role: "token",
      teamIds: [],
      permissions: rolePermissions.admin,
    },
  ],
  limits,
  origin,
});

const skill = ["read", "create", "update", "delete"];
const sync = { githubSync: ["read", "manage"] };
const everySkill: PermissionMap = { ...sync, skill, folder: ["create", "manageAcl"] };
const scopes: PermissionMap = { ...sync, skill, folder: ["create"] };

describe("the decision about choosing a repository", () => {
  const table: [string, Actor, Permission[] | "allowed"][] = [
    ["an owner", userWith({ org: "owner" }), "allowed"],
    ["an administrator", userWith({ org: "admin" }), "allowed"],
    ["a custom role that reads and writes every skill", memberWith(everySkill), "allowed"],
    ["an unrestricted organization token", tokenOf({}), "allowed"],
    ["a token whose scopes include the skills", userWith({ org: "admin" }, { scopes }), "allowed"],
    [
      "a role that only manages the sync",
      memberWith(sync),
      ["skill:read", "skill:create", "skill:update", "skill:delete", "folder:create", "folder:manageAcl"],
    ],
    [
      "a role that is subject to restrictions",
      memberWith({ ...everySkill, folder: ["create"] }),
      ["folder:manageAcl"],
    ],
    [
      "a role that deletes no skills",
      memberWith({ ...everySkill, skill: skill.slice(0, 3) }),
      ["skill:delete"],
    ],
    ["a role without the sync", memberWith({ ...everySkill, githubSync: ["read"] }), ["githubSync:manage"]],
    [
      "a token whose scopes exclude skills",
      userWith({ org: "owner" }, { scopes: sync }),
      ["skill:read", "skill:create", "skill:update", "skill:delete", "folder:create"],
    ],
    ["a scoped organization token", tokenOf({ scopes }), ["folder:manageAcl"]],
    ["a token that is limited to folders", userWith({ org: "owner" }, { allowedFolderIds: ["f1"] }), []],
  ];
  for (const [who, actor, expected] of table)
    it(`${expected === "allowed" ? "allows" : "refuses"} ${who}`, () => {
      const verdict = decideRepository(actor, "org");

      assert.deepEqual(verdict === "allowed" ? verdict : verdict.missing, expected);
      assert.notEqual(decideRepository(actor, "other"), "allowed");
    });

  it("refuses callers without an account, and anonymous keys", () => {
    assert.notEqual(decideRepository({ kind: "anonymous", origin }, "org"), "allowed");
  });
});

describe("the invariants of choosing a repository", () => {
  const holds = (property: fc.IRawProperty<unknown, false>) =>
    fc.assert(property, { numRuns: runCount(200, 20000) });

  it("gives away nothing that the actor can't do with any skill, and no token more than its holder", () => {
    holds(
      fc.property(anyRoles, anyLimits, anyContext, (roles, limits, context) => {
        const actor = userWith(roles, limits);
        if (decideRepository(actor, "org") !== "allowed") return;
        assert.equal(decideRepository(userWith(roles), "org"), "allowed");
        assert.ok(readsEverySkill(actor, "org"));
        for (const action of skill)
          assert.ok(isAllowedIn(actor, `skill:${action}` as Permission, "org", context));
        assert.ok(isAllowedIn(actor, "folder:create", "org", context));
      }),
    );
  });

  it("refuses every role that lacks one of the permissions", () => {
    const required = Object.entries(everySkill).flatMap(([group, actions]) =>
      actions.map((action) => `${group}:${action}`).filter((one) => one !== "githubSync:read"),
    );
    holds(
      fc.property(fc.subarray(required), (held) => {
        const permissions = Object.fromEntries(
          Object.entries(everySkill).map(([group, actions]) => [
            group,
            actions.filter((action) => held.includes(`${group}:${action}`)),
          ]),
        );
        const isAllowed = decideRepository(memberWith(permissions), "org") === "allowed";
        assert.equal(isAllowed, held.length === required.length);
      }),
    );
  });

  it("is allowed only to actors who can read skills in every folder", () => {
    holds(
      fc.property(anyRoles, anyLimits, anyContext, (roles, limits, context) => {
        const actor = userWith(roles, limits);
        if (readsEverySkill(actor, "org")) assert.ok(isAllowedIn(actor, "skill:read", "org", context));
      }),
    );
  });
});
