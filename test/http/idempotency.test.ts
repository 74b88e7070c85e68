import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { PublishResult, VersionResult } from "../../contract/payloads/skills/skills.ts";
import { idempotencyStore } from "../../src/http/request/idempotency-store.ts";
import { appendVersion } from "../../src/skills/publish/append-version.ts";
import { readTextSource } from "../../src/skills/publish/content/text-source.ts";
import { loadUserActor } from "../../src/users/load.ts";
import { computeHere } from "../support/compute/compute-here.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { makePackage } from "../support/zip.ts";

let sequence = 0;

const { service, clock, owner, org } = await setUpOrganization();

const newKey = () => `key-${String(++sequence).padStart(8, "0")}`;
const publish = (key: string, fields: object = {}, credentials: object = { token: owner.token }) =>
  service.call<PublishResult>("POST", "/api/skills", {
    ...credentials,
    body: { tenantId: org.slug, name: "Once", content: "once\n", ...fields },
    headers: { "idempotency-key": key },
  });
const versionsOf = (skillId: string) =>
  service.app.storage.database.raw.collection("versions").countDocuments({ skillId });

describe("Idempotency-Key", () => {
  it("repeats the first response, and does nothing a second time", async () => {
    const key = newKey();

    const first = await publish(key, { name: "First result" });
    await publish(newKey(), { name: "First result", content: "changed in between\n" });
    const again = await publish(key, { name: "First result" });

    assert.equal(first.status, 201);
    assert.equal(again.status, 201);
    assert.deepEqual(again.data, first.data);
    await service.settled();
    assert.equal(await versionsOf(first.data.skill.id), 2);
  });

  it("applies to every call that creates something, with its path", async () => {
    const one = (await publish(newKey(), { name: "Path one" })).data.skill;
    const two = (await publish(newKey(), { name: "Path two" })).data.skill;
    const key = newKey();
    const push = (id: string) =>
      service.call<VersionResult>("POST", `/api/skills/${id}/versions`, {
        token: owner.token,
        body: { content: "pushed\n" },
        headers: { "idempotency-key": key },
      });
    const tokenKey = newKey();
    const mint = () =>
      service.call<{ token: string; id: string }>("POST", "/api/user/tokens", {
        cookie: owner.cookie,
        body: { name: "once" },
        headers: { "idempotency-key": tokenKey },
      });

    const [first, again, other] = [await push(one.id), await push(one.id), await push(two.id)];
    const [minted, mintedAgain] = [await mint(), await mint()];

    assert.equal(first.data.id, again.data.id);
    assert.deepEqual([other.status, other.code], [409, "conflict"], "another skill is another call");
    assert.deepEqual([minted.status, mintedAgain.code], [201, "conflict"], "a secret is shown once");
    const kept = await service.app.storage.database.raw.collection("idempotency").find().toArray();
    assert.ok(!JSON.stringify(kept).includes(minted.data.token.slice(4)), "secrets are not kept");
  });

  it("rejects the key with another body, and during the first call", async () => {
    const key = newKey();
    await publish(key, { name: "Another body" });
    const running = newKey();
    const { insert } = service.app.storage.skills;
    let go: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    service.app.storage.skills.insert = async (skill) => {
      await gate;
      return insert(skill);
    };

    const other = await publish(key, { name: "Another body", content: "other\n" });
    const slow = publish(running, { name: "Slow" });
    for (let i = 0; i < 100; i++) {
      const count = await service.app.storage.database.raw
        .collection("idempotency")
        .countDocuments({ status: { $exists: false } });
      if (count > 0) break;
      await new Promise((done) => setTimeout(done, 10));
    }
    const second = await publish(running, { name: "Slow" });
    go!();
    service.app.storage.skills.insert = insert;
    const first = await slow;
    const third = await publish(running, { name: "Slow" });

    assert.deepEqual([other.status, other.code], [409, "conflict"]);
    assert.deepEqual([second.status, second.code], [409, "conflict"]);
    assert.equal(first.status, 201);
    assert.deepEqual(third.data, first.data);
  });

  it("belongs to the next attempt soon after its process crashed, with the id that the first one had", async () => {
    const at = (ms: number) => idempotencyStore({ ...service.app, now: () => new Date(Date.now() + ms) });
    const claimed = await at(0).claim("crashed", "hash");
    assert.ok("creation" in claimed);

    assert.deepEqual(await at(10_000).claim("crashed", "hash"), { bodyHash: "hash", answer: undefined });
    const next = await at(21_000).claim("crashed", "hash");

    assert.deepEqual(next, { creation: { id: claimed.creation.id, isRetry: true } });
  });

  it("executes one of many concurrent calls", async () => {
    const key = newKey();

    const answers = await Promise.all(Array.from({ length: 10 }, () => publish(key, { name: "At once" })));

    const made = answers.filter((answer) => answer.status === 201);
    assert.ok(made.length >= 1);
    assert.equal(new Set(made.map((answer) => answer.data.version.id)).size, 1);
    for (const answer of answers) assert.ok([201, 409].includes(answer.status));
  });

  it("belongs to the caller: another user or another credential starts a new call", async () => {
    const key = newKey();
    const first = await publish(key, { name: "Whose" });
    const stranger = await service.newUser();

    const theirs = await publish(key, { name: "Whose" }, { token: stranger.token });
    const bySession = await publish(key, { name: "Whose" }, { cookie: owner.cookie });

    assert.equal(theirs.code, "not_found");
    assert.equal(bySession.data.version.version, 2, "it ran again");
    assert.equal(bySession.data.skill.id, first.data.skill.id);
  });

  it("stores no failure, so that the call can be retried", async () => {
    const key = newKey();

    const failed = await publish(key, { name: "Tried twice", semver: "1.0.0-beta.1" });
    const retried = await publish(key, { name: "Tried twice" });

    assert.equal(failed.code, "refused");
    assert.equal(retried.status, 201);
  });

  it("expires after a day, or after minutes if the process crashed during the call", async () => {
    const key = newKey();
    const first = await publish(key, { name: "A day" });
    clock.aheadMs += limits.idempotencyMs - 60_000;
    const within = await publish(key, { name: "A day" });
    clock.aheadMs += 120_000;
    const nextDay = await publish(key, { name: "A day" });
    const stuck = newKey();
    const { complete } = service.app.storage.idempotency;
    service.app.storage.idempotency.complete = () => Promise.reject(new Error("ended here"));
    const interrupted = await publish(stuck, { name: "Stuck" });
    service.app.storage.idempotency.complete = complete;
    const soon = await publish(stuck, { name: "Stuck" });
    clock.aheadMs += 11 * 60_000;
    const later = await publish(stuck, { name: "Stuck" });

    assert.deepEqual(within.data, first.data);
    assert.equal(nextDay.data.version.version, 2, "it ran again");
    assert.deepEqual([interrupted.code, soon.code], ["internal", "conflict"]);
    assert.deepEqual([later.data.action, later.data.version.version], ["created", 1]);
    await service.settled();
    assert.equal(await versionsOf(later.data.skill.id), 1);
  });

  const interrupt = async <T>(key: string, call: (key: string) => Promise<T>) => {
    const { complete } = service.app.storage.idempotency;
    service.app.storage.idempotency.complete = () => Promise.reject(new Error("ended here"));
    await call(key);
    service.app.storage.idempotency.complete = complete;
    clock.aheadMs += 11 * 60_000;
    return call(key);
  };

  it("finds the package of an interrupted attempt that consumed its upload", async () => {
    const upload = await service.upload(owner, makePackage("packed"));
    const body = { tenantId: org.slug, uploadId: upload };
    const pack = (key: string) =>
      service.call<PublishResult>("POST", "/api/skills", {
        token: owner.token,
        body,
        headers: { "idempotency-key": key },
      });

    const { status, data } = await interrupt(newKey(), async (key) => {
      const answer = await pack(key);
      await service.settled();
      return answer;
    });

    assert.equal(status, 201);
    assert.deepEqual([data.action, data.version.version], ["created", 1]);
    assert.equal(await versionsOf(data.skill.id), 1);
  });

  it("creates one version in two concurrent attempts of one call", async () => {
    const made = (await publish(newKey(), { name: "Twins" })).data.skill;
    await service.settled();
    const { skills } = service.app.storage;
    const skill = (await skills.find(made.id))!;
    const source = await readTextSource(computeHere, "twice\n", "skill");
    const versionId = service.app.newId();
    const actor = await loadUserActor(
      service.app,
      owner.id,
      { kind: "session", sessionId: "" },
      { ipHash: undefined, source: "api", client: "api" },
    );
    const append = () => appendVersion(service.app, actor!, skill, source, { versionId });

    const first = await append();
    await service.settled();
    const second = await append();

    assert.equal(second.version._id, first.version._id);
    assert.equal((await skills.find(made.id))!.head.version, 2);
    await service.settled();
    assert.equal(await versionsOf(made.id), 2);
  });

  it("continues with what an interrupted attempt has created", async () => {
    const made = (await publish(newKey(), { name: "Interrupted" })).data.skill;
    const push = (key: string) =>
      service.call<VersionResult>("POST", `/api/skills/${made.id}/versions`, {
        token: owner.token,
        body: { content: "once\n", bump: "minor" },
        headers: { "idempotency-key": key },
      });

    const pushed = await interrupt(newKey(), push);
    const appended = await interrupt(newKey(), (key) => publish(key, { name: "Interrupted" }));
    const created = await interrupt(newKey(), (key) => publish(key, { name: "Fresh", mode: "create" }));
    const otherBody = newKey();
    await interrupt(otherBody, (key) => publish(key, { name: "Interrupted" }));
    const reused = await publish(otherBody, { name: "Interrupted", content: "other\n" });

    assert.deepEqual([pushed.data.version, pushed.data.semver], [2, "1.1.0"]);
    assert.deepEqual([appended.data.action, appended.data.version.version], ["updated", 3]);
    assert.deepEqual([created.data.action, created.data.version.version], ["created", 1]);
    assert.equal(reused.code, "conflict");
    await service.settled();
    assert.equal(await versionsOf(made.id), 4);
    assert.equal(await versionsOf(created.data.skill.id), 1);
  });

  it("creates two versions for two keys with the same bytes", async () => {
    const first = await publish(newKey(), { name: "Deliberate" });
    const keys = [newKey(), newKey()];

    const both = await Promise.all(keys.map((key) => publish(key, { name: "Deliberate" })));
    const again = await Promise.all(keys.map((key) => publish(key, { name: "Deliberate" })));

    assert.deepEqual(
      both.map(({ data }) => data.version.version).sort((a, b) => a - b),
      [2, 3],
    );
    assert.deepEqual(
      again.map(({ data }) => data.version.id),
      both.map(({ data }) => data.version.id),
    );
    await service.settled();
    assert.equal(await versionsOf(first.data.skill.id), 3);
  });

  it("consists of 8 to 128 visible characters", async () => {
    for (const key of ["short", "x".repeat(129), "has space in it"])
      assert.equal((await publish(key, { name: "Bad key" })).code, "invalid_request", key);
  });
});
