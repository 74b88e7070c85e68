import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { newVersionedSkill } from "../support/versioned-skill.ts";

let counter = 0;

const { service, owner, org } = await setUpOrganization();

const newSkill = () => newVersionedSkill({ service, user: owner, org, name: `versioned ${++counter}` });

describe("pushing versions", () => {
  it("bumps from the highest release, and prereleases from the highest of their target version", async () => {
    const skill = await newSkill();

    const semvers = [];
    for (const body of [
      {},
      { bump: "minor" },
      { bump: "patch" },
      { bump: "major" },
      { semver: "2.5.0" },
      { prerelease: true },
      { prerelease: true },
      { prerelease: "rc" },
      { prerelease: true },
      {},
      { bump: "minor", prerelease: "next" },
      { bump: "major", prerelease: true },
      { bump: "major", prerelease: true },
      { bump: "minor", prerelease: true },
      { prerelease: true },
      {},
      { bump: "major" },
    ])
      semvers.push((await skill.push(body)).data.semver);

    assert.deepEqual(semvers, [
      "1.0.1",
      "1.1.0",
      "1.1.1",
      "2.0.0",
      "2.5.0",
      "2.5.1-beta.0",
      "2.5.1-beta.1",
      "2.5.1-rc.0",
      "2.5.1-rc.1",
      "2.5.1",
      "2.6.0-next.0",
      "3.0.0-beta.0",
      "3.0.0-beta.1",
      "2.6.0-next.1",
      "3.0.0-beta.2",
      "2.5.2",
      "3.0.0",
    ]);
  });

  it("starts or continues the series of another id, below the highest prerelease too", async () => {
    const skill = await newSkill();

    const semvers = [];
    for (const prerelease of ["beta", "alpha", "beta", "alpha", true])
      semvers.push((await skill.push({ prerelease })).data.semver);

    assert.deepEqual(semvers, [
      "1.0.1-beta.0",
      "1.0.1-alpha.0",
      "1.0.1-beta.1",
      "1.0.1-alpha.1",
      "1.0.1-beta.2",
    ]);
    await service.settled();
    assert.equal((await skill.list("?prerelease=true")).length, 6);
  });

  it("releases below a prerelease, which never becomes current by a plain publish", async () => {
    const skill = await newSkill();
    await skill.push({ bump: "major", prerelease: "rc" });

    const semvers = [];
    for (const body of [{}, { bump: "patch" }, { semver: "1.0.3" }, { semver: "1.1.0" }, { bump: "minor" }]) {
      const pushed = await skill.push(body);
      assert.equal(pushed.data.current, true);
      semvers.push(pushed.data.semver);
    }
    const further = await skill.push({ prerelease: "rc" });

    assert.deepEqual(semvers, ["1.0.1", "1.0.2", "1.0.3", "1.1.0", "1.2.0"]);
    assert.equal(further.data.semver, "2.0.0-rc.1");
    assert.equal(await skill.read(), "1.2.0");
    assert.equal(await skill.pin("*"), "1.2.0");
    assert.equal(await skill.pin("^2.0.0-rc.0"), "2.0.0-rc.1");
    assert.equal((await skill.push({ bump: "major" })).data.semver, "2.0.0");
  });

  it("bumps from the highest release of a skill that an earlier version of the service stored", async () => {
    for (const highestSemver of ["1.1.0", "2.0.0-rc.0"]) {
      const skill = await newSkill();
      await skill.push({ semver: "1.1.0" });
      if (highestSemver !== "1.1.0") await skill.push({ semver: highestSemver });
      await service.settled();
      await service.app.storage.database
        .collection<SkillDoc>("skills")
        .updateOne({ _id: skill.id }, { $set: { highestSemver }, $unset: { highestRelease: true } });

      const prerelease = await skill.push({ bump: "major", prerelease: "rc" });
      const release = await skill.push();

      assert.equal(prerelease.data.semver, highestSemver === "1.1.0" ? "2.0.0-rc.0" : "2.0.0-rc.1");
      assert.equal(release.data.semver, "1.1.1");
    }
  });

  it("creates the requested version from unchanged bytes, after a revert too", async () => {
    const skill = await newSkill();
    const content = "the same\n";
    await skill.push({ content });
    await skill.revert(1);
    await skill.revert(2);

    const semvers = [];
    for (const body of [
      { semver: "2.0.0" },
      { bump: "major" },
      { bump: "minor" },
      { bump: "minor", prerelease: true },
      { prerelease: true },
      {},
    ]) {
      const pushed = await skill.push({ content, ...body });
      assert.match(pushed.data.warnings.join(), /only the number changed/);
      semvers.push(pushed.data.semver);
    }
    await skill.revert("2.0.0");
    semvers.push((await skill.push({ content })).data.semver);

    assert.deepEqual(semvers, ["2.0.0", "3.0.0", "3.1.0", "3.2.0-beta.0", "3.2.0-beta.1", "3.1.1", "3.1.2"]);
  });

  it("creates nothing with ifChanged, whatever number is requested", async () => {
    const skill = await newSkill();
    const content = "the same\n";
    await skill.push({ content });
    const push = (body: object) => skill.push({ content, ifChanged: true, ...body });

    for (const body of [
      {},
      { semver: "2.0.0" },
      { semver: "1.0.1" },
      { bump: "major" },
      { prerelease: true },
    ]) {
      const pushed = await push(body);
      assert.deepEqual([pushed.status, pushed.data.unchanged, pushed.data.semver], [201, true, "1.0.1"]);
      assert.match(pushed.data.warnings.join(), /no new version was created/);
    }
    assert.match((await push({ semver: "2.0.0" })).data.warnings.join(), /requested version 2\.0\.0 was not/);
    assert.equal((await push({ semver: "nonsense" })).code, "invalid_request");
    const changed = await push({ content: "other\n", prerelease: "rc" });
    const repeated = await push({ content: "other\n", prerelease: "rc" });
    const pinned = await push({ content: "other\n", semver: "1.0.2-rc.0" });
    const otherId = await push({ content: "other\n", prerelease: "beta" });
    const released = await push({ content: "other\n" });

    assert.deepEqual([changed.data.unchanged, changed.data.semver], [false, "1.0.2-rc.0"]);
    assert.deepEqual([repeated.data.unchanged, repeated.data.semver], [true, "1.0.2-rc.0"]);
    assert.deepEqual([pinned.data.unchanged, pinned.data.semver], [true, "1.0.2-rc.0"]);
    assert.deepEqual([otherId.data.unchanged, otherId.data.semver], [false, "1.0.2-beta.0"]);
    assert.deepEqual([released.data.unchanged, released.data.semver], [false, "1.0.2"]);
  });

  it("creates one version in concurrent equal pushes with ifChanged, and one for each without", async () => {
    const skill = await newSkill();
    const push = (content: string, ifChanged: boolean) =>
      Promise.all(Array.from({ length: 5 }, () => skill.push({ content, ifChanged })));

    const once = await push("a\n", true);
    const each = await push("b\n", false);

    assert.deepEqual([...new Set(once.map(({ data }) => data.semver))], ["1.0.1"]);
    assert.equal(once.filter(({ data }) => !data.unchanged).length, 1);
    assert.deepEqual(each.map(({ data }) => data.semver).toSorted(), [
      "1.0.2",
      "1.0.3",
      "1.0.4",
      "1.0.5",
      "1.0.6",
    ]);
  });

  it("never makes a prerelease current, and returns it only on request", async () => {
    const skill = await newSkill();

    const pushed = await skill.push({ prerelease: true });

    assert.deepEqual([pushed.data.prerelease, pushed.data.current], [true, false]);
    assert.equal((await skill.current()).semver, "1.0.0");
    assert.equal(await skill.read(), "1.0.0");
    assert.deepEqual(await skill.list(), ["1.0.0"]);
    assert.deepEqual(await skill.list("?prerelease=true"), ["1.0.1-beta.0", "1.0.0"]);
    assert.equal(await skill.read("?semver=1.0.1-beta.0"), "1.0.1-beta.0");
    assert.equal(await skill.read("?version=2"), "1.0.1-beta.0");
  });

  it("rejects versions at or below the highest release, and existing ones", async () => {
    const skill = await newSkill();
    await skill.push({ semver: "1.5.0" });
    await skill.push({ semver: "2.0.0-rc.7" });

    for (const semver of ["1.0.0", "0.9.9", "1.5.0", "1.5.0-rc.1", "2.0.0-rc.7"]) {
      const answer = await skill.push({ semver });
      assert.equal(answer.code, "version_not_greater", semver);
      assert.equal(answer.details?.["highest"], "1.5.0");
    }
    for (const semver of ["2.0.0-rc.5", "1.9.9", "2.0.0-rc.8", "2.0.0"])
      assert.equal((await skill.push({ semver })).data.semver, semver);
    assert.equal((await skill.push({ semver: "2.0.0-rc.9" })).code, "version_not_greater");
  });

  it("rejects build metadata and anything but a semantic version", async () => {
    const skill = await newSkill();

    for (const semver of [
      "2.0.0+build.5",
      "v2.0.0",
      "2.0",
      "2",
      "02.0.0",
      "latest",
      "",
      " ",
      "2.0.0-",
      "2.0.0-01",
    ])
      assert.equal((await skill.push({ semver })).code, "invalid_request", semver);
    for (const semver of [`2.0.0-${"a".repeat(60)}`, "99999999999999999.0.0"])
      assert.equal((await skill.push({ semver })).code, "invalid_request", semver);
    assert.match((await skill.push({ semver: "2.0.0+b" })).error!, /build metadata/);
    for (const body of [
      { semver: "2.0.0", bump: "minor" },
      { semver: "2.0.0", prerelease: true },
      { bump: "huge" },
      { prerelease: false },
      { prerelease: "1" },
      { prerelease: "a.b" },
      { prerelease: "" },
    ])
      assert.equal((await skill.push(body)).code, "invalid_request", JSON.stringify(body));
    assert.deepEqual(await skill.list("?prerelease=true"), ["1.0.0"]);
  });

  it("reports when no number can follow", async () => {
    const skill = await newSkill();
    const last = Number.MAX_SAFE_INTEGER;
    await skill.push({ semver: `${last}.0.${last}` });

    assert.equal((await skill.push({ bump: "major" })).code, "version_not_greater");
    assert.equal((await skill.push({ bump: "patch" })).code, "version_not_greater");
    assert.equal((await skill.push({ prerelease: true })).code, "version_not_greater");
    assert.equal((await skill.push({ bump: "minor" })).data.semver, `${last}.1.0`);
  });

  it("accepts a number for the first version, but no prerelease", async () => {
    const first = (semver: string) =>
      service.call<PublishResult>("POST", "/api/skills", {
        token: owner.token,
        body: { tenantId: org.slug, name: `first ${++counter}`, content: "x\n", semver },
      });

    assert.equal((await first("0.3.1")).data.version.semver, "0.3.1");
    assert.equal((await first("1.0.0-beta.1")).code, "refused");
    assert.equal((await first("1.0.0+1")).code, "invalid_request");
  });
});
