import assert from "node:assert/strict";
import { describe, it } from "node:test";
import semver from "semver";
import { skillActs } from "../../contract/dashboard/lists.ts";
import { limits } from "../../contract/limits.ts";
import { isChannelName } from "../../contract/names/channel-name.ts";
import type { ChangedChannelPayload, ChannelPayload } from "../../contract/payloads/skills/channels.ts";
import type { SkillDetailPayload, VersionPayload } from "../../contract/payloads/skills/skills.ts";
import { changeState } from "../../src/skills/marks/change-state.ts";
import { readSelector } from "../../src/skills/versions/semver.ts";
import { holdVersion, releaseVersion } from "../support/holds.ts";
import { newMember } from "../support/organization.ts";
import { openRandom } from "../support/random.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { newVersionedSkill } from "../support/versioned-skill.ts";

const { service, owner, org } = await setUpOrganization();
const reader = await newMember(service, org, "viewer");

let made = 0;

/** A skill with releases 1.0.0, 1.0.1 and 1.1.0, and functions for its channels. */
async function newSkill() {
  const skill = await newVersionedSkill({ service, user: owner, org, name: `channels ${++made}` });
  await skill.push();
  await skill.push({ bump: "minor" });
  const path = `/api/skills/${skill.id}/channels`;
  return {
    ...skill,
    set: (name: string, version: string | number, token = owner.token) =>
      service.call<ChangedChannelPayload>("PUT", `${path}/${name}`, { token, body: { version } }),
    remove: (name: string, token = owner.token) => service.call("DELETE", `${path}/${name}`, { token }),
    channels: async (token = owner.token) =>
      (await service.call<ChannelPayload[]>("GET", path, { token })).data,
    mark: (version: string, body: object) =>
      service.call<VersionPayload>("PATCH", `/api/skills/${skill.id}/versions/${version}`, {
        token: owner.token,
        body,
      }),
    resolve: (pin: string, token = reader.token) =>
      service.call("GET", `/api/skills/resolve?ref=${skill.slug}&version=${pin}`, { token }),
    reject: (version: string) =>
      changeState(service.app, "service", skill.id, version, {
        load: async () => ({ ...(await service.app.storage.skills.find(skill.id))!, can: skillActs }),
        change: () => ({ rejected: "Harmful" }),
      }),
  };
}

describe("the name of a channel", () => {
  it("is never a version, a range or a reserved word", () => {
    const random = openRandom(3);
    const alphabet = ["a", "b", "v", "x", "0", "1", "9", "-"];
    for (let run = 0; run < 20_000; run++) {
      const name = Array.from({ length: 1 + random.below(6) }, () => random.pick(alphabet)).join("");
      if (!isChannelName(name)) continue;
      assert.equal(semver.validRange(name), null, name);
      assert.deepEqual(readSelector(name), { kind: "channel", name });
    }
    for (const name of ["stable", "beta-2", "x-ray", "next", "v", "a".repeat(32)])
      assert.equal(isChannelName(name), true, name);
    for (const name of ["latest", "head", "x", "vx", "v1", "v2-beta", "1x", "-a", "Beta", "", "a".repeat(33)])
      assert.equal(isChannelName(name), false, name);
  });

  it("is checked before a channel is created", async () => {
    const skill = await newSkill();
    for (const name of ["latest", "x", "v1", "Stable", "a b"]) {
      const refused = await skill.set(encodeURIComponent(name), "1.0.0");
      assert.equal(refused.code, "invalid_request", name);
      assert.match(refused.error!, /is not a valid channel name/);
    }
    assert.deepEqual(await skill.channels(), []);
  });
});

describe("a channel", () => {
  it("is a pin that follows where it is moved", async () => {
    const skill = await newSkill();

    const created = await skill.set("stable", "1.0.0");

    assert.equal(created.status, 200, JSON.stringify(created.body));
    assert.deepEqual(
      [created.data.name, created.data.version, created.data.semver, created.data.previous],
      ["stable", 1, "1.0.0", null],
    );
    assert.equal(await skill.pin("stable"), "1.0.0");
    assert.equal(await skill.read("?range=stable"), "1.0.0");
    assert.deepEqual(await skill.list("?spec=stable"), ["1.0.0"]);
    const moved = await skill.set("stable", "latest");
    assert.deepEqual(moved.data.previous, { version: 1, semver: "1.0.0" });
    assert.equal(await skill.pin("stable"), "1.1.0");
    assert.equal(await skill.pin("latest"), "1.1.0");
  });

  it("points to a prerelease too, and to what another channel points to", async () => {
    const skill = await newSkill();
    const { semver: candidate } = (await skill.push({ prerelease: "rc" })).data;

    await skill.set("next", candidate);
    await skill.set("canary", "next");

    assert.equal(await skill.pin("canary"), candidate);
    assert.equal(await skill.pin("latest"), "1.1.0");
  });

  it("is shown with the skill and with its version", async () => {
    const skill = await newSkill();
    await skill.set("stable", "1.0.1");
    await skill.set("beta", "1.0.1");

    const shown = await service.call<SkillDetailPayload>("GET", `/api/skills/${skill.id}`, {
      token: reader.token,
    });

    assert.deepEqual(
      shown.data.channels?.map(({ name, semver: at }) => [name, at]),
      [
        ["beta", "1.0.1"],
        ["stable", "1.0.1"],
      ],
    );
    const { data } = await service.call<VersionPayload[]>("GET", `/api/skills/${skill.id}/versions`, {
      token: reader.token,
    });
    assert.deepEqual(
      data.map(({ channels }) => channels),
      [undefined, ["beta", "stable"], undefined],
    );
  });

  it("is deleted, and then selects nothing", async () => {
    const skill = await newSkill();
    await skill.set("stable", "1.0.0");
    await skill.set("beta", "1.1.0");

    assert.equal((await skill.remove("stable")).status, 200);

    const missing = await skill.resolve("stable");
    assert.equal(missing.status, 404);
    assert.equal(missing.error, `"${org.slug}/${skill.slug}" has no channel stable. Its channels are beta.`);
    assert.deepEqual(missing.details?.["channels"], ["beta"]);
    assert.equal((await skill.remove("stable")).code, "not_found");
    await skill.remove("beta");
    assert.match((await skill.resolve("beta")).error!, /has no channel beta\. It has no channels\.$/);
  });

  it("is changed by those who may update the skill only", async () => {
    const skill = await newSkill();
    await skill.set("stable", "1.0.0");
    const stranger = await service.newUser();
    const tokenWith = async (scopes: object) => {
      const answer = await service.call<{ token: string }>("POST", "/api/user/tokens", {
        cookie: owner.cookie,
        body: { name: "scoped", scopes },
      });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.data.token;
    };
    const mayRead = await tokenWith({ skill: ["read"] });
    const mayUpdate = await tokenWith({ skill: ["read", "update"] });

    for (const [token, status] of [
      [reader.token, 403],
      [stranger.token, 404],
      [mayRead, 403],
    ] as const) {
      assert.equal((await skill.set("stable", "1.1.0", token)).status, status);
      assert.equal((await skill.remove("stable", token)).status, status);
    }
    assert.equal((await service.call("GET", `/api/skills/${skill.id}/channels`)).status, 401);
    assert.equal((await skill.set("stable", "1.1.0", mayUpdate)).status, 200);
    assert.equal(await skill.pin("stable"), "1.1.0");
  });

  it("is refused beyond the limit, and with a version that does not exist", async () => {
    const skill = await newSkill();
    for (let index = 0; index < limits.skillChannels; index++)
      assert.equal((await skill.set(`c${index}`, "1.0.0")).status, 200);

    assert.equal((await skill.set("one-more", "1.0.0")).code, "limit_reached");
    assert.equal((await skill.set("c1", "1.1.0")).status, 200);
    assert.equal((await skill.set("c1", "9.0.0")).code, "not_found");
    assert.equal((await skill.set("c1", "no version")).code, "invalid_request");
  });

  it("is written to the audit log, once for each change", async () => {
    const skill = await newSkill();
    await skill.set("stable", "1.0.0");
    await skill.set("stable", 1);
    await skill.set("stable", "1.0.1");
    await skill.remove("stable");
    await service.settled();

    const own = await service.app.storage.database.raw
      .collection<{ metadata: Record<string, unknown> }>("audit_events")
      .find({ resourceId: skill.id, name: "skill.channel_updated" })
      .sort({ _id: 1 })
      .toArray();

    assert.deepEqual(
      own.map(({ metadata: { change, from, to } }) => [change, from, to]),
      [
        ["created", undefined, "1.0.0"],
        ["moved", "1.0.0", "1.0.1"],
        ["deleted", "1.0.1", undefined],
      ],
    );
  });
});

describe("the version of a channel", () => {
  it("can't be yanked before the channel is moved, except by force", async () => {
    const skill = await newSkill();
    await skill.set("stable", "1.0.1");
    await skill.set("beta", "1.0.1");

    const refused = await skill.mark("1.0.1", { yanked: true });

    assert.equal(refused.code, "refused");
    assert.match(refused.error!, /^The channels beta and stable of ".*" point to 1\.0\.1: move them/);
    assert.deepEqual(refused.details?.["channels"], ["beta", "stable"]);
    await skill.set("beta", "1.1.0");
    assert.equal((await skill.mark("1.0.1", { yanked: true, force: true })).status, 200);
    assert.deepEqual(
      (await skill.channels()).map(({ name }) => name),
      ["beta"],
    );
    assert.equal((await skill.set("stable", "1.0.1")).code, "refused");
    assert.equal((await skill.mark("1.0.1", { yanked: false, force: true })).code, "invalid_request");
  });

  it("may be deprecated", async () => {
    const skill = await newSkill();
    await skill.set("stable", "1.0.1");

    assert.equal((await skill.mark("1.0.1", { deprecated: "Old" })).status, 200);

    assert.equal(await skill.pin("stable"), "1.0.1");
    assert.equal((await skill.set("beta", "1.0.1")).status, 200);
  });

  it("is not offered while it is held, and readers do not learn why", async () => {
    const skill = await newSkill();
    await skill.set("stable", "1.0.1");
    await holdVersion(service.app, skill.id, 2, "scan");

    const answer = await skill.resolve("stable");

    const name = `"${org.slug}/${skill.slug}"`;
    assert.equal(answer.status, 404);
    assert.equal(
      answer.error,
      `${name} has no version in its channel stable. Its newest versions are 1.1.0, 1.0.0.`,
    );
    assert.equal(answer.details?.["reason"], undefined);
    const [shown] = await skill.channels(reader.token);
    assert.deepEqual([shown?.version, shown?.semver, shown?.held], [null, null, undefined]);
    const [own] = await skill.channels();
    assert.deepEqual([own?.version, own?.semver, own?.held], [2, "1.0.1", true]);
    const toOwner = await skill.resolve("stable", owner.token);
    assert.match(toOwner.error!, /has no version in its channel stable: 1\.0\.1 is held\./);
    assert.equal((await skill.set("beta", "1.0.1")).code, "refused");
    await releaseVersion(service.app, skill.id, 2, "scan");
    assert.equal(await skill.pin("stable"), "1.0.1");
  });

  it("takes the channel with it if it is rejected", async () => {
    const skill = await newSkill();
    await skill.set("stable", "1.0.1");
    await holdVersion(service.app, skill.id, 2, "scan");

    await skill.reject("1.0.1");

    assert.deepEqual(await skill.channels(), []);
    assert.equal((await skill.set("stable", "1.0.1")).code, "refused");
    await service.settled();
    const deleted = await service.app.storage.database.raw
      .collection("audit_events")
      .countDocuments({ resourceId: skill.id, "metadata.change": "deleted" });
    assert.equal(deleted, 1);
  });

  it("is never one that is yanked at the same time", async () => {
    const skill = await newSkill();
    for (let round = 0; round < 12; round++) {
      await skill.mark("1.0.1", { yanked: false });
      await skill.set("stable", "1.0.0");
      const answers = await Promise.all([
        skill.set("stable", "1.0.1"),
        skill.mark("1.0.1", { yanked: true, force: round % 3 === 0 ? true : undefined }),
        skill.set("stable", "1.0.1"),
      ]);

      for (const { status, body } of answers) assert.ok([200, 422].includes(status), JSON.stringify(body));
      const doc = (await service.app.storage.skills.find(skill.id))!;
      const isYanked = doc.marks?.some(({ version, yanked }) => version === 2 && yanked) ?? false;
      const targets = doc.channels?.map(({ version }) => version) ?? [];
      assert.ok(!isYanked || !targets.includes(2), JSON.stringify(targets));
      assert.equal(answers[1].status === 200, isYanked);
    }
  });
});
