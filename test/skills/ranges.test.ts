import assert from "node:assert/strict";
import { describe, it } from "node:test";
import semver from "semver";
import { limits } from "../../contract/limits.ts";
import { filterBySpec, readSelector, resolveRange } from "../../src/skills/versions/semver.ts";

const versions = Array.from({ length: 5000 }, (_, n) => ({
  semver: `${n % 7}.${n % 11}.${n}${n % 5 === 0 ? "-rc.1" : ""}`,
}));

describe("a range", () => {
  it("may have a limited number of comparators", () => {
    const range = (count: number) => Array.from({ length: count / 2 }, () => "^9.9.9").join("||");

    assert.deepEqual(readSelector(range(limits.rangeComparators)).kind, "range");
    assert.throws(() => readSelector(range(limits.rangeComparators + 2)), /at most 32/);
    assert.throws(() => readSelector("not a range"), /is not a version, a range, a channel or "latest"/);
  });

  it("is resolved as by the library", async () => {
    const all = versions.map((version) => version.semver);
    for (const range of ["^2", "1.x || 3.x", "<1.5.0", ">6.10.4000-rc.0 <6.10.4100", "9.x", "*"]) {
      const resolved = await resolveRange(range, versions, "99.0.0-beta");
      assert.equal(resolved?.semver ?? null, semver.maxSatisfying(all, range), range);
      for (const prerelease of [true, false]) {
        const found = await filterBySpec(range, versions, { prerelease });
        const expected = all.filter((one) => semver.satisfies(one, range, { includePrerelease: prerelease }));
        assert.deepEqual(
          found.map((one) => one.semver),
          expected,
          range,
        );
      }
    }
  });

  it("is resolved with other work in between if the skill has thousands of versions", async () => {
    let turns = 0;
    const count = () => void (turns++, (next = setImmediate(count)));
    let next = setImmediate(count);

    await resolveRange("9.x", versions, "1.0.0");
    clearImmediate(next);

    assert.ok(turns >= 4);
  });
});
