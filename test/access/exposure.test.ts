import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { folderLevels, visibilities, type FolderLevel } from "../../contract/vocabulary.ts";
import type { TokenLimits, UserActor } from "../../src/access/actor.ts";
import {
  bypassesRestrictions,
  mayManageGrants,
  isAllowedIn,
  type AccessContext,
} from "../../src/access/decide.ts";
import {
  audienceOf,
  isWider,
  leavesRestriction,
  mayLiftRestriction,
  type Restriction,
} from "../../src/access/exposure.ts";
import { permissionsOfRole } from "../../src/access/permissions.ts";
import { runCount } from "../support/run-count.ts";

const restriction = (folderId: string, grants: Record<string, FolderLevel>): Restriction => ({
  folderId,
  grants: new Map(Object.entries(grants)),
});
const outer = restriction("outer", { ann: "manager", bob: "viewer" });
const at = (level: FolderLevel | null): AccessContext => ({
  folderIds: ["outer"],
  restriction: { folderId: "outer", level },
});

function user(role: string, limits?: TokenLimits): UserActor {
  return {
    kind: "user",
    userId: "u1",
    username: "ada",
    name: "Ada",
    isAdministrator: false,
    memberships: [
      {
        tenantId: "org",
        tenantSlug: "org",
        tenantName: "Org",
        role,
        teamIds: [],
        permissions: permissionsOfRole(role),
      },
    ],
    via: limits ? { kind: "token", tokenId: "t1", limits } : { kind: "session", sessionId: "s1" },
    origin: { ipHash: "hash", source: "api", client: "api" },
  };
}

describe("a move", () => {
  const table: [string, Restriction | null, Restriction | null, boolean, boolean][] = [
    // from, to, whether the destination lies in the restricted folder, whether the move leaves the restriction
    ["between open folders", null, null, false, false],
    ["from an open folder into a restricted one", null, outer, false, false],
    ["within the restricted folder", outer, outer, true, false],
    ["to an open folder", outer, null, false, true],
    [
      "to another restricted folder with fewer grants",
      outer,
      restriction("b", { ann: "viewer" }),
      false,
      true,
    ],
    ["to an inner folder with fewer grants", outer, restriction("b", { ann: "manager" }), true, false],
    ["to an inner folder with a lower grant", outer, restriction("b", { ann: "viewer" }), true, false],
    ["to an inner folder with another grant", outer, restriction("b", { eve: "viewer" }), true, true],
    ["to an inner folder with a higher grant", outer, restriction("b", { bob: "editor" }), true, true],
    ["to an inner folder without grants", outer, restriction("b", {}), true, false],
  ];

  for (const [name, from, to, isWithinFrom, leaves] of table)
    it(`${name} ${leaves ? "leaves" : "stays under"} the restriction`, () => {
      assert.equal(leavesRestriction(from, { restriction: to, isWithinFrom }), leaves);
    });
});

describe("the right to lift a restriction", () => {
  const table: [string, UserActor, FolderLevel | null, boolean, boolean][] = [
    // caller, grant on the restricted folder, whether it is the caller's own workspace, expected result
    ["a member with an editor grant", user("member"), "editor", false, false],
    ["a member with a manager grant", user("member"), "manager", false, true],
    ["a viewer with a manager grant", user("viewer"), "manager", false, false],
    ["an administrator of the organization", user("admin"), null, false, true],
    [
      "a token of an administrator with scopes",
      user("admin", { scopes: { skill: ["update"] } }),
      null,
      false,
      false,
    ],
    ["a token with folders", user("owner", { allowedFolderIds: ["outer"] }), "manager", false, false],
    ["the member of a personal workspace", user("member"), "editor", true, true],
    ["a token with scopes of that member", user("member", { scopes: {} }), "editor", true, false],
  ];

  for (const [who, actor, level, isOwn, may] of table)
    it(`${may ? "is held" : "is not held"} by ${who}`, () => {
      assert.equal(mayLiftRestriction(actor, "org", at(level), isOwn), may);
    });
});

describe("the invariants of exposure", () => {
  const anyGrants = fc.dictionary(fc.constantFrom("ann", "bob", "eve"), fc.constantFrom(...folderLevels));
  const anyRestriction = fc.option(
    fc
      .tuple(fc.constantFrom("outer", "inner"), anyGrants)
      .map(([folderId, grants]) => restriction(folderId, grants)),
  );
  const holds = (property: fc.IRawProperty<unknown, false>) =>
    fc.assert(property, { numRuns: runCount(200, 20000) });

  it("a move that editors may make widens the audience of no skill, whatever its visibility", () => {
    holds(
      fc.property(
        anyRestriction,
        anyRestriction,
        fc.boolean(),
        fc.constantFrom(...visibilities),
        (from, to, isWithinFrom, visibility) => {
          if (!from || leavesRestriction(from, { restriction: to, isWithinFrom })) return;
          if (to?.folderId === from.folderId) return;
          assert.ok(!isWider(audienceOf(from, visibility), audienceOf(to, visibility)));
        },
      ),
    );
  });

  it("an audience never widens in both directions, and never to itself", () => {
    const anyAudience = fc
      .tuple(anyRestriction, fc.constantFrom(...visibilities))
      .map(([rule, visibility]) => audienceOf(rule, visibility));
    holds(
      fc.property(anyAudience, anyAudience, (a, b) => {
        assert.ok(!isWider(a, a));
        if (a.kind !== "restricted" || b.kind !== "restricted") assert.ok(!(isWider(a, b) && isWider(b, a)));
      }),
    );
  });

  it("only those who manage a restricted folder's grants and the owner of a workspace can lift a restriction", () => {
    const anyLevel: fc.Arbitrary<FolderLevel | null> = fc.option(fc.constantFrom(...folderLevels));
    const anyActor = fc
      .tuple(
        fc.constantFrom("owner", "admin", "member", "viewer"),
        fc.option(
          fc.constantFrom<TokenLimits>(
            {},
            { scopes: { skill: ["update"] } },
            { allowedFolderIds: ["outer"] },
          ),
          {
            nil: undefined,
          },
        ),
      )
      .map(([role, limits]) => user(role, limits));
    holds(
      fc.property(anyActor, anyLevel, (actor, level) => {
        const place = at(level);
        assert.equal(mayLiftRestriction(actor, "org", place, false), mayManageGrants(actor, "org", place));
        if (level !== "manager" && !bypassesRestrictions(actor, "org"))
          assert.ok(!mayLiftRestriction(actor, "org", place, false));
        if (mayLiftRestriction(actor, "org", place, false))
          assert.ok(isAllowedIn(actor, "folder:update", "org", place));
      }),
    );
  });
});
