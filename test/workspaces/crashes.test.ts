import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { ServiceError } from "../../src/errors.ts";
import { processors } from "../../workers/processors.ts";
import { addMember } from "../support/organization.ts";
import type { TestService, TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { makeFixture, type Fixture } from "./fixture.ts";

const { service } = await setUpService();

type Storage = TestService["app"]["storage"];

/** Simulates a crash: code that is stopped here records nothing and retries nothing. */
class Crash extends ServiceError {
  constructor() {
    super("conflict", "The process was stopped here by the test.");
  }
}

/** Makes a call to storage end as in a killed process: before it reaches the database, or right after it did. */
async function crashAt<C extends keyof Storage, M extends keyof Storage[C]>(
  [collection, method]: [C, M],
  when: "before" | "after",
  calls: number,
  run: () => Promise<unknown>,
): Promise<void> {
  const room: Storage[C] = service.app.storage[collection];
  const original = room[method];
  let count = 0;
  const stopping = async (...args: unknown[]) => {
    const isStop = ++count >= calls;
    if (isStop && when === "before") throw new Crash();
    const answer = await (original as (...args: unknown[]) => unknown).apply(room, args);
    if (isStop) throw new Crash();
    return answer;
  };
  room[method] = stopping as Storage[C][M];
  try {
    await assert.rejects(run, Crash, `${collection}.${String(method)} was called`);
  } finally {
    room[method] = original;
  }
  await service.settled();
}

/** Asserts that every member has one folder under their plain name and one event, and that nothing is left over. */
async function assertWhole(fixture: Fixture, members: TestUser[]): Promise<void> {
  const { counts } = await fixture.overview();
  assert.deepEqual(counts, { scheduled: 0, provisioned: members.length, failed: 0, left: 0, deleting: 0 });
  for (const member of members)
    assert.equal((await fixture.workspaceOf(member))?.path, `personal/${member.username}`);
  const { raw } = service.app.storage.database;
  const managed = { tenantId: fixture.org.id, "managed.kind": "workspace", deletedAt: { $exists: false } };
  assert.equal(await raw.collection("folders").countDocuments(managed), members.length);
  const provisioned = await fixture.events("personal_workspace.provisioned");
  assert.deepEqual(
    provisioned.map((event) => event.userId).sort(),
    members.map((member) => member.id).sort(),
  );
  for (const name of ["workspaces", "workspace_settings", "folder_trees"]) {
    const unsettled = await raw
      .collection<{ _id: string; tenantId?: string }>(name)
      .countDocuments({ outbox: { $ne: [] }, $or: [{ _id: fixture.org.id }, { tenantId: fixture.org.id }] });
    assert.equal(unsettled, 0, name);
  }
}

/** A later reconcile, when no claim on a document is in effect any more. */
async function reconcileLater(): Promise<void> {
  const { app } = service;
  const { now } = app;
  app.now = () => new Date(now().getTime() + 2 * 3_600_000);
  await processors(app)["maintenance.reconcile"]({});
  await service.settled();
  app.now = now;
}

describe("interrupted provisioning", () => {
  const points = [
    ["workspaces", "insertNew", "before", 1],
    ["workspaces", "insertNew", "after", 1],
    ["pathReservations", "reserve", "before", 2],
    ["pathReservations", "reserve", "after", 2],
    ["folders", "commit", "before", 1],
    ["folders", "commit", "after", 1],
    ["workspaces", "markProvisioned", "before", 1],
    ["workspaces", "markProvisioned", "after", 1],
  ] as const;

  for (const [collection, method, when, calls] of points)
    it(`continues ${when} ${collection}.${method}, under the same names and without duplicate events`, async () => {
      const fixture = await makeFixture(service);
      const members = [fixture.owner, await fixture.join(), await fixture.join()];
      const enabled = await fixture.at(fixture.owner, "POST", "/enable", {});
      assert.equal(enabled.status, 200);

      const point = [collection, method] as [typeof collection, never];
      await crashAt(point, when, calls, () => fixture.sync());
      await fixture.sync();
      await reconcileLater();

      await assertWhole(fixture, members);
    });
});

describe("interrupted enabling", () => {
  for (const [collection, method, when] of [
    ["folders", "commit", "after"],
    ["workspaceSettings", "enable", "before"],
    ["workspaceSettings", "enable", "after"],
  ] as const)
    it(`is complete at the next call, ${when} ${collection}.${method}`, async () => {
      const fixture = await makeFixture(service);
      const point = [collection, method] as [typeof collection, never];
      await crashAt(point, when, 1, async () => {
        const answer = await fixture.at(fixture.owner, "POST", "/enable", {});
        assert.equal(answer.status, 409);
        throw new Crash();
      });
      await fixture.enable();
      await reconcileLater();

      await assertWhole(fixture, [fixture.owner]);
      assert.equal((await fixture.events("personal_workspace.enabled")).length, 1);
      assert.equal((await fixture.events("personal_workspace.backfill_scheduled")).length, 1);
    });
});

describe("the events of workspaces", () => {
  it("are logged by the reconcile job if the process crashed before it", async () => {
    const fixture = await makeFixture(service);
    await fixture.enable();
    const carol = await fixture.join();
    await crashAt(["auditEvents", "record"], "before", 1, () => fixture.sync());
    await reconcileLater();
    await fixture.sync();

    const scheduled = await fixture.events("personal_workspace.provisioning_scheduled");
    assert.deepEqual(
      scheduled.map((event) => event.userId),
      [carol.id],
    );
    await assertWhole(fixture, [fixture.owner, carol]);
  });
});

describe("a member who leaves", () => {
  it("gets no grant from provisioning that is in progress", async () => {
    const fixture = await makeFixture(service);
    const alice = await fixture.join();
    await fixture.at(fixture.owner, "POST", "/enable", {});
    const { folders } = service.app.storage;
    const { commit } = folders;
    folders.commit = async (...args) => {
      folders.commit = commit;
      await fixture.leave(alice);
      return folders.commit(...args);
    };
    await fixture.sync();

    const left = await fixture.workspaceOf(alice);
    assert.equal(left?.state, "left");
    const folder = left?.folderId ? await folders.find(left.folderId) : null;
    assert.deepEqual(folder?.grants ?? [], []);
    await fixture.sync();
    assert.equal((await fixture.workspaceOf(alice))?.state, "left");
  });

  it("before there was a folder leaves only a row, which is removed", async () => {
    const fixture = await makeFixture(service);
    const alice = await fixture.join();
    await fixture.at(fixture.owner, "POST", "/enable", {});
    await crashAt(["folders", "commit"], "before", 1, () => fixture.sync());
    await fixture.leave(alice);
    await fixture.sync();
    assert.equal((await fixture.workspaceOf(alice))?.state, "left");
    const given = await fixture.at(fixture.owner, "POST", "/reassign", {
      userId: alice.id,
      toUserId: fixture.owner.id,
    });
    assert.equal(given.code, "refused");

    const { now } = service.app;
    service.app.now = () => new Date(now().getTime() + 2 * 3_600_000);
    await fixture.sync();
    service.app.now = now;

    assert.equal(await fixture.workspaceOf(alice), undefined);
  });
});

describe("interrupted reassigning and deleting", () => {
  const prepare = async () => {
    const fixture = await makeFixture(service);
    const [alice, bob] = [await fixture.join(), await fixture.join()];
    await fixture.enable();
    const made = await fixture.publish(alice, `Kept ${randomBytes(4).toString("hex")}`);
    await fixture.leave(alice);
    return { fixture, alice, bob, skill: made.data.skill };
  };
  const read = async (user: TestUser, id: string) =>
    (await service.call("GET", `/api/skills/${id}`, { token: user.token })).status;

  it("have reassigned once the tree has changed, and remove the row later", async () => {
    const { fixture, alice, bob, skill } = await prepare();
    await crashAt(["workspaces", "remove"], "before", 1, async () => {
      const body = { userId: alice.id, toUserId: bob.id };
      assert.equal((await fixture.at(fixture.owner, "POST", "/reassign", body)).status, 409);
      throw new Crash();
    });

    assert.equal(await read(bob, skill.id), 200);
    const again = await fixture.at(fixture.owner, "POST", "/reassign", {
      userId: alice.id,
      toUserId: bob.id,
    });
    assert.equal(again.code, "refused");
    const deleted = await fixture.at(fixture.owner, "DELETE", `/members/${alice.id}`);
    assert.equal(deleted.status, 200);
    await processors(service.app)["workspaces.delete"]({ tenantId: fixture.org.id, userId: alice.id });
    assert.equal(await fixture.workspaceOf(alice), undefined);
    assert.equal(await read(bob, skill.id), 200);
  });

  it("give a previous owner who rejoins after that a new folder", async () => {
    const { fixture, alice, bob, skill } = await prepare();
    await crashAt(["workspaces", "remove"], "before", 1, async () => {
      const body = { userId: alice.id, toUserId: bob.id };
      assert.equal((await fixture.at(fixture.owner, "POST", "/reassign", body)).status, 409);
      throw new Crash();
    });
    await addMember(service, fixture.org, alice, "member");
    await fixture.sync();

    assert.equal((await fixture.workspaceOf(alice))?.path, `personal/${alice.username}`);
    assert.notEqual((await fixture.overview(alice)).own?.folderId, skill.folderId);
    assert.equal(await read(alice, skill.id), 404);
    assert.equal((await fixture.publish(alice, "Anew")).status, 201);
  });

  for (const [collection, method, when, calls] of [
    ["folders", "commit", "after", 1],
    ["skills", "markDeleted", "after", 1],
    ["folders", "commit", "before", 2],
    ["folders", "commit", "after", 2],
    ["workspaces", "remove", "before", 1],
  ] as const)
    it(`delete the rest at the next attempt, ${when} call ${calls} of ${collection}.${method}`, async () => {
      const { fixture, alice, skill } = await prepare();
      const accepted = await fixture.at(fixture.owner, "DELETE", `/members/${alice.id}`);
      assert.equal(accepted.status, 200);
      const job = () =>
        processors(service.app)["workspaces.delete"]({ tenantId: fixture.org.id, userId: alice.id });
      const point = [collection, method] as [typeof collection, never];
      await crashAt(point, when, calls, job);
      await job();
      await reconcileLater();

      assert.equal(await read(fixture.owner, skill.id), 404);
      assert.equal(await fixture.workspaceOf(alice), undefined);
      assert.equal((await fixture.events("personal_workspace.deleted")).length, 1);
      assert.equal((await fixture.events("skill.deleted")).length, 1);
      const { raw } = service.app.storage.database;
      assert.equal(await raw.collection("places").countDocuments({ ownerId: skill.folderId! }), 0);
    });

  it("give an owner who rejoins during the deletion a new workspace", async () => {
    const { fixture, alice } = await prepare();
    await fixture.at(fixture.owner, "DELETE", `/members/${alice.id}`);
    await addMember(service, fixture.org, alice, "member");
    await fixture.sync();
    const early = await fixture.publish(alice, "Early");
    await processors(service.app)["workspaces.delete"]({ tenantId: fixture.org.id, userId: alice.id });
    await fixture.sync();

    assert.deepEqual([early.status, early.code], [409, "conflict"]);
    assert.equal((await fixture.publish(alice, "Later")).status, 201);
  });
});
