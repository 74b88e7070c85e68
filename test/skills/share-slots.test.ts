/** The share slots of an anonymous identity: exact under concurrency, and repaired after a crash. */
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { eraseSkill } from "../../src/skills/settings/erase.ts";
import { purge } from "../../workers/maintenance/purge.ts";
import { reconcile } from "../../workers/maintenance/reconcile.ts";
import {
  listShares,
  newIdentity,
  removeShare,
  share,
  shareText,
  type Identity,
} from "../support/anonymous.ts";
import { setUpService } from "../support/set-up.ts";

const hourMs = 3_600_000;
const most = limits.anonymousShares;

let identity: Identity;

const { service, clock } = await setUpService();

beforeEach(async () => {
  clock.aheadMs = 0;
  identity = await newIdentity(service);
});

const text = (name: string, content = `# ${name}\n`) => ({ name, content });
const shared = (name: string, by = identity) => shareText(service, by, name);
const own = (by = identity) => listShares(service, by);
const placesOf = async (by = identity) => (await service.app.storage.anonymousIdentities.find(by.id))!.shares;
const remove = (skill: SkillPayload, by = identity) => removeShare(service, by, skill);

describe("the limit of shares", () => {
  it("is exact for concurrent calls, and their slugs differ", async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => share(service, identity, text("At once", `${i}\n`))),
    );

    const made = answers.filter(({ status }) => status === 201);
    assert.equal(made.length, most);
    assert.equal(new Set(made.map(({ data }) => data.skill.slug)).size, most);
    for (const { status, code, details } of answers)
      if (status !== 201) {
        assert.equal(code, "limit_reached");
        assert.deepEqual(details, { kind: "skill", limit: most, reason: "shares" });
      }
    assert.equal((await own()).length, most);
    for (const { reservedAt } of await placesOf()) assert.equal(reservedAt, undefined);
  });

  it("frees a deleted share's slot and slug at once, for exactly one other share", async () => {
    const skills: SkillPayload[] = [];
    for (let i = 0; i < most; i++) skills.push(await shared(`Share ${i}`));
    assert.equal((await share(service, identity, text("One more"))).code, "limit_reached");
    assert.equal((await share(service, identity, text("Share 3"))).data.unchanged, true);

    assert.equal((await remove(skills[3]!)).status, 200);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => share(service, identity, text("Share 3", `new ${i}\n`))),
    );

    const made = answers.filter(({ status }) => status === 201);
    assert.deepEqual(
      made.map(({ data }) => data.skill.slug),
      ["share-3"],
    );
    assert.equal((await own()).length, most);
  });

  it("holds while shares are created and deleted concurrently", async () => {
    await Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        for (let round = 0; round < 3; round++) {
          const answer = await share(service, identity, text("Churn", `${i} ${round}\n`));
          assert.ok(answer.status === 201 || answer.code === "limit_reached", JSON.stringify(answer.body));
          assert.ok((await own()).length <= most);
          if (answer.status === 201) assert.equal((await remove(answer.data.skill)).status, 200);
        }
      }),
    );

    assert.deepEqual(await own(), []);
    assert.deepEqual(await placesOf(), []);
  });

  it("does not count a share that failed", async () => {
    const { repos } = service.app;
    const { writeCommit } = repos;
    repos.writeCommit = () => Promise.reject(new Error("the disk is gone"));
    try {
      assert.equal((await share(service, identity, text("Fails"))).code, "internal");
    } finally {
      repos.writeCommit = writeCommit;
    }
    assert.deepEqual(await placesOf(), []);
    assert.equal((await shared("Fails")).slug, "fails");
  });
});

describe("recovery of shares after a crash", () => {
  it("frees a slot without a skill once no request can still use it", async () => {
    const place = { skillId: service.app.newId(), slug: "lost", reservedAt: service.app.now() };
    await service.app.storage.anonymousIdentities.reserveSlot(identity.id, place, most);
    await reconcile(service.app);
    assert.equal((await placesOf()).length, 1, "a share may be under way");

    clock.aheadMs = hourMs;
    await reconcile(service.app);

    assert.deepEqual(await placesOf(), []);
  });

  it("confirms the slot of a skill if it was only reserved", async () => {
    const { confirmSlot } = service.app.storage.anonymousIdentities;
    service.app.storage.anonymousIdentities.confirmSlot = () => Promise.reject(new Error("stopped here"));
    try {
      assert.equal((await share(service, identity, text("Stopped"))).code, "internal");
    } finally {
      service.app.storage.anonymousIdentities.confirmSlot = confirmSlot;
    }
    assert.notEqual((await placesOf())[0]!.reservedAt, undefined);

    clock.aheadMs = hourMs;
    await reconcile(service.app);

    assert.deepEqual(
      (await placesOf()).map(({ slug, reservedAt }) => [slug, reservedAt]),
      [["stopped", undefined]],
    );
    assert.equal((await own()).length, 1);
  });

  it("frees the slot of a deleted skill when the skill is erased", async () => {
    const skill = await shared("Half deleted");
    const { releaseSlot } = service.app.storage.anonymousIdentities;
    service.app.storage.anonymousIdentities.releaseSlot = () => Promise.reject(new Error("stopped here"));
    try {
      assert.equal((await remove(skill)).status, 200, "it is deleted all the same");
    } finally {
      service.app.storage.anonymousIdentities.releaseSlot = releaseSlot;
    }
    assert.equal((await placesOf()).length, 1);

    await service.settled();
    await eraseSkill(service.app, { tenantId: identity.id, skillId: skill.id });

    assert.deepEqual(await placesOf(), []);
  });

  it("assigns a slot to a skill without one, as in a restored backup", async () => {
    const skill = await shared("Restored");
    await service.app.storage.anonymousIdentities.releaseSlot(identity.id, skill.id, service.app.now());
    clock.aheadMs = hourMs;
    await reconcile(service.app);

    assert.deepEqual(await placesOf(), [{ skillId: skill.id, slug: "restored" }]);
  });

  it("removes a share whose slot was given to another one in the meantime", async () => {
    const { anonymousIdentities: identities } = service.app.storage;
    const { insert } = service.app.storage.skills;
    service.app.storage.skills.insert = async (skill) => {
      service.app.storage.skills.insert = insert;
      await insert(skill);
      await identities.releaseSlot(identity.id, skill._id, service.app.now());
      for (let i = 0; i < most; i++) await shared(`Faster ${i}`);
    };

    assert.equal((await share(service, identity, text("Slow"))).code, "conflict");

    assert.equal((await own()).length, most);
    assert.ok((await own()).every(({ name }) => name.startsWith("Faster")));
  });
});

describe("an identity without shares", () => {
  it("is removed after a month unless it is registered again; one with shares is kept", async () => {
    const sharing = await newIdentity(service);
    await shared("Kept", sharing);
    const emptied = await newIdentity(service);
    await remove(await shared("Gone", emptied), emptied);
    await service.settled();

    clock.aheadMs = limits.idleIdentityMs - hourMs;
    await purge(service.app);
    assert.notEqual(await service.app.storage.anonymousIdentities.find(identity.id), null);
    clock.aheadMs = limits.idleIdentityMs + hourMs;
    await purge(service.app);

    for (const { id } of [identity, emptied])
      assert.equal(await service.app.storage.anonymousIdentities.find(id), null);
    assert.equal((await own(sharing)).length, 1);
    const answer = await share(service, identity, text("Late"));
    assert.deepEqual([answer.status, answer.details?.["reason"]], [401, "unknown_key"]);
  });
});
