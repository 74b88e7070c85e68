import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import semver from "semver";
import { bumps } from "../../contract/vocabulary.ts";
import { nextSemver, type SemverRequest } from "../../src/skills/publish/next-semver.ts";
import { runCount } from "../support/run-count.ts";

const numRuns = runCount(300, 100_000);

const id = fc.constantFrom("alpha", "beta", "rc", "x-1");
const bump = fc.option(fc.constantFrom(...bumps), { nil: undefined });
const number = fc.nat({ max: 3 });
const pinned = fc
  .tuple(number, number, number, fc.option(fc.tuple(id, number), { nil: undefined }))
  .map(([major, minor, patch, pre]) => `${major}.${minor}.${patch}${pre ? `-${pre.join(".")}` : ""}`);
const request: fc.Arbitrary<SemverRequest> = fc.oneof(
  fc.record({ bump }),
  fc.record({ bump, prerelease: fc.oneof(id, fc.constant(true as const)) }),
  pinned.map((version) => ({ semver: version })),
);

const highestOf = (versions: string[]) => semver.rsort([...versions])[0];
const targetOf = (version: string) => semver.parse(version)!.version.replace(/-.*/, "");

/** The result of the `semver` library, if any: the next version after the one that a request continues. */
function expectedFor(published: string[], { bump: level, prerelease, semver: exact }: SemverRequest) {
  const release = highestOf(published.filter((version) => !semver.prerelease(version)))!;
  if (exact !== undefined) return semver.gt(exact, release) && !published.includes(exact) ? exact : undefined;
  if (prerelease === undefined) return semver.inc(release, level ?? "patch")!;
  const open = highestOf(published.filter((version) => semver.gt(version, release)));
  const target = level === undefined && open ? targetOf(open) : semver.inc(release, level ?? "patch")!;
  const of = published.filter((version) => semver.prerelease(version) && targetOf(version) === target);
  const highest = highestOf(of);
  if (prerelease === true) {
    return highest
      ? semver.inc(highest, "prerelease")!
      : semver.inc(release, `pre${level ?? "patch"}`, "beta")!;
  }
  const highestOfId = highestOf(of.filter((version) => semver.prerelease(version)![0] === prerelease));
  const base = highestOfId ?? highest;
  if (base) return semver.inc(base, "prerelease", prerelease)!;
  return semver.inc(release, `pre${level ?? "patch"}`, prerelease)!;
}

describe("the next version", () => {
  it("agrees with semver for every sequence of pushes, is unused, and exceeds the highest release", () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 25 }), (requests) => {
        const published = ["1.0.0"];
        for (const one of requests) {
          const releases = published.filter((version) => !semver.prerelease(version));
          const highestRelease = highestOf(releases)!;
          const known = { highestRelease, prereleases: published.filter((v) => semver.prerelease(v)) };
          const expected = expectedFor(published, one);
          let made: string | undefined;
          try {
            made = nextSemver(known, one);
          } catch {
            made = undefined;
          }
          assert.equal(made, expected, `${JSON.stringify(one)} after ${published.join(" ")}`);
          if (made === undefined) continue;
          assert.ok(!published.includes(made));
          assert.ok(semver.gt(made, highestRelease));
          assert.equal(semver.prerelease(made) !== null, one.prerelease !== undefined || made.includes("-"));
          published.push(made);
        }
      }),
      { numRuns },
    );
  });

  it("skips numbers that pinned prereleases have taken", () => {
    const published = { highestRelease: "1.0.0", prereleases: ["1.0.1-rc.0", "1.0.1-rc.x", "1.0.1-7"] };

    assert.equal(nextSemver(published, { prerelease: "rc" }), "1.0.1-rc.1");
    assert.equal(nextSemver({ ...published, prereleases: ["1.0.1-7"] }, { prerelease: true }), "1.0.1-8");
  });
});
