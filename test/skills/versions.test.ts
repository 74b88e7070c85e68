import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type {
  ContentPayload,
  PublishResult,
  ResolveResult,
  SkillDetailPayload,
  VersionPayload,
  VersionResult,
} from "../../contract/payloads.ts";
import { git } from "../support/native-git.ts";
import { startService, type TestOrg, type TestService, type TestUser } from "../support/service.ts";

let service: TestService;
let user: TestUser;
let org: TestOrg;
let counter = 0;

before(async () => {
  service = await startService();
  user = await service.newUser();
  org = await service.newOrg(user);
});
after(() => service.close());

const get = <T>(path: string) => service.call<T>("GET", path, { token: user.token });

/** A new skill at 1.0.0, and ways to work on it. */
async function newSkill() {
  const made = await service.call<PublishResult>("POST", "/api/skills", {
    token: user.token,
    body: { tenantId: org.slug, name: `versioned ${++counter}`, content: "text 1\n" },
  });
  const { id, slug } = made.data.skill;
  let texts = 1;
  return {
    id,
    slug,
    push: (body: object = {}) =>
      service.call<VersionResult>("POST", `/api/skills/${id}/versions`, {
        token: user.token,
        body: { content: `text ${++texts}\n`, ...body },
      }),
    revert: (version: unknown) =>
      service.call<SkillDetailPayload>("POST", `/api/skills/${id}/revert`, {
        token: user.token,
        body: { version },
      }),
    list: async (query = "") =>
      (await get<VersionPayload[]>(`/api/skills/${id}/versions${query}`)).data.map((v) => v.semver),
    /** The semver that a selector reads, or the code of its failure. */
    read: async (query = "") => {
      const answer = await get<ContentPayload>(`/api/skills/${id}/content${query}`);
      return answer.status === 200 ? answer.data.semver : answer.code;
    },
    pin: async (version: string) => {
      const answer = await get<ResolveResult>(
        `/api/skills/resolve?ref=${slug}&version=${encodeURIComponent(version)}`,
      );
      return answer.status === 200 ? answer.data.version.semver : answer.code;
    },
    current: async () => (await get<SkillDetailPayload>(`/api/skills/${id}`)).data.currentVersionInfo,
  };
}

describe("pushing versions", () => {
  it("bumps from the highest version published", async () => {
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
      {},
      { bump: "minor", prerelease: "next" },
      { bump: "major", prerelease: true },
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
      "2.5.1",
      "2.6.0-next.0",
      "3.0.0-beta.0",
      "3.0.0",
    ]);
  });

  it("goes up also from a prerelease to another id that sorts below it", async () => {
    const skill = await newSkill();

    const semvers = [];
    for (const prerelease of ["beta", "alpha", "beta", "alpha"])
      semvers.push((await skill.push({ prerelease })).data.semver);

    assert.deepEqual(semvers, ["1.0.1-beta.0", "1.0.2-alpha.0", "1.0.2-beta.0", "1.0.3-alpha.0"]);
    await service.settled();
    assert.equal((await skill.list("?prerelease=true")).length, 5);
  });

  it("never makes a prerelease current, and shows it only when asked for", async () => {
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

  it("refuses versions at or below the highest, prereleases counted in", async () => {
    const skill = await newSkill();
    await skill.push({ semver: "2.0.0-rc.1" });

    for (const semver of ["1.0.0", "0.9.9", "1.9.9", "2.0.0-rc.1", "2.0.0-beta.9", "2.0.0-rc.0"]) {
      const answer = await skill.push({ semver });
      assert.equal(answer.code, "version_not_greater", semver);
      assert.equal(answer.details?.["highest"], "2.0.0-rc.1");
    }
    assert.equal((await skill.push({ semver: "2.0.0-rc.2" })).status, 201);
    assert.equal((await skill.push({ semver: "2.0.0" })).data.current, true);
  });

  it("refuses build metadata and whatever is no semantic version", async () => {
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

  it("says so when no number can follow", async () => {
    const skill = await newSkill();
    const last = Number.MAX_SAFE_INTEGER;
    await skill.push({ semver: `${last}.0.${last}` });

    assert.equal((await skill.push({ bump: "major" })).code, "version_not_greater");
    assert.equal((await skill.push({ bump: "patch" })).code, "version_not_greater");
    assert.equal((await skill.push({ prerelease: true })).code, "version_not_greater");
    assert.equal((await skill.push({ bump: "minor" })).data.semver, `${last}.1.0`);
  });

  it("takes a first version's number, but no prerelease", async () => {
    const first = (semver: string) =>
      service.call<PublishResult>("POST", "/api/skills", {
        token: user.token,
        body: { tenantId: org.slug, name: `first ${++counter}`, content: "x\n", semver },
      });

    assert.equal((await first("0.3.1")).data.version.semver, "0.3.1");
    assert.equal((await first("1.0.0-beta.1")).code, "refused");
    assert.equal((await first("1.0.0+1")).code, "invalid_request");
  });
});

describe("reverting", () => {
  it("moves the pointer back and makes no version; the next push follows the highest", async () => {
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

  it("refuses prereleases and versions that are not there", async () => {
    const skill = await newSkill();
    await skill.push({ prerelease: true });

    assert.equal((await skill.revert("1.0.1-beta.0")).code, "refused");
    assert.equal((await skill.revert(2)).code, "refused");
    assert.equal((await skill.revert(9)).code, "not_found");
    assert.equal((await skill.revert("3.0.0")).code, "not_found");
    for (const version of [0, -1, 1.5, null, "", [], "not a version"])
      assert.equal((await skill.revert(version)).code, "invalid_request", JSON.stringify(version));
  });

  it("lets publishes and reverts at once end in a whole chain", async () => {
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

  it("follow a rollback where the range allows the version that is current", async () => {
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

describe("16 publishes to one skill at once", () => {
  it("make a gapless chain of readable versions in a sound repository", async () => {
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
      new RegExp(`Svc-Version: 17[^]*u-${user.id}@users\\.noreply`),
    );
  });
});
