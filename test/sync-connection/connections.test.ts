import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { ConnectionDoc } from "../../storage/connections/connections.ts";
import { isDuplicate } from "../../storage/database.ts";
import { openStorage } from "../../storage/index.ts";
import type { SyncBase } from "../../storage/sync/bases.ts";
import { connectionDoc } from "../support/connection.ts";
import { emptyDatabase, testDatabase } from "../support/engine.ts";
import { closedAfter } from "../support/set-up.ts";

const { url, name } = await testDatabase();
const storage = await closedAfter(openStorage({ url, database: name }));

beforeEach(() => emptyDatabase(storage.database.raw));

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

const connection = (over: Partial<ConnectionDoc> = {}) =>
  connectionDoc(1, {
    _id: "c1",
    repositoryKey: "local:/r",
    host: { kind: "local", repositoryId: "/r", fullName: "r", url: "file:///r" },
    ...over,
  });

const event = (id: string) => ({
  _id: id,
  name: "repohost_sync.manual_sync" as const,
  tenantId: "t1",
  actor: { type: "user" as const, id: "u1", name: "ann" },
  resourceType: "repository",
  resourceId: "c1",
  metadata: { path: "$notAField" },
  createdAt: at(1),
});

describe("a connection", () => {
  it("is unique per organization and per branch", async () => {
    const { connections } = storage;
    await connections.insert(connection());

    await assert.rejects(connections.insert(connection({ _id: "c2", repositoryKey: "local:/s" })), (error) =>
      isDuplicate(error, "tenant_connection"),
    );
    await assert.rejects(connections.insert(connection({ _id: "c2", tenantId: "t2" })), (error) =>
      isDuplicate(error, "connected_branch"),
    );
    await connections.insert(connection({ _id: "c2", tenantId: "t2", branch: "other" }));
    assert.equal(await connections.isConnected("local:/r", "other"), true);
  });

  it("counts requests, remembers a full one until it is done, and stores its event", async () => {
    const { connections } = storage;
    await connections.insert(connection());

    assert.deepEqual(await connections.request({ tenantId: "t1" }, { now: at(1) }), { _id: "c1", wanted: 1 });
    await connections.request({ id: "c1" }, { full: true, now: at(2), events: [event("e1")] });
    await connections.request({ id: "c1" }, { now: at(3), events: [event("e2")] });
    const found = (await connections.find("c1"))!;
    const [carrying] = await connections.listUnflushed(at(60), 10);

    assert.deepEqual([found.wanted, found.fullWanted, found.done], [3, 2, 0]);
    assert.deepEqual([found.wantedSince, found.dueAt], [at(1), at(3)]);
    assert.deepEqual(carrying!.outbox, [event("e1"), event("e2")]);
    assert.equal(await connections.request({ tenantId: "none" }, { now: at(1) }), null);
  });

  it("gives its lease to one holder at a time, and increments its fence", async () => {
    const { connections } = storage;
    await connections.insert(connection());
    await connections.request({ id: "c1" }, { now: at(1) });

    const tries = await Promise.all(
      ["a", "b", "c", "d"].map((holder) => connections.takeLease("c1", holder, at(20), at(10))),
    );
    const [first] = tries.filter((one) => one !== null);
    assert.equal(tries.filter((one) => one !== null).length, 1);
    assert.equal(first!.fence, 1);
    assert.deepEqual(await connections.listDue(at(15), 10), []);
    assert.equal(await connections.renewLease("c1", 1, at(30)), true);
    assert.equal(await connections.takeLease("c1", "late", at(40), at(25)), null);

    const second = (await connections.takeLease("c1", "$fence", at(50), at(31)))!;
    assert.deepEqual([second.fence, second.lease!.holder, second.lease!.fence], [2, "$fence", 2]);
    assert.equal(await connections.renewLease("c1", 1, at(60)), false);
    assert.equal(await connections.finish("c1", 1, { done: 1, now: at(32), status: "active" }), false);
    assert.equal((await connections.find("c1"))!.done, 0);
  });

  it("is due again if a sync was requested in the meantime, and if it failed", async () => {
    const { connections } = storage;
    await connections.insert(connection());
    await connections.request({ id: "c1" }, { full: true, now: at(1) });
    await connections.takeLease("c1", "a", at(90), at(10));
    await connections.request({ id: "c1" }, { now: at(11) });

    await connections.finish("c1", 1, { done: 1, now: at(12), status: "active", lastRemoteOid: "abc" });
    const behind = (await connections.find("c1"))!;
    assert.deepEqual([behind.done, behind.wanted, behind.lease], [1, 2, undefined]);
    assert.deepEqual([behind.wantedSince, behind.dueAt, behind.lastLagMs], [at(10), at(12), 11_000]);
    assert.equal((await connections.listDue(at(12), 10)).length, 1);

    const problem = { code: "remote_unreachable" as const, message: "It does not answer.", at: at(14) };
    await connections.takeLease("c1", "b", at(90), at(13));
    const failed = { done: 2, now: at(14), status: "failing", problem, retryAt: at(44) } as const;
    assert.equal(await connections.finish("c1", 2, failed), true);
    const failing = (await connections.find("c1"))!;
    assert.deepEqual([failing.status, failing.problem, failing.failures], ["failing", problem, 1]);
    assert.deepEqual([failing.done, failing.dueAt, failing.lastRemoteOid], [1, at(44), "abc"]);
    assert.deepEqual(await connections.listDue(at(43), 10), []);

    await connections.takeLease("c1", "c", at(90), at(50));
    await connections.finish("c1", 3, { done: 2, now: at(51), status: "active" });
    const well = (await connections.find("c1"))!;
    assert.deepEqual(
      [well.status, well.problem, well.failures, well.dueAt],
      ["active", undefined, 0, undefined],
    );
    assert.equal(well.wantedSince, undefined);
    assert.deepEqual(well.lastProblem, problem);
  });

  it("can't be leased once it is being disconnected", async () => {
    const { connections } = storage;
    await connections.insert(connection());
    await connections.takeLease("c1", "a", at(90), at(1));

    const ended = await connections.disconnect("t1", at(2), [event("e1")]);

    assert.equal(ended!._id, "c1");
    assert.equal(await connections.disconnect("t1", at(3), [event("e2")]), null);
    assert.equal(await connections.renewLease("c1", 1, at(99)), false);
    assert.equal(await connections.request({ tenantId: "t1" }, { now: at(3) }), null);
    await connections.finish("c1", 1, { done: 0, now: at(4), status: "active" });
    assert.equal((await connections.find("c1"))!.status, "disconnecting");
    assert.equal(await connections.takeLease("c1", "b", at(90), at(80)), null);
    assert.deepEqual((await connections.listDisconnecting(10))[0]!.outbox, [event("e1")]);
  });
});

describe("the sync state of a connection", () => {
  const one: SyncBase = { skillId: "s1", path: "skills/a", contentTree: "1", skillRevision: 1 };

  it("is written once, completely, and never by an earlier holder of the lease", async () => {
    const { syncBases } = storage;
    const of = connection();
    await syncBases.putMany(of, 2, [
      { ...one, strayPath: "skills/x" },
      { ...one, skillId: "s2" },
    ]);

    await syncBases.putMany(of, 3, [one]);
    await syncBases.putMany(of, 1, [
      { ...one, contentTree: "old" },
      { ...one, skillId: "s3" },
    ]);
    await syncBases.removeMany(of._id, 1, ["s2"]);

    const rows = (await syncBases.listOf("c1")).sort((a, b) => (a.skillId < b.skillId ? -1 : 1));
    assert.deepEqual(
      rows.map(({ skillId, contentTree, strayPath, fence }) => [skillId, contentTree, strayPath, fence]),
      [
        ["s1", "1", undefined, 3],
        ["s2", "1", undefined, 2],
        ["s3", "1", undefined, 1],
      ],
    );
    assert.equal((await syncBases.listByPath("c1", "skills/a")).length, 3);
    await syncBases.removeMany(of._id, 3, ["s1", "s2"]);
    assert.equal(await syncBases.count("c1"), 1);
  });
});

describe("the history of a connection", () => {
  const counts = { imported: 0, created: 0, conflicts: 0, exported: 0, removed: 0, refused: 0, retries: 0 };

  it("is listed from its newest run, and limited in size", async () => {
    const { syncRuns } = storage;
    for (let n = 1; n <= 5; n++)
      await syncRuns.start({
        _id: `r${n}`,
        connectionId: "c1",
        tenantId: "t1",
        full: false,
        startedAt: at(n),
        outcome: "running",
        counts,
      });
    await syncRuns.finish("r5", { endedAt: at(6), outcome: "done", counts });

    await syncRuns.closeInterrupted("c1", "r4", at(7));
    const first = await syncRuns.list({ connectionId: "c1", limit: 2 });
    const next = await syncRuns.list({ connectionId: "c1", before: first.at(-1)!._id, limit: 2 });

    assert.deepEqual(
      [...first, ...next].map((run) => [run._id, run.outcome]),
      [
        ["r5", "done"],
        ["r4", "running"],
        ["r3", "stopped"],
        ["r2", "stopped"],
      ],
    );
    assert.equal(await syncRuns.trim("t1", 3), 2);
    assert.equal(await syncRuns.trim("t1", 3), 0);
  });

  it("contains a conflict once, however often it is recorded", async () => {
    const { syncConflicts } = storage;
    const row = {
      connectionId: "c1",
      tenantId: "t1",
      skillId: "s1",
      path: "skills/a",
      winning: 3,
      losing: 2,
      commit: "abc",
      authorName: "Bo",
      at: at(1),
    };
    await syncConflicts.record([row]);
    await syncConflicts.record([row, { ...row, winning: 5, losing: 4 }]);

    const [newest] = await syncConflicts.list({ connectionId: "c1", limit: 1 });
    const rest = await syncConflicts.list({
      connectionId: "c1",
      before: { at: newest!.at, id: newest!._id },
      limit: 5,
    });

    assert.deepEqual([newest!.winning, ...rest.map((one) => one.winning)], [5, 3]);
  });
});
