import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MovedSkillPayload } from "../../contract/payloads/organizations/folders.ts";
import type {
  ChangedChannelPayload,
  DeletedChannelPayload,
} from "../../contract/payloads/skills/channels.ts";
import type { PublishPlan, VersionPlan } from "../../contract/payloads/skills/plans.ts";
import type { SkillReachPayload } from "../../contract/payloads/skills/reach.ts";
import type {
  ChangedSkillPayload,
  MarkedVersionPayload,
  RevertedSkillPayload,
} from "../../contract/payloads/skills/skills.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { newVersionedSkill } from "../support/versioned-skill.ts";

const { service, owner, org } = await setUpOrganization();
const send = <T>(method: string, path: string, body: unknown, token = owner.token) =>
  service.call<T>(method, path, { token, body });

/** Versions 1.0.0 and 1.1.0; a machine follows the latest version, and one each is pinned to them. */
async function newInstalled(name: string) {
  const skill = await newVersionedSkill({ service, user: owner, org, name });
  await skill.push({ bump: "minor" });
  for (const [version, range] of [
    [2, "latest"],
    [1, "1.0.0"],
    [2, "1.1.0"],
  ] as const)
    await send("PUT", `/api/skills/${skill.id}/installs`, {
      platform: "claude",
      scope: "global",
      machine: `m-${range}`,
      version,
      range,
    });
  const path = `/api/skills/${skill.id}`;
  const stateOf = async () => JSON.stringify((await send("GET", `${path}/versions`, undefined)).data);
  return { ...skill, path, stateOf };
}

const getting = (reach: MarkedVersionPayload["reach"]) => reach?.getting.machines;

describe("a dry run", () => {
  it("of yanks, deprecations and reverts has the reach, and changes nothing", async () => {
    const { id, path, stateOf } = await newInstalled("Tried marks");
    const before = await stateOf();

    const yanked = await send<MarkedVersionPayload>("PATCH", `${path}/versions/1.1.0`, {
      yanked: true,
      reason: "It is wrong",
      dryRun: true,
    });
    assert.equal(yanked.data.state, "yanked");
    assert.equal(getting(yanked.data.reach), 2);
    const deprecated = await send<MarkedVersionPayload>("PATCH", `${path}/versions/1.0.0`, {
      deprecated: "Use 1.1.0",
      dryRun: true,
    });
    assert.equal(deprecated.data.deprecated, "Use 1.1.0");
    assert.equal(getting(deprecated.data.reach), 1);
    const whole = await send<ChangedSkillPayload>("PUT", path, { deprecated: "Use another", dryRun: true });
    assert.equal(getting(whole.data.reach), 2);
    const reverted = await send<RevertedSkillPayload>("POST", `${path}/revert`, {
      version: "1.0.0",
      dryRun: true,
    });
    assert.equal(reverted.data.currentSemver, "1.0.0");
    assert.deepEqual(reverted.data.reach?.spread, { machines: 1, of: 2 });

    assert.equal(await stateOf(), before);
    const events = await service.app.storage.database.raw
      .collection("auditEvents")
      .countDocuments({ resourceId: id, name: /yank|deprecat|revert/ });
    assert.equal(events, 0);
  });

  it("of undoing a yank counts those who would get the version again", async () => {
    const { path } = await newInstalled("Tried undo");
    await send("PATCH", `${path}/versions/1.1.0`, { yanked: true, reason: "It is wrong" });

    const { data } = await send<MarkedVersionPayload>("PATCH", `${path}/versions/2`, {
      yanked: false,
      dryRun: true,
    });
    assert.equal(data.state, "published");
    assert.deepEqual([data.reach?.isLatest, getting(data.reach)], [true, 2]);
  });

  it("of a channel counts those who follow it", async () => {
    const { id, path } = await newInstalled("Tried channel");
    await send("PUT", `${path}/channels/stable`, { version: 1 });
    await send("PUT", `/api/skills/${id}/installs`, {
      platform: "claude",
      scope: "global",
      machine: "follower",
      version: 1,
      range: "stable",
    });

    const { data } = await send<ChangedChannelPayload>("PUT", `${path}/channels/stable`, {
      version: 2,
      dryRun: true,
    });
    assert.deepEqual([data.semver, data.reach?.pins.channel.machines, getting(data.reach)], ["1.1.0", 1, 3]);
    const current = await send<SkillReachPayload>("GET", `${path}/reach?version=stable`, undefined);
    assert.deepEqual([current.data.semver, current.data.pins.channel.machines], ["1.0.0", 1]);
    const deletion = () =>
      send<DeletedChannelPayload>("DELETE", `${path}/channels/stable?dryRun=true`, undefined);
    for (let i = 0; i < 2; i++) {
      const planned = await deletion();
      assert.deepEqual([planned.data.semver, planned.data.reach?.pins.channel.machines], ["1.0.0", 1]);
    }
    const yank = { yanked: true, reason: "No", dryRun: true };
    assert.equal((await send("PATCH", `${path}/versions/1`, yank)).code, "refused");
    const deleted = await send<DeletedChannelPayload>("DELETE", `${path}/channels/stable`, undefined);
    assert.deepEqual([deleted.data.name, deleted.data.reach], ["stable", undefined]);
    assert.equal((await deletion()).code, "not_found");
  });

  it("of a move has the reach of the current version", async () => {
    const { path } = await newInstalled("Tried move");

    const { data } = await send<MovedSkillPayload>("POST", `${path}/move`, {
      folder: "Elsewhere",
      createFolders: true,
      dryRun: true,
    });
    assert.equal(data.reach?.semver, "1.1.0");
    assert.equal(getting(data.reach), 2);
    assert.equal(
      (await send<MovedSkillPayload>("POST", `${path}/move`, { folder: "/" })).data.reach,
      undefined,
    );
  });

  it("of a publish has the reach of the next version, and says that a review rule would hold it", async () => {
    const { path, slug } = await newInstalled("Tried publish");
    const digests = { format: "markdown", hash: "0".repeat(64) };
    const plan = { ...digests, tenantId: org.slug, mode: "update", name: "Tried publish" };

    const pushed = await send<VersionPlan>("POST", `${path}/versions/plan`, { ...digests, bump: "major" });
    assert.deepEqual([pushed.data.semver, getting(pushed.data.reach)], ["2.0.0", 1]);
    assert.equal(pushed.data.reach?.version, undefined);
    assert.equal(pushed.data.holdNotice, undefined);
    const rule = { approvals: 1 };
    await send("PUT", `/api/tenants/${org.slug}/review-rules/root`, rule);
    const held = await send<VersionPlan>("POST", `${path}/versions/plan`, digests);
    const published = await send<PublishPlan>("POST", "/api/skills/plan", plan);
    assert.equal(published.data.skill.slug, slug);
    for (const { data } of [held, published]) {
      assert.match(data.holdNotice ?? "", /^1\.1\.1 waits for a review:/);
      assert.equal(getting(data.reach), 1);
    }
    const created = await send<PublishPlan>("POST", "/api/skills/plan", {
      ...plan,
      mode: "create",
      name: "Tried new",
    });
    assert.match(created.data.holdNotice ?? "", /^1\.0\.0 waits for a review:/);
    assert.equal(created.data.reach, undefined);
    await send("DELETE", `/api/tenants/${org.slug}/review-rules/root`, undefined);
  });

  it("is refused like the change itself", async () => {
    const { path } = await newInstalled("Tried refused");
    const stranger = await service.newUser();
    await send("PUT", path, { visibility: "public" });

    const yank = { yanked: true, reason: "No", dryRun: true };
    assert.equal((await send("PATCH", `${path}/versions/1`, yank, stranger.token)).code, "forbidden");
    const revert = { version: 1, dryRun: true };
    assert.equal((await send("POST", `${path}/revert`, revert, stranger.token)).code, "forbidden");
    assert.equal((await send("PATCH", `${path}/versions/9.9.9`, yank)).code, "not_found");
    await send("PATCH", `${path}/versions/1`, { yanked: true, reason: "No" });
    assert.equal((await send("POST", `${path}/revert`, revert)).code, "refused");
  });
});
