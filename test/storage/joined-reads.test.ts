import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CommandStartedEvent } from "mongodb";
import { openDatabase } from "../../storage/database.ts";
import { openJoinedReads } from "../../storage/lookups/joined-reads.ts";
import { testDatabase } from "../support/engine.ts";
import { withCommandEvents } from "../support/round-trips.ts";
import { closedAfter } from "../support/set-up.ts";

interface Row {
  _id: string;
  kind: "fruit" | "colour";
}

let aggregated: string[] = [];
const sent: string[] = [];

const { url, name } = await testDatabase();
const database = await closedAfter(openDatabase(withCommandEvents(url), name));
const insert = (collection: string, rows: Row[]) => database.collection<Row>(collection).insertMany(rows);
await insert("fruits", [
  { _id: "orange", kind: "fruit" },
  { _id: "plum", kind: "fruit" },
]);
await insert("colours", [{ _id: "orange", kind: "colour" }]);
database.raw.client.on("commandStarted", ({ commandName, command }: CommandStartedEvent) => {
  sent.push(commandName);
  if (commandName === "aggregate") aggregated.push(String(command["aggregate"]));
});

/** Reads rows by id from both collections, each at the end of the turn. */
function readBoth(fruitMatch: object, colourMatch: object) {
  const reads = openJoinedReads(database);
  const read = (collection: string, match: object, kind: Row["kind"]) =>
    new Promise<string[]>((resolve, reject) => {
      reads.schedule(() => {
        reads
          .read<Row>(collection, [{ $match: match }], (row) => row.kind === kind)
          .then((rows) => resolve(rows.map(({ _id }) => _id)), reject);
      });
    });
  aggregated = [];
  return Promise.allSettled([read("fruits", fruitMatch, "fruit"), read("colours", colourMatch, "colour")]);
}

describe("reads that are started in one turn", () => {
  it("are one command, and each gets its own rows", async () => {
    const both = await readBoth({ _id: { $in: ["orange", "plum"] } }, { _id: "orange" });

    assert.deepEqual(both, [
      { status: "fulfilled", value: ["orange", "plum"] },
      { status: "fulfilled", value: ["orange"] },
    ]);
    assert.deepEqual(aggregated, ["fruits"]);
  });

  it("find the rows of one if the other has none", async () => {
    const both = await readBoth({ _id: "missing" }, { _id: "orange" });

    assert.deepEqual(both, [
      { status: "fulfilled", value: [] },
      { status: "fulfilled", value: ["orange"] },
    ]);
  });

  it("all fail if the command fails", async () => {
    const both = await readBoth({ $unknown: 1 }, { _id: "orange" });

    assert.deepEqual(
      both.map(({ status }) => status),
      ["rejected", "rejected"],
    );
  });
});

describe("an aggregation at once", () => {
  it("has all rows, also of a result that is larger than a response", async () => {
    const text = "x".repeat(4_000_000);
    await database
      .collection<{ _id: string; text: string }>("large")
      .insertMany(Array.from({ length: 6 }, (_, n) => ({ _id: `row ${n}`, text })));

    const rows = await database.aggregate<{ _id: string; text: string }>("large", [{ $sort: { _id: 1 } }]);

    assert.deepEqual(
      rows.map((row) => [row._id, row.text.length]),
      Array.from({ length: 6 }, (_, n) => [`row ${n}`, text.length]),
    );
    assert.ok(sent.includes("killCursors"), "a cursor of the command is left open");
  });
});
