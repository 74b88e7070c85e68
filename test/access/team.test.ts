/** Authorization to add a member to a team that has grants on restricted folders. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { folderLevels, type FolderLevel } from "../../contract/vocabulary.ts";
import { highestLevel, holdsGrants } from "../../src/access/team.ts";
import { runCount } from "../support/run-count.ts";
import { anyLimits, anyRoles, userWith } from "./actors.ts";

const anyLevel = fc.option(fc.constantFrom(...folderLevels));
const anyGrants = fc.array(fc.record({ level: fc.constantFrom(...folderLevels), held: anyLevel }));

describe("the decision about a team's grants", () => {
  const member = userWith({ org: "member" });
  const table: [FolderLevel, FolderLevel | null, boolean][] = [
    ["viewer", null, false],
    ["viewer", "viewer", true],
    ["viewer", "manager", true],
    ["editor", "viewer", false],
    ["editor", "editor", true],
    ["manager", "editor", false],
    ["manager", "manager", true],
  ];
  for (const [level, held, expected] of table)
    it(`${expected ? "allows" : "refuses"} a caller with ${held ?? "no"} level a team with ${level}`, () => {
      assert.equal(holdsGrants(member, "org", [{ level, held }]), expected);
    });

  it("allows actors who are exempt from restrictions, and everyone for a team without grants", () => {
    assert.ok(holdsGrants(userWith({ org: "admin" }), "org", [{ level: "manager", held: null }]));
    assert.ok(!holdsGrants(userWith({ other: "admin" }), "org", [{ level: "viewer", held: null }]));
    assert.ok(holdsGrants(member, "org", []));
  });

  it("never allows more with fewer levels or more grants", () => {
    fc.assert(
      fc.property(anyRoles, anyLimits, anyGrants, anyGrants, (roles, limits, grants, more) => {
        const actor = userWith(roles, limits);
        if (holdsGrants(actor, "org", [...grants, ...more])) assert.ok(holdsGrants(actor, "org", grants));
        const without = grants.map(({ level }) => ({ level, held: null }));
        if (holdsGrants(actor, "org", without)) assert.ok(holdsGrants(actor, "org", grants));
      }),
      { numRuns: runCount(100, 10000) },
    );
  });
});

describe("the highest of several levels", () => {
  it("is the last in the order of the levels, and null if there is none", () => {
    assert.equal(highestLevel(["editor", "viewer", "manager"]), "manager");
    assert.equal(highestLevel([]), null);
  });
});
