import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { VersionPayload } from "../../contract/payloads/skills/skills.ts";
import { git } from "../support/native-git.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { newVersionedSkill } from "../support/versioned-skill.ts";

let counter = 0;

const { service, owner, org } = await setUpOrganization();

const get = <T>(path: string) => service.call<T>("GET", path, { token: owner.token });

const newSkill = () => newVersionedSkill({ service, user: owner, org, name: `versioned ${++counter}` });

describe("reverting", () => {
  it("moves the pointer back and creates no version; the next push follows the highest", async () => {
    const skill = await newSkill();
    await skill.push();
    await skill.push({ bump: "minor" });

    const reverted = await skill.revert(2);
    const same = await skill.revert("1.0.1");
    const pushed = await skill.push();

    assert.equal(reverted.data.currentSemver, "1.0.1");
    assert.equal(same.data.currentSemver, "1.0.1");
    assert.deepEqual([pushed.data.version, pushed.data.semver], [4, "1.1.1"]);
    assert.equal((await skill.revert("1.0.0")).data.currentVersion, 1);
    assert.equal(await skill.read(), "1.0.0");
    assert.deepEqual(await skill.list(), ["1.1.1", "1.1.0", "1.0.1", "1.0.0"]);
    await service.settled();
    const events = await service.app.storage.database.raw
      .collection("audit_events")
      .find({ resourceId: skill.id, name: "skill.version_reverted" })
      .toArray();
    assert.equal(events.length, 2);
  });

  it("rejects prereleases and versions that don't exist", async () => {
    const skill = await newSkill();
    await skill.push({ prerelease: true });

    assert.equal((await skill.revert("1.0.1-beta.0")).code, "refused");
    assert.equal((await skill.revert(2)).code, "refused");
    assert.equal((await skill.revert(9)).code, "not_found");
    assert.equal((await skill.revert("3.0.0")).code, "not_found");
    for (const version of [0, -1, 1.5, null, "", [], "not a version"])
      assert.equal((await skill.revert(version)).code, "invalid_request", JSON.stringify(version));
  });

  it("leaves a complete chain when publishes and reverts run concurrently", async () => {
    const skill = await newSkill();
    await skill.push();

    const answers = await Promise.all([
      ...Array.from({ length: 6 }, () => skill.push()),
      ...Array.from({ length: 6 }, (_, i) => skill.revert((i % 2) + 1)),
    ]);

    for (const answer of answers) assert.ok([200, 201].includes(answer.status), JSON.stringify(answer.body));
    assert.equal((await skill.list()).length, 8);
  });
});

describe("pins", () => {
  it("resolve to numbers, exact versions, ranges and latest", async () => {
    const skill = await newSkill();
    for (const semver of ["1.0.5", "1.2.0", "2.0.0-beta.1", "2.0.0-beta.2", "2.0.0", "2.1.0-rc.1"])
      await skill.push({ semver });
    await service.settled();

    const expected: Record<string, string | undefined> = {
      "": "2.0.0",
      latest: "2.0.0",
      "1": "1.0.0",
      "3": "1.2.0",
      "1.0.5": "1.0.5",
      "v1.0.5": "1.0.5",
      "=1.0.5": "1.0.5",
      "2.0.0-beta.1": "2.0.0-beta.1",
      "^1.0.0": "1.2.0",
      "~1.0.0": "1.0.5",
      "1.x": "1.2.0",
      "1.0.x": "1.0.5",
      "*": "2.0.0",
      ">=1.0.0 <1.2.0": "1.0.5",
      "<1.2.0 || >3": "1.0.5",
      "1.0.0 - 1.1.0": "1.0.5",
      "^2.0.0": "2.0.0",
      ">=2.0.0-beta.1 <2.0.0": "2.0.0-beta.2",
      "~2.1.0-rc.0": "2.1.0-rc.1",
      "~2.1.0": "not_found",
      "^3.0.0": "not_found",
      "99": "not_found",
      "9.9.9": "not_found",
      "not a pin": "invalid_request",
      "1..2": "invalid_request",
    };
    for (const [pin, semver] of Object.entries(expected)) assert.equal(await skill.pin(pin), semver, pin);
    assert.equal(await skill.read("?range=1"), "1.2.0", "a plain number is a range there");
    assert.equal(await skill.read("?version=1"), "1.0.0");
    assert.equal(await skill.read("?range=%5E1.0.0"), "1.2.0");
    assert.equal(await skill.read("?range=latest"), "2.0.0");
    assert.equal(await skill.read("?range=1&version=1"), "invalid_request");
  });

  it("follow a rollback if the range includes the current version", async () => {
    const skill = await newSkill();
    await skill.push({ semver: "1.1.0" });
    await skill.push({ semver: "2.0.0" });
    await skill.revert("1.0.0");

    assert.equal(await skill.pin("^1.0.0"), "1.0.0");
    assert.equal(await skill.pin("*"), "1.0.0");
    assert.equal(await skill.pin("latest"), "1.0.0");
    assert.equal(await skill.pin("^2.0.0"), "2.0.0");
    assert.equal(await skill.pin(">=1.1.0"), "2.0.0");
  });
});

describe("listing versions", () => {
  it("filters by range, and pages without loss", async () => {
    const skill = await newSkill();
    for (const semver of ["1.1.0", "1.2.0-beta.1", "1.2.0", "2.0.0-rc.1", "2.0.0"])
      await skill.push({ semver });

    assert.deepEqual(await skill.list("?spec=%5E1.0.0"), ["1.2.0", "1.1.0", "1.0.0"]);
    assert.deepEqual(await skill.list("?spec=1"), ["1.2.0", "1.1.0", "1.0.0"]);
    assert.deepEqual(await skill.list("?spec=%5E1.0.0&prerelease=true"), [
      "1.2.0",
      "1.2.0-beta.1",
      "1.1.0",
      "1.0.0",
    ]);
    assert.deepEqual(await skill.list("?spec=2.0.0-rc.1"), ["2.0.0-rc.1"]);
    assert.deepEqual(await skill.list("?spec=latest"), ["2.0.0"]);
    assert.deepEqual(await skill.list("?spec=9.x"), []);
    for (const query of ["", "prerelease=true&", "spec=%3E%3D1.0.0&"]) {
      const seen: string[] = [];
      let cursor: string | null | undefined = "";
      while (cursor !== null) {
        const page = await get<VersionPayload[]>(
          `/api/skills/${skill.id}/versions?${query}limit=2${cursor ? `&cursor=${cursor}` : ""}`,
        );
        seen.push(...page.data.map((v) => v.semver));
        cursor = page.nextCursor as string | null;
      }
      assert.deepEqual(seen, await skill.list(`?${query}limit=200`));
    }
  });
});

describe("16 concurrent publishes to one skill", () => {
  it("create a gapless chain of readable versions in a valid repository", async () => {
    const skill = await newSkill();

    const answers = await Promise.all(Array.from({ length: 16 }, () => skill.push()));

    assert.deepEqual(
      [...new Set(answers.map((a) => a.status))],
      [201],
      JSON.stringify(answers.map((a) => a.code)),
    );
    const versions = answers.map((a) => a.data).sort((a, b) => a.version - b.version);
    assert.deepEqual(
      versions.map((v) => [v.version, v.semver]),
      Array.from({ length: 16 }, (_, i) => [i + 2, `1.0.${i + 1}`]),
    );
    await service.settled();
    for (const version of versions)
      assert.equal(await skill.read(`?version=${version.version}`), version.semver);
    const repo = await service.app.repos.materialize({ tenantId: org.id, skillId: skill.id });
    git(repo, "fsck", "--full", "--strict");
    assert.equal(git(repo, "rev-list", "--count", "refs/heads/main").trim(), "17");
    assert.equal(git(repo, "rev-parse", "refs/heads/main").trim(), versions.at(-1)!.commit);
    assert.equal(git(repo, "tag").trim().split("\n").length, 17);
    assert.match(
      git(repo, "log", "-1", "--format=%B%an <%ae>"),
      new RegExp(`Svc-Version: 17[^]*u-${owner.id}@users\\.noreply`),
    );
  });
});
