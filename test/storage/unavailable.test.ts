/** Whether an error means that the engine is unavailable: it decides between 503 and 500, and what is retried. */
import assert from "node:assert/strict";
import net, { type AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { MongoClient } from "mongodb";
import { isDuplicate, isUnavailable, retryIdempotent } from "../../storage/database.ts";
import { insertOnce } from "../../storage/outbox.ts";
import { testDatabase } from "../support/engine.ts";

interface Row {
  _id: string;
}

/**
 * A proxy in front of the engine. When a number of commands that contain a certain word are in progress, it closes all
 * of their connections, like a killed engine.
 */
async function openCuttingProxy(url: string) {
  const socketPath = decodeURIComponent(/^mongodb:\/\/([^/?]+)/.exec(url)![1]!);
  let cut = { wanted: 0, word: "", held: new Set<net.Socket>() };
  const proxy = net.createServer((client) => {
    const engine = net.connect(socketPath);
    client.on("data", (chunk) => {
      if (cut.wanted === 0 || !chunk.includes(cut.word)) return engine.write(chunk);
      cut.held.add(client);
      if (cut.held.size < cut.wanted) return undefined;
      cut.wanted = 0;
      for (const socket of cut.held) socket.resetAndDestroy();
      return undefined;
    });
    engine.on("data", (chunk) => client.write(chunk));
    for (const [one, other] of [
      [client, engine],
      [engine, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `mongodb://127.0.0.1:${port}/?directConnection=true&retryWrites=false`,
    cutWhen: (wanted: number, word: string) => (cut = { wanted, word, held: new Set() }),
    close: () => proxy.close(),
  };
}

describe("an engine that becomes unavailable during a command", async () => {
  const { url, name } = await testDatabase();
  const proxy = await openCuttingProxy(url);
  const client = await new MongoClient(proxy.url).connect();
  const rows = client.db(name).collection<Row>("unavailable");
  await rows.insertOne({ _id: "there" });

  after(async () => {
    await client.close();
    proxy.close();
  });

  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => assert.fail("should have failed"),
      (error: unknown) => error,
    );

  it("is recognized by the error of every kind of write", async () => {
    const writes: [string, () => Promise<unknown>][] = [
      ["insert", () => rows.insertOne({ _id: "one" })],
      ["insert", () => rows.insertMany([{ _id: "many" }])],
      ["update", () => rows.updateOne({ _id: "there" }, { $set: { touched: true } })],
      ["update", () => rows.bulkWrite([{ updateOne: { filter: {}, update: { $set: { touched: true } } } }])],
      ["findAndModify", () => rows.findOneAndUpdate({ _id: "there" }, { $set: { touched: true } })],
      ["delete", () => rows.deleteMany({ _id: "nobody" })],
    ];
    for (const [word, write] of writes) {
      // If several connections break together, the driver labels the error of the first only.
      proxy.cutWhen(3, word);
      const errors = await Promise.all([write(), write(), write()].map(failureOf));
      for (const error of errors) assert.ok(isUnavailable(error), `${word}: ${String(error)}`);
    }
  });

  it("is distinguished from a rejection", async () => {
    const again = { _id: "there" };
    for (const write of [() => rows.insertOne(again), () => rows.insertMany([again])]) {
      const error = await failureOf(write());
      assert.ok(isDuplicate(error));
      assert.equal(isUnavailable(error), false);
    }
  });

  it("is retried for commands that may run twice", async () => {
    proxy.cutWhen(1, "insert");
    await retryIdempotent(() => insertOnce(rows, [{ _id: "twice" }]));
    assert.equal(await rows.countDocuments({ _id: "twice" }), 1);
  });
});
