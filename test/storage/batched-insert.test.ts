import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { CommandStartedEvent } from "mongodb";
import { batchedInsert } from "../../storage/batches/batched-insert.ts";
import { isDuplicate, openDatabase } from "../../storage/database.ts";
import { testDatabase } from "../support/engine.ts";
import { withCommandEvents } from "../support/round-trips.ts";
import { closedAfter } from "../support/set-up.ts";

interface Row {
  _id: string;
  slug: string;
}

let inserted: number[] = [];

const { url, name: databaseName } = await testDatabase();
const database = await closedAfter(openDatabase(withCommandEvents(url), databaseName));
await database.ensureIndexes({ rows: [{ key: { slug: 1 }, unique: true, name: "row_slug" }] });
database.raw.client.on("commandStarted", ({ commandName, command }: CommandStartedEvent) => {
  if (commandName === "insert") inserted.push((command["documents"] as unknown[]).length);
});

beforeEach(async () => {
  await database.collection("rows").deleteMany({});
  inserted = [];
});

const rowsOf = (slugs: string[]): Row[] => slugs.map((slug, at) => ({ _id: `${slug}-${at}`, slug }));
const stored = async () =>
  (await database.collection<Row>("rows").find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);

describe("batched inserts", () => {
  it("share a command, and each fails for its own row only", async () => {
    const insert = batchedInsert(database.collection<Row>("rows"));

    const results = await Promise.allSettled(rowsOf(["a", "b", "a", "c", "b"]).map(insert));

    assert.deepEqual(inserted, [5]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ["fulfilled", "fulfilled", "rejected", "fulfilled", "rejected"],
    );
    for (const result of results)
      if (result.status === "rejected") {
        assert.ok(isDuplicate(result.reason, "row_slug"));
        assert.ok(!isDuplicate(result.reason, "another"));
      }
    assert.deepEqual(await stored(), ["a-0", "b-1", "c-3"]);
  });

  it("fail for a single duplicate as for one of several", async () => {
    const insert = batchedInsert(database.collection<Row>("rows"));
    await insert({ _id: "1", slug: "a" });

    await assert.rejects(insert({ _id: "2", slug: "a" }), (error) => isDuplicate(error, "row_slug"));

    assert.deepEqual(inserted, [1, 1]);
  });

  it("all fail if the response is lost, since each caller finds out whether its row was written", async () => {
    const lost = new Error("connection closed");
    const collection = new Proxy(database.collection<Row>("rows"), {
      get: (target, name) =>
        name === "insertMany"
          ? async (...args: Parameters<typeof target.insertMany>) => {
              await target.insertMany(...args);
              throw lost;
            }
          : Reflect.get(target, name, target),
    });

    const results = await Promise.allSettled(rowsOf(["a", "b"]).map(batchedInsert(collection)));

    assert.deepEqual(
      results.map((result) => result.status === "rejected" && result.reason),
      [lost, lost],
    );
    assert.deepEqual(await stored(), ["a-0", "b-1"]);
  });
});
