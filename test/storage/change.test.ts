import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { changeOf, type Change } from "../../storage/change.ts";
import { openDatabase, type Database } from "../../storage/database.ts";
import type { WithOutbox } from "../../storage/outbox.ts";
import { testDatabase } from "../support/engine.ts";

interface Row extends WithOutbox {
  _id: string;
  name: string;
  note?: string;
  active?: true;
  revision: number;
  updatedAt: Date;
}

const earlier = new Date("2025-12-31T00:00:00Z");
const now = new Date("2026-05-01T00:00:00Z");
const row: Row = { _id: "a", name: "A", note: "n", active: true, revision: 3, updatedAt: earlier };

let database: Database;
before(async () => {
  const { url, name } = await testDatabase();
  database = await openDatabase(url, name);
});
after(() => database.close());
beforeEach(async () => {
  await database.collection("rows").deleteMany({});
  await database.collection<Row>("rows").insertOne({ ...row });
});

const change = (given: Change<Row>) =>
  changeOf(database.collection<Row>("rows"), { active: true })("a", given);

describe("a change of a document", () => {
  it("sets, removes and counts in one write, and leaves what is undefined", async () => {
    const changed = await change({ revision: 3, patch: { name: undefined, note: null }, now });

    assert.deepEqual(changed, { _id: "a", name: "A", active: true, revision: 4, updatedAt: now });
  });

  it("keeps a time of the last update that it sets itself", async () => {
    const changed = await change({ set: { updatedAt: now } });

    assert.deepEqual(changed, { ...row, updatedAt: now });
  });

  it("marks the document for the reconcile job even with an empty list of events, but not without one", async () => {
    assert.equal((await change({ set: { name: "B" } }))?.pendingSince, undefined);
    assert.ok((await change({ events: [] }))?.pendingSince);
  });

  it("has no effect on another revision, or if a condition is not met", async () => {
    for (const unmet of [{ revision: 2 }, { when: { name: "B" } }])
      assert.equal(await change({ ...unmet, set: { name: "C" } }), null);

    await change({ unset: ["active"] });
    assert.equal(await change({ set: { name: "C" } }), null);
    assert.equal((await database.collection<Row>("rows").findOne({ _id: "a" }))?.name, "A");
  });
});
