import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import type { PublishResult, SkillDetailPayload } from "../../contract/payloads/skills/skills.ts";
import type { AnalyticsPayload } from "../../contract/payloads/usage/analytics.ts";
import { flushDownloads } from "../../src/analytics/downloads.ts";
import type { EventRow } from "../../storage/outbox.ts";
import { processors } from "../../workers/processors.ts";
import { startService, type TestService } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, clock, owner, org } = await setUpOrganization();

let sequence = 0;
async function publish(fields: object = {}): Promise<PublishResult> {
  const made = await service.call<PublishResult>("POST", "/api/skills", {
    token: owner.token,
    body: { tenantId: org.slug, name: `living ${++sequence}`, content: "one\n", ...fields },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.data;
}
const push = (id: string, content: string) =>
  service.call("POST", `/api/skills/${id}/versions`, { token: owner.token, body: { content } });
const del = (id: string) => service.call("DELETE", `/api/skills/${id}`, { token: owner.token });
const rows = (name: string, filter: object) =>
  service.app.storage.database.raw.collection(name).find(filter).toArray();
const events = async (resourceId: string) =>
  ((await rows("audit_events", { resourceId })) as unknown[] as EventRow[])
    .sort((a, b) => (a._id < b._id ? -1 : 1))
    .map((event) => event.name);
const repoPath = (skillId: string) => service.app.repos.materialize({ tenantId: org.id, skillId });
const job = () => processors(service.app);

describe("settings of a skill", () => {
  it("can be changed by name, which keeps slug, type and versions", async () => {
    const { skill } = await publish();

    const updated = await service.call<SkillDetailPayload>("PUT", `/api/skills/${skill.id}`, {
      token: owner.token,
      body: { name: "Renamed", description: "Better.", tags: ["A", "a"], visibility: "public" },
    });

    const { name, slug, description, tags, visibility, currentVersion } = updated.data;
    assert.deepEqual(
      { name, slug, description, tags, visibility, currentVersion },
      {
        name: "Renamed",
        slug: skill.slug,
        description: "Better.",
        tags: ["a"],
        visibility: "public",
        currentVersion: 1,
      },
    );
    await service.settled();
    const found = await service.call<unknown[]>("GET", "/api/explore?query=renamed");
    assert.equal(found.data.length, 1);
  });

  it("reject type, organization, content, unknown fields and an empty change", async () => {
    const { skill } = await publish();

    for (const body of [
      {},
      { type: "rule" },
      { tenantId: org.id },
      { content: "x" },
      { slug: "other" },
      { name: "" },
      { name: "x".repeat(101) },
      { name: "two\nlines" },
      { description: "x".repeat(2049) },
      { tags: ["1", "2", "3", "4", "5", "6"] },
      { tags: ["x".repeat(51)] },
      { tags: [""] },
      { tags: "one" },
      { visibility: "secret" },
      { visibility: null },
    ]) {
      const answer = await service.call("PUT", `/api/skills/${skill.id}`, { token: owner.token, body });
      assert.equal(answer.code, "invalid_request", JSON.stringify(body));
    }
    assert.deepEqual((await events(skill.id)).length <= 1, true);
  });
});

describe("deleting a skill", () => {
  it("hides it at once, and erases everything but the audit trail and the reservation of its slug", async () => {
    const { skill } = await publish({ name: "Short life", visibility: "public" });
    await push(skill.id, "two\n");
    await service
      .raw("GET", `/api/skills/${skill.id}/package`, { token: owner.token })
      .then((r) => r.arrayBuffer());
    flushDownloads(service.app);
    await service.settled();
    const folder = await repoPath(skill.id);
    const other = await publish();

    const deleted = await del(skill.id);

    assert.deepEqual(deleted.body, { success: true });
    for (const ref of [skill.id, skill.publicId, `${org.slug}~${skill.slug}`])
      assert.equal(
        (await service.call("GET", `/api/skills/${ref}`, { token: owner.token })).code,
        "not_found",
      );
    assert.equal((await del(skill.id)).code, "not_found");
    assert.equal((await service.call<unknown[]>("GET", "/api/explore?query=short")).data.length, 0);
    const again = await publish({ name: "Short life" });
    assert.equal(again.skill.slug, "short-life-2");
    assert.notEqual(again.skill.id, skill.id);

    await service.settled();
    await job()["maintenance.erase-skill"]({ tenantId: org.id, skillId: skill.id });

    assert.equal(existsSync(folder), false);
    assert.equal(await service.app.repos.exists({ tenantId: org.id, skillId: skill.id }), false);
    assert.deepEqual(await rows("download_batches", { "rows.skillId": skill.id }), []);
    for (const name of ["skills", "versions", "manifests", "daily_downloads"])
      assert.deepEqual(
        await rows(name, { $or: [{ _id: skill.id as never }, { skillId: skill.id }] }),
        [],
        name,
      );
    assert.deepEqual(await events(skill.id), ["skill.created", "skill.version_created", "skill.deleted"]);
    await job()["maintenance.erase-skill"]({ tenantId: org.id, skillId: skill.id });
    for (const { skill: kept } of [again, other]) {
      const read = await service.call("GET", `/api/skills/${kept.id}/content`, { token: owner.token });
      assert.equal(read.status, 200);
    }
  });

  it("queues the erasure; the job does nothing to a skill that is not deleted", async () => {
    const { skill } = await publish();
    const queued: string[] = [];
    const { enqueue } = service.app.queue;
    service.app.queue.enqueue = async (name, payload, options) => {
      // Its organization's storage is counted again, too, and the new version is scanned.
      if (name !== "orgs.count-storage" && name !== "scans.run")
        queued.push(`${name} ${JSON.stringify(payload)}`);
      return enqueue(name, payload, options);
    };
    const { skill: doomed } = await publish();

    await job()["maintenance.erase-skill"]({ tenantId: org.id, skillId: skill.id });
    await job()["maintenance.erase-skill"]({ tenantId: org.id, skillId: service.app.newId() });
    await del(doomed.id);
    await service.settled();
    service.app.queue.enqueue = enqueue;

    assert.deepEqual(queued, [
      `maintenance.erase-skill ${JSON.stringify({ tenantId: org.id, skillId: doomed.id })}`,
    ]);
    const read = await service.call("GET", `/api/skills/${skill.id}/content`, { token: owner.token });
    assert.equal(read.status, 200);
  });

  it("makes concurrent pushes fail without leaving a trace", async () => {
    const { skill } = await publish();

    const answers = await Promise.all([
      ...Array.from({ length: 4 }, (_, i) => push(skill.id, `push ${i}\n`)),
      del(skill.id),
    ]);

    for (const answer of answers.slice(0, 4))
      assert.ok([201, 404].includes(answer.status), String(answer.status));
    await service.settled();
    await job()["maintenance.reconcile"]({});
    assert.deepEqual(await rows("versions", { skillId: skill.id }), []);
  });
});

describe("recovery after a crash", () => {
  let restore: (() => void)[] = [];
  /** A second process, on the same database and repositories. */
  let next: TestService;
  before(async () => {
    next = await startService({
      gitRoot: service.app.config.gitRoot,
      now: () => new Date(Date.now() + clock.aheadMs),
    });
  });
  after(() => next.close());
  afterEach(() => {
    for (const undo of restore.splice(0)) undo();
  });
  /** From here on, this process projects nothing, as if it had ended right after its last response. */
  function crashAfterResponses(): void {
    const { skills } = service.app.storage;
    const { listToProject } = skills;
    skills.listToProject = () => Promise.reject(new Error("this process has ended"));
    restore.push(() => (skills.listToProject = listToProject));
  }
  async function reconcile(): Promise<void> {
    clock.aheadMs += 10_000;
    await processors(next.app)["maintenance.reconcile"]({});
  }

  it("is not needed by readers: reads succeed before anything is projected", async () => {
    crashAfterResponses();
    const { skill } = await publish({ visibility: "public" });
    await push(skill.id, "two\n");
    await push(skill.id, "three\n");

    for (const [query, content] of [
      ["", "three\n"],
      ["?version=1", "one\n"],
      ["?semver=1.0.1", "two\n"],
      ["?range=%5E1.0.0", "three\n"],
    ]) {
      const read = await service.call<{ content: string }>("GET", `/api/skills/${skill.id}/content${query}`);
      assert.equal(read.data.content, content);
    }
    const list = await service.call<{ version: number }[]>("GET", `/api/skills/${skill.id}/versions?limit=2`);
    const rest = await service.call<{ version: number }[]>(
      "GET",
      `/api/skills/${skill.id}/versions?limit=2&cursor=${list.nextCursor}`,
    );
    assert.deepEqual(
      [...list.data, ...rest.data].map((v) => v.version),
      [3, 2, 1],
    );
    assert.deepEqual(await rows("versions", { skillId: skill.id }), []);
  });

  it("is done by the reconcile job, with each event exactly once", async () => {
    crashAfterResponses();
    const { skill } = await publish();
    await push(skill.id, "two\n");
    await service.call("PUT", `/api/skills/${skill.id}`, { token: owner.token, body: { description: "d" } });
    await service.call("POST", `/api/skills/${skill.id}/revert`, {
      token: owner.token,
      body: { version: 1 },
    });
    assert.deepEqual(await events(skill.id), []);

    await reconcile();
    await reconcile();

    assert.deepEqual(await events(skill.id), [
      "skill.created",
      "skill.version_created",
      "skill.updated",
      "skill.version_reverted",
    ]);
    const [stored] = await rows("skills", { _id: skill.id as never });
    assert.deepEqual([stored!["outbox"], stored!["pending"], stored!["pendingSince"]], [[], [], undefined]);
    assert.equal((await rows("versions", { skillId: skill.id })).length, 2);
    const refs = await service.app.repos.readRefs({ tenantId: org.id, skillId: skill.id });
    assert.deepEqual(refs.tags.map((tag) => tag.name).sort(), ["v1.0.0", "v1.0.1"]);
    assert.equal(refs.main, refs.tags.find((tag) => tag.name === "v1.0.0")!.oid);
    assert.equal(refs.head, refs.tags.find((tag) => tag.name === "v1.0.1")!.oid);
  });

  it("continues with other skills when one can't be repaired", async () => {
    crashAfterResponses();
    const broken = await publish();
    const sound = await publish();
    const { advanceRefs } = next.app.repos;
    next.app.repos.advanceRefs = (repo, read) =>
      repo.skillId === broken.skill.id ? Promise.reject(new Error("disk trouble")) : advanceRefs(repo, read);
    restore.push(() => (next.app.repos.advanceRefs = advanceRefs));

    await reconcile();

    assert.deepEqual(await events(sound.skill.id), ["skill.created"]);
    next.app.repos.advanceRefs = advanceRefs;
    await reconcile();
    assert.deepEqual(await events(broken.skill.id), ["skill.created"]);
  });

  it("queues missing deletion jobs and erases repositories without a skill", async () => {
    crashAfterResponses();
    const { skill } = await publish();
    await del(skill.id);
    const orphan = { tenantId: org.id, skillId: service.app.newId() };
    const [doomed] = await rows("skills", { _id: skill.id as never });
    await service.app.repos.writeCommit(orphan, {
      author: { name: "x", email: "x@example.org" },
      at: new Date(),
      message: "never acknowledged",
      trailers: {},
      source: { kind: "files", files: [{ path: "SKILL.md", mode: "100644", data: Buffer.from("x") }] },
    });

    await publish();
    await publish();
    await reconcile();
    const young = await service.app.repos.exists(orphan);
    clock.aheadMs += 25 * 3_600_000;
    await reconcile();

    assert.ok(doomed);
    assert.deepEqual(await rows("skills", { _id: skill.id as never }), []);
    assert.equal(await service.app.repos.exists({ tenantId: org.id, skillId: skill.id }), false);
    assert.equal(young, true, "it could belong to a publish under way");
    assert.equal(await service.app.repos.exists(orphan), false);
    assert.deepEqual(await events(skill.id), ["skill.created", "skill.deleted"]);
    assert.ok(existsSync(path.dirname(await repoPath((await publish()).skill.id))));
  });

  it("erases no repository when the database lacks most of the skills", async () => {
    const made = [await publish(), await publish(), await publish()];
    const { skills } = next.app.storage;
    const { exists } = skills;
    skills.exists = async (id) => id === made[0]!.skill.id;
    restore.push(() => (skills.exists = exists));

    clock.aheadMs += 25 * 3_600_000;
    await reconcile();

    for (const { skill } of made)
      assert.ok(await service.app.repos.exists({ tenantId: org.id, skillId: skill.id }));
  });

  it("leaves nothing of a publish that failed before the skill was created", async () => {
    const { insert } = service.app.storage.skills;
    service.app.storage.skills.insert = () => Promise.reject(new Error("engine trouble"));
    restore.push(() => (service.app.storage.skills.insert = insert));

    const failed = await service.call("POST", "/api/skills", {
      token: owner.token,
      body: { tenantId: org.slug, name: "Never was", content: "x\n" },
    });
    service.app.storage.skills.insert = insert;
    clock.aheadMs += 25 * 3_600_000;
    await reconcile();

    assert.deepEqual([failed.status, failed.code], [500, "internal"]);
    assert.doesNotMatch(failed.error!, /engine trouble/);
    const repos = [];
    for await (const repo of service.app.repos.listRepos()) repos.push(repo.skillId);
    const known = (await rows("skills", {})).map((row) => String(row._id));
    assert.deepEqual(
      repos.filter((id) => !known.includes(id)),
      [],
    );
  });
});

describe("counting downloads", () => {
  it("counts by source, and stores no plain address", async () => {
    const { skill } = await publish({ visibility: "public" });
    const read = (options: object, part = "content") =>
      service.raw("GET", `/api/skills/${skill.id}/${part}`, options).then((answer) => answer.arrayBuffer());
    await read({});
    await read({ token: owner.token });
    await read({ token: owner.token, headers: { "x-svc-client": "cli" } });
    await read({ headers: { "x-svc-client": "cli" } }, "package");
    await read({ cookie: owner.cookie });
    await read({}, "manifest");
    await read({}, "files/SKILL.md");
    await service.raw("HEAD", `/api/skills/${skill.id}/content`);
    await service.raw("HEAD", `/api/skills/${skill.id}/package`);
    flushDownloads(service.app);
    await service.settled();

    const shape = await service.call<AnalyticsPayload>("GET", `/api/skills/${skill.id}/analytics?days=3`, {
      token: owner.token,
    });

    const today = service.app.now().toISOString().slice(0, 10);
    assert.equal(shape.data.total, 5);
    assert.equal(shape.data.last7Days, 5);
    assert.equal(shape.data.last30Days, 5);
    assert.equal(shape.data.daily.length, 3);
    assert.deepEqual(shape.data.daily.at(-1), { date: today, cli: 2, web: 1, api: 2 });
    assert.deepEqual(shape.data.daily[0], { ...shape.data.daily[0], cli: 0, web: 0, api: 0 });
    clock.aheadMs += 10 * 86_400_000;
    const later = await service.call<AnalyticsPayload>("GET", `/api/skills/${skill.id}/analytics`, {
      token: owner.token,
    });
    assert.deepEqual([later.data.total, later.data.last7Days, later.data.last30Days], [5, 0, 5]);
    assert.equal(later.data.daily.length, 30);
    for (const days of ["0", "366", "x", "1.5"]) {
      const answer = await service.call("GET", `/api/skills/${skill.id}/analytics?days=${days}`, {
        token: owner.token,
      });
      assert.equal(answer.code, "invalid_request", days);
    }
    const { raw } = service.app.storage.database;
    for (const { name } of await raw.listCollections().toArray()) {
      // Statements contain the address of the service, which is local in tests.
      const text = JSON.stringify(await raw.collection(name).find().toArray()).replaceAll(service.url, "");
      assert.doesNotMatch(text, /127\.0\.0\.1|::1"|::ffff/, name);
    }
    const [batch] = await rows("download_batches", { "rows.skillId": skill.id });
    for (const row of batch!["rows"] as { ipHash?: string }[])
      assert.match(String(row.ipHash), /^[\w-]{20,}$/);
  });
});
