import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { batchedLookup } from "../../storage/lookups/batched-lookup.ts";

interface Sent {
  keys: string[];
  respond(values: Record<string, string>): void;
  fail(error: Error): void;
}

/** A look-up whose queries the test responds to. */
function newLookup() {
  const sent: Sent[] = [];
  const find = batchedLookup<string>(
    (keys) =>
      new Promise((resolve, reject) =>
        sent.push({ keys, respond: (values) => resolve(new Map(Object.entries(values))), fail: reject }),
      ),
  );
  /** The query of an index, once it is sent. */
  const query = async (at: number): Promise<Sent> => {
    while (sent.length <= at) await turn();
    return sent[at]!;
  };
  return { sent, find, query };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a batched look-up", () => {
  it("sends the calls of one turn in one query, each key once", async () => {
    const { sent, find } = newLookup();

    const found = Promise.all([find("a"), find("b"), find("a"), find("missing")]);
    await turn();
    sent[0]!.respond({ a: "1", b: "2" });

    assert.deepEqual(await found, ["1", "2", "1", undefined]);
    assert.deepEqual(
      sent.map(({ keys }) => keys),
      [["a", "b", "missing"]],
    );
  });

  it("never returns a value of a query that was sent before the call", async () => {
    const { find, query } = newLookup();
    const before = find("a");
    const first = await query(0);

    const after = find("a");
    first.respond({ a: "old" });
    assert.equal(await before, "old");
    (await query(1)).respond({ a: "new" });

    assert.equal(await after, "new");
  });

  it("collects further calls while a query is under way", async () => {
    const { sent, find, query } = newLookup();
    const first = find("a");
    await query(0);

    const later = [find("b")];
    await turn();
    later.push(find("c"));
    await turn();
    assert.equal(sent.length, 1);
    sent[0]!.respond({});
    await first;
    const second = await query(1);

    assert.deepEqual(second.keys, ["b", "c"]);
    second.respond({ b: "2", c: "3" });
    assert.deepEqual(await Promise.all(later), ["2", "3"]);
  });

  it("sends the next query before the results of the one before are handled", async () => {
    const { sent, find, query } = newLookup();
    const first = find("a");
    await query(0);
    const next = find("b");
    await turn();

    sent[0]!.respond({ a: "1" });
    await first;
    const sentByThen = sent.map(({ keys }) => keys);
    (await query(1)).respond({ b: "2" });

    assert.deepEqual(sentByThen, [["a"], ["b"]]);
    assert.equal(await next, "2");
  });

  it("does not wait for a query that takes long", async () => {
    const { find, query } = newLookup();
    const slow = find("a");
    const first = await query(0);
    const next = find("b");

    (await query(1)).respond({ b: "2" });

    assert.equal(await next, "2");
    first.respond({ a: "1" });
    assert.equal(await slow, "1");
  });

  it("passes the failure of a query to its own callers only", async () => {
    const { find, query } = newLookup();
    const failing = [find("a"), find("b")];
    const first = await query(0);
    const next = find("a");

    first.fail(new Error("no response"));
    for (const one of failing) await assert.rejects(one, /no response/);
    (await query(1)).respond({ a: "1" });

    assert.equal(await next, "1");
  });

  it("splits many keys into several queries", async () => {
    const { sent, find, query } = newLookup();
    const keys = Array.from({ length: 120 }, (_, n) => `k${n}`);

    const found = Promise.all(keys.map(find));
    for (const at of [0, 1, 2]) {
      const { keys: asked, respond } = await query(at);
      respond(Object.fromEntries(asked.map((key) => [key, key])));
    }

    assert.deepEqual(await found, keys);
    assert.deepEqual(
      sent.map((one) => one.keys.length),
      [50, 50, 20],
    );
  });
});
