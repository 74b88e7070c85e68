import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { walk, type Walk } from "../../workers/maintenance/walk.ts";
import { programArgs } from "../support/root.ts";
import { setUpService } from "../support/set-up.ts";

const { service } = await setUpService();
const { app } = service;

/** Items are numbers with as many digits. */
const itemsOf = (count: number) => Array.from({ length: count }, (_, n) => String(n).padStart(4, "0"));

let walks = 0;

/** A walk over numbers that collects what each run visits. */
function collecting(count: number, more: Partial<Walk<string>> = {}) {
  let items = itemsOf(count);
  const name = `test ${++walks}`;
  return {
    name,
    setItems: (next: string[]) => (items = next),
    async run(visit: Walk<string>["visit"] = async () => undefined): Promise<string[]> {
      const visited: string[] = [];
      await walk<string>(app, {
        name,
        limit: 10,
        batch: 4,
        list: async (after, limit) => items.filter((item) => item > (after ?? "")).slice(0, limit),
        positionOf: (item) => item,
        async visit(slice, progress) {
          const result = await visit(slice, progress);
          visited.push(...slice);
          return result;
        },
        ...more,
      });
      return visited;
    },
  };
}

describe("a walk", () => {
  it("visits everything of a small installation in each run, once", async () => {
    const { run } = collecting(9);

    assert.deepEqual(await run(), itemsOf(9));
    assert.deepEqual(await run(), itemsOf(9));
  });

  it("continues where the last run ended, and visits each item within as many runs as its limit requires", async () => {
    const { run } = collecting(35);

    const runs = [await run(), await run(), await run(), await run()];

    assert.ok(runs.every((visited) => visited.length <= 10));
    assert.deepEqual(runs.flat().slice(0, 35), itemsOf(35));
    assert.deepEqual(runs.flat().slice(35), itemsOf(5), "the rest of a run begins the next pass");
  });

  it("visits items that were added behind its position in the same pass, and others in the next one", async () => {
    const { run, setItems } = collecting(12);
    await run();

    setItems(["0000a", ...itemsOf(12), "0011a"].toSorted());
    const visited = await run();

    assert.deepEqual(visited.slice(0, 3), ["0010", "0011", "0011a"]);
    assert.ok(visited.includes("0000a"));
  });

  it("retries a slice that fails, and leaves out only the item that fails after the third failure", async () => {
    const { run } = collecting(12);
    const seen: string[] = [];
    const failing: Walk<string>["visit"] = async (slice) => {
      if (slice.includes("0005")) throw new Error("damaged");
      seen.push(...slice);
    };

    await assert.rejects(run(failing), /damaged/);
    await assert.rejects(run(failing), /damaged/);
    await run(failing);
    await run();

    const others = itemsOf(12).filter((item) => item !== "0005");
    assert.deepEqual(seen.slice(0, 11), others, "no other item is visited twice or left out");
  });

  it("keeps sums over the pass and the one before, and when the last pass began", async () => {
    const { run } = collecting(15);
    const found: unknown[] = [];
    const visit: Walk<string>["visit"] = async (slice, { sums, previousAt }) => {
      found.push([sums["seen"] ?? 0, previousAt !== undefined]);
      return { sums: { seen: slice.length } };
    };

    await run(visit);
    assert.deepEqual(found.splice(0).at(-1), [0, false]);
    await run(visit);
    assert.deepEqual(found.splice(0)[0], [10, false]);
    await run(visit);
    assert.deepEqual(found[0], [15 + 5, true]);
  });

  it("ends a run within a slice if the visit asks for it", async () => {
    const { run } = collecting(9);

    await run(async (slice) => (slice[0] === "0004" ? { ended: 2 } : undefined));

    assert.deepEqual((await run()).slice(0, 3), ["0006", "0007", "0008"]);
  });

  it("is not continued by two processes at once", async () => {
    const { run } = collecting(35);
    let isOther = false;

    const visited = await run(async () => {
      if (isOther) return;
      isOther = true;
      assert.deepEqual(await run(), itemsOf(10));
    });

    assert.deepEqual(visited, itemsOf(4), "the cursor has been moved by the other one");
    assert.equal((await run())[0], "0010");
  });

  it("is continued by the next process if one is killed, and leaves no item out", async () => {
    const place = { mongodbUrl: app.storage.database.url, database: app.storage.database.raw.databaseName };
    const visited = new Map<string, number>();
    const name = `killed ${process.pid}`;
    for (let kills = 0; kills < 3; kills++) {
      const args = [...programArgs("test/jobs/walk-process.ts"), JSON.stringify({ ...place, name })];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      const ended = once(child, "exit");
      let lines = 0;
      for await (const item of createInterface(child.stdout)) {
        visited.set(item, (visited.get(item) ?? 0) + 1);
        if (++lines === 37) child.kill("SIGKILL");
      }
      await ended;
    }
    const before = visited.size;
    await walk<string>(app, {
      name,
      limit: 1000,
      batch: 10,
      list: async (after, limit) =>
        itemsOf(200)
          .filter((item) => item > (after ?? ""))
          .slice(0, limit),
      positionOf: (item) => item,
      visit: async (slice) => slice.forEach((item) => visited.set(item, (visited.get(item) ?? 0) + 1)),
    });

    assert.ok(before >= 90, `${before} items were visited by processes that were killed`);
    assert.deepEqual([...visited.keys()].toSorted(), itemsOf(200));
  });
});
