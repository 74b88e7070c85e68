import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { ResolveResult, SkillPayload, VersionPayload } from "../../contract/payloads/skills/skills.ts";
import { newMember } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { newVersionedSkill } from "../support/versioned-skill.ts";

let made = 0;

const { service, owner, org } = await setUpOrganization();

/** A skill with releases 1.0.0, 1.0.1 and 1.1.0, the last of which is current. */
async function newSkill() {
  const skill = await newVersionedSkill({ service, user: owner, org, name: `marked ${++made}` });
  await skill.push();
  await skill.push({ bump: "minor" });
  return skill;
}

const mark = (id: string, version: string | number, body: object, token = owner.token) =>
  service.call<VersionPayload>("PATCH", `/api/skills/${id}/versions/${version}`, { token, body });
const resolve = async (slug: string, version: string) =>
  (
    await service.call<ResolveResult>("GET", `/api/skills/resolve?ref=${slug}&version=${version}`, {
      token: owner.token,
    })
  ).data;

describe("a deprecated version", () => {
  it("is still chosen, with its publisher's message as a warning", async () => {
    const skill = await newSkill();

    const marked = await mark(skill.id, "1.1.0", { deprecated: " Use another-skill " });

    assert.equal(marked.status, 200, JSON.stringify(marked.body));
    assert.equal(marked.data.deprecated, "Use another-skill");
    const { version, warnings } = await resolve(skill.slug, "^1.0.0");
    assert.equal(version.semver, "1.1.0");
    assert.deepEqual(warnings, [`${org.slug}/${skill.slug} 1.1.0 is deprecated: Use another-skill`]);
  });

  it("is as before once that is undone", async () => {
    const skill = await newSkill();
    await mark(skill.id, 3, { deprecated: "No" });

    const undone = await mark(skill.id, 3, { deprecated: null });

    assert.equal(undone.data.deprecated, undefined);
    assert.equal((await resolve(skill.slug, "latest")).warnings, undefined);
  });
});

describe("a yanked version", () => {
  it("is skipped by ranges, and selected by its number and exact semver with a warning", async () => {
    const skill = await newSkill();
    await skill.revert("1.0.0");

    await mark(skill.id, "1.1.0", { yanked: true });

    assert.equal(await skill.pin("^1.0.1"), "1.0.1");
    assert.equal(await skill.pin("~1.1.0"), "not_found");
    assert.equal(await skill.read("?range=>1.0.0"), "1.0.1");
    for (const pin of ["3", "1.1.0"]) {
      const { version, warnings = [] } = await resolve(skill.slug, pin);
      assert.equal(version.semver, "1.1.0");
      assert.equal(version.yanked, true);
      assert.match(warnings.join(), /is yanked/);
    }
    assert.equal(await skill.read("?version=3"), "1.1.0");
    assert.deepEqual(await skill.list(), ["1.1.0", "1.0.1", "1.0.0"]);
  });

  it("makes the highest earlier release current if it was current", async () => {
    const skill = await newSkill();
    await skill.push({ prerelease: "rc" });
    await mark(skill.id, "1.0.1", { yanked: true });

    const marked = await mark(skill.id, "1.1.0", { yanked: true });

    assert.equal(marked.data.current, false);
    assert.equal((await skill.current()).semver, "1.0.0");
    assert.equal(await skill.pin("latest"), "1.0.0");
    assert.equal(await skill.read(), "1.0.0");
  });

  it("is no version that a revert could make current", async () => {
    const skill = await newSkill();
    await mark(skill.id, "1.1.0", { yanked: true, reason: "It deletes files" });

    const reverted = await skill.revert("1.1.0");

    assert.equal(reverted.code, "refused");
    const { warnings } = await resolve(skill.slug, "1.1.0");
    assert.deepEqual(warnings, [
      `${org.slug}/${skill.slug} 1.1.0 is yanked by its publisher: It deletes files`,
    ]);
    assert.equal((await mark(skill.id, "1.1.0", { yanked: false })).data.yanked, undefined);
    assert.equal((await skill.current()).semver, "1.1.0");
  });

  it("leaves nothing to install if it was the last, until one is restored", async () => {
    const skill = await newSkill();
    for (const semver of ["1.0.0", "1.0.1", "1.1.0"])
      await mark(skill.id, semver, {
        yanked: true,
        reason: semver === "1.1.0" ? "It deletes files" : undefined,
      });
    const read = () => service.call<SkillPayload>("GET", `/api/skills/${skill.id}`, { token: owner.token });
    const path = `/api/skills/resolve?ref=${skill.slug}`;

    const latest = await service.call("GET", path, { token: owner.token });

    assert.equal((await read()).data.withheld, true);
    assert.equal(latest.status, 404);
    const name = `${org.slug}/${skill.slug}`;
    const pin = (semver: string) => `To install it all the same, pin it exactly: "${name}@${semver}".`;
    assert.equal(
      latest.error,
      `"${name}" has no version that can be installed: 1.1.0 is yanked (It deletes files). ${pin("1.1.0")}`,
    );
    const patches = await service.call("GET", `${path}&version=~1.0.0`, { token: owner.token });
    assert.equal(
      patches.error,
      `"${name}" has no version that satisfies ~1.0.0: 1.0.1 is yanked. ${pin("1.0.1")}`,
    );
    assert.deepEqual(latest.details!["reason"], "yanked");
    assert.equal(await skill.pin("1.0.1"), "1.0.1");
    await mark(skill.id, "1.0.1", { yanked: false });
    assert.equal((await read()).data.withheld, undefined);
    assert.equal(await skill.pin("latest"), "1.0.1");
  });

  it("keeps its number: a later version follows it", async () => {
    const skill = await newSkill();
    await mark(skill.id, "1.1.0", { yanked: true });

    assert.equal((await skill.push()).data.semver, "1.1.1");
    assert.equal((await skill.current()).semver, "1.1.1");
  });

  it("does not become current by a revert at the same time", async () => {
    for (let round = 0; round < 5; round++) {
      const skill = await newSkill();
      const [revert, yank] = await Promise.all([
        skill.revert("1.0.1"),
        mark(skill.id, "1.0.1", { yanked: true }),
      ]);

      assert.ok([200, 422].includes(revert.status), JSON.stringify(revert.body));
      assert.equal(yank.status, 200, JSON.stringify(yank.body));
      const current = await skill.current();
      assert.notEqual(current.semver, "1.0.1");
      assert.equal(current.yanked, undefined);
    }
  });
});

describe("marks of versions", () => {
  it("are written to the audit log, once for each change", async () => {
    const skill = await newSkill();
    await mark(skill.id, "1.0.1", { deprecated: "Old", yanked: true });
    await mark(skill.id, "1.0.1", { deprecated: "Old" });
    await mark(skill.id, "1.0.1", { deprecated: null, yanked: false });
    await mark(skill.id, "1.1.0", { yanked: true });
    await service.settled();

    const events = await service.app.storage.database.raw
      .collection("audit_events")
      .find({ resourceId: skill.id, name: /version_(?!created)/ })
      .sort({ _id: 1 })
      .toArray();

    assert.deepEqual(events.map(({ name }) => String(name).replace("skill.version_", "")).toSorted(), [
      "deprecated",
      "reverted",
      "undeprecated",
      "unyanked",
      "yanked",
      "yanked",
    ]);
  });

  it("need skill:update, and a number or semver of the skill", async () => {
    const skill = await newSkill();
    const viewer = await newMember(service, org, "viewer");
    const stranger = await service.newUser();
    const code = async (version: string, body: object, token = owner.token) =>
      (await mark(skill.id, version, body, token)).code;

    assert.equal(await code("1", { yanked: true }, viewer.token), "forbidden");
    assert.equal(await code("1", { yanked: true }, stranger.token), "not_found");
    assert.equal(await code("9", { yanked: true }), "not_found");
    assert.equal(await code("latest", { yanked: true }), "invalid_request");
    assert.equal(await code("%5E1.0.0", { yanked: true }), "invalid_request");
    assert.equal(await code("1", {}), "invalid_request");
    assert.equal(await code("1", { deprecated: "" }), "invalid_request");
    assert.equal(await code("1", { deprecated: "two\nlines" }), "invalid_request");
    assert.equal(await code("1", { deprecated: "x".repeat(limits.deprecation + 1) }), "invalid_request");
  });

  it("are limited in number", async () => {
    const skill = await newSkill();
    const marks = Array.from({ length: limits.markedVersions }, (_, at) => ({
      version: 1000 + at,
      semver: `0.0.${at}`,
      deprecated: "x",
    }));
    await service.app.storage.database.raw
      .collection<{ _id: string }>("skills")
      .updateOne({ _id: skill.id }, { $set: { marks } });

    assert.equal((await mark(skill.id, 1, { deprecated: "y" })).code, "limit_reached");
  });

  it("by reviewers and scans don't use up those of the publisher, up to a limit for new versions", async () => {
    const skill = await newSkill();
    const setMarks = (count: number) => {
      const marks = Array.from({ length: count }, (_, at) => ({
        version: 1000 + at,
        semver: `0.0.${at}`,
        ...(at % 2 === 0 ? { rejected: "no" } : { verdict: "suspicious" }),
      }));
      return service.app.storage.database.raw
        .collection<{ _id: string }>("skills")
        .updateOne({ _id: skill.id }, { $set: { marks } });
    };
    const push = (content: string) =>
      service.call("POST", `/api/skills/${skill.id}/versions`, { token: owner.token, body: { content } });

    await setMarks(2 * limits.markedVersions + 2);
    assert.equal((await mark(skill.id, 1, { yanked: true })).status, 200);
    assert.equal((await push("# More\n")).status, 201);
    await setMarks(limits.markedVersionsInAll);
    const refused = await push("# Even more\n");
    assert.equal(refused.code, "limit_reached");
    assert.match(refused.error!, /publish further ones as another skill/);
  });
});

describe("source of a version", () => {
  it("is the way in which it was published", async () => {
    const skill = await newVersionedSkill({ service, user: owner, org, name: `marked ${++made}` });
    const body = { content: "by a browser\n" };
    await service.call("POST", `/api/skills/${skill.id}/versions`, { cookie: owner.cookie, body });

    const { data } = await service.call<VersionPayload[]>("GET", `/api/skills/${skill.id}/versions`, {
      token: owner.token,
    });

    assert.deepEqual(
      data.map(({ source }) => source),
      ["web", "api"],
    );
    const read = await service.call<SkillPayload>("GET", `/api/skills/${skill.id}`, { token: owner.token });
    assert.equal(read.status, 200);
  });
});
