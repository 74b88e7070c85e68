import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import type { EmbeddedEngine } from "../../engines/embedded-engine.ts";
import { EngineError } from "../../engines/engine-error.ts";
import { startEmbeddedMongo } from "../../engines/mongo.ts";
import { openLog } from "../../src/log.ts";
import { endsWithin, runElsewhere } from "./other-process.ts";

const temp = fs.mkdtempSync(path.join(os.tmpdir(), "svc-engine-"));
const cacheDir = path.join(temp, "cache");
const engines: EmbeddedEngine[] = [];
const others: { kill(signal: NodeJS.Signals): Promise<void> }[] = [];
// An engine keeps no process alive, and some tests wait for nothing else.
const keepAlive = setInterval(() => {}, 1000);
after(async () => {
  clearInterval(keepAlive);
  await Promise.all([...others.map((other) => other.kill("SIGKILL")), ...engines.map((e) => e.stop())]);
  fs.rmSync(temp, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

const nextRestart = (engine: EmbeddedEngine) =>
  new Promise<void>((resolve) => engine.on("restarted", () => resolve()));

const folder = (name: string) => path.join(temp, name);

async function start(dataDir: string, log = openLog("silent")) {
  const engine = await startEmbeddedMongo({ dataDir, cacheDir, log });
  engines.push(engine);
  return engine;
}

function startElsewhere(dataDir: string) {
  const other = runElsewhere("mongo", dataDir, cacheDir);
  others.push(other);
  return other;
}

async function withClient<T>(uri: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await new MongoClient(uri, { serverSelectionTimeoutMS: 10_000 }).connect();
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

describe("embedded MongoDB engine", () => {
  it("answers a query for which no index proves better than the others at once", async () => {
    const engine = await start(folder("planned"));
    await withClient(engine.uri, async (client) => {
      const rows = client.db("t").collection<{ owner: string; kind: string; at: number }>("planned");
      await rows.createIndexes([{ key: { owner: 1, at: -1 } }, { key: { owner: 1, kind: 1, at: -1 } }]);
      await rows.insertMany(Array.from({ length: 12_000 }, (_, at) => ({ owner: "a", kind: "b", at })));
      const last = () =>
        rows
          .find({ owner: "a", kind: "b", at: { $gte: 0 } })
          .sort({ at: -1 })
          .skip(11_900)
          .limit(50)
          .toArray();

      assert.equal((await last()).length, 50);
      const restarted = nextRestart(engine);
      process.kill(engine.pid!, "SIGKILL");
      await restarted;
      assert.equal((await last()).length, 50, "after a restart as well");
    });
  });

  it("keeps what was written over a clean stop, and carries the write concern in its URI", async () => {
    const dataDir = folder("clean");
    const first = await start(dataDir);
    await withClient(first.uri, (client) => client.db("t").collection("c").insertOne({ n: 1 }));
    await first.stop();

    const second = await start(dataDir);
    const count = await withClient(second.uri, (client) => client.db("t").collection("c").countDocuments());
    await second.stop();

    assert.equal(count, 1);
    assert.equal(second.uri, first.uri);
    assert.match(first.uri, /\?directConnection=true&w=1&journal=true&retryWrites=false$/);
  });

  it("is reachable for its user only, and is told nothing of the parent's environment", async () => {
    const dataDir = folder("private");
    process.env["SVC_TEST_SECRET"] = "not for the engine";
    const engine = await start(dataDir);
    delete process.env["SVC_TEST_SECRET"];

    assert.equal(fs.statSync(dataDir).mode & 0o777, 0o700);
    assert.equal(fs.statSync(path.join(dataDir, "engine.sock")).mode & 0o777, 0o600);
    if (process.platform === "linux") {
      const environment = fs.readFileSync(`/proc/${engine.pid}/environ`, "utf8").split("\0");
      const names = environment.map((entry) => entry.split("=")[0] ?? "").filter((name) => name !== "");
      const known = "HOME LANG MALLOC_ARENA_MAX NAPI_RS_NATIVE_LIBRARY_PATH NODE_CHANNEL_FD";
      const allowed = new Set(`${known} NODE_CHANNEL_SERIALIZATION_MODE PATH TMPDIR`.split(" "));
      assert.deepEqual(
        names.filter((name) => !allowed.has(name)),
        [],
      );
    }
    await engine.stop();
  });

  it("loses no acknowledged write when it is killed, and is back within seconds", async () => {
    const engine = await start(folder("killed"));
    const acknowledged: number[] = [];
    const writing = new AbortController();
    let nextId = 0;

    const stored = await withClient(engine.uri, async (client) => {
      const collection = client.db("t").collection<{ _id: number }>("c");
      const write = async () => {
        while (!writing.signal.aborted) {
          const id = nextId++;
          try {
            await collection.insertOne({ _id: id });
            acknowledged.push(id);
          } catch {
            await sleep(5); // the engine is away; this write was not acknowledged
          }
        }
      };
      const writers = Promise.all(Array.from({ length: 8 }, write));
      for (let round = 0; round < 4; round++) {
        const earlier = acknowledged.length;
        while (acknowledged.length < earlier + 60) await sleep(5);
        const { pid } = engine;
        const isBack = nextRestart(engine);
        const killedAt = Date.now();
        process.kill(pid ?? 0, "SIGKILL");
        await isBack;
        const before = acknowledged.length;
        while (acknowledged.length === before) await sleep(5);
        const tookMs = Date.now() - killedAt;
        assert.ok(tookMs < 60_000, `writes went on after ${tookMs} ms`);
        assert.notEqual(engine.pid, pid);
      }
      writing.abort();
      await writers;
      const documents = await collection.find({}, { projection: { _id: 1 } }).toArray();
      const { valid } = await client.db("t").command({ validate: "c", full: true });
      assert.equal(valid, true);
      return new Set(documents.map((document) => document._id));
    });
    await engine.stop();

    const lost = acknowledged.filter((id) => !stored.has(id));
    assert.ok(acknowledged.length > 200, `${acknowledged.length} writes`);
    assert.deepEqual(lost, []);
  });

  it("gives up where it keeps ending right after its start", async () => {
    const engine = await start(folder("hopeless"));
    const failed = new Promise<EngineError>((resolve) => engine.on("failed", resolve));
    let crashes = 0;
    engine.on("crash", () => crashes++);
    engine.on("restarted", () => process.kill(engine.pid ?? 0, "SIGKILL"));

    process.kill(engine.pid ?? 0, "SIGKILL");
    const error = await failed;
    await engine.stop();

    assert.equal(error.code, "GAVE_UP");
    assert.match(error.message, /keeps ending right after its start/);
    assert.equal(crashes, 6);
  });

  it("ends when its parent is killed", async () => {
    const other = startElsewhere(folder("orphan"));
    const { pid = 0 } = await other.next();

    await other.kill("SIGKILL");

    assert.ok(await endsWithin(pid, 5000));
  });

  it("is shared with a second process, which takes it over when the owner is killed", async () => {
    const dataDir = folder("shared");
    const owner = startElsewhere(dataDir);
    const owned = await owner.next();
    const heir = await start(dataDir);
    assert.deepEqual([heir.attached, heir.pid, heir.uri], [true, undefined, owned.uri]);

    await withClient(heir.uri, async (client) => {
      const collection = client.db("t").collection("c");
      await collection.insertOne({ by: "attached" });
      const isBack = nextRestart(heir);
      await owner.kill("SIGKILL");
      await isBack;
      await collection.insertOne({ by: "owner" }).catch(() => collection.insertOne({ by: "owner" }));

      assert.equal(heir.attached, false);
      assert.ok(heir.pid !== undefined && heir.pid !== owned.pid);
      assert.equal(await collection.countDocuments(), 2);
    });
    await heir.stop();
  });

  it("has one owner of several that start at once", async () => {
    const dataDir = folder("race");

    const started = await Promise.all([start(dataDir), start(dataDir), start(dataDir)]);

    assert.equal(started.filter((engine) => !engine.attached).length, 1);
    await Promise.all(started.map((engine) => engine.stop()));
  });

  it("finds a place for its socket where the data folder's path is too long for one", async () => {
    const dataDir = path.join(temp, "long".repeat(30));

    const engine = await start(dataDir);
    const count = await withClient(engine.uri, (client) => client.db("t").collection("c").countDocuments());
    const socket = decodeURIComponent(/^mongodb:\/\/([^/]+)/.exec(engine.uri)?.[1] ?? "");
    await engine.stop();

    assert.equal(count, 0);
    assert.ok(path.isAbsolute(socket) && !socket.startsWith(dataDir), socket);
    assert.equal(fs.statSync(path.dirname(socket)).mode & 0o777, 0o700);
    fs.rmSync(path.dirname(socket), { recursive: true, force: true });
  });

  it("reports a folder that cannot be written to", { skip: !fs.existsSync("/proc/self") }, async () => {
    // Not even root may create something there.
    await assert.rejects(start("/sys/svc-data"), (error) => {
      assert.ok(error instanceof EngineError);
      assert.equal(error.code, "NOT_WRITABLE");
      assert.match(
        error.message,
        /The data folder \/sys\/svc-data is not writable by this user\. Set MONGODB_URL/,
      );
      return true;
    });
  });

  it("reports that the data folder is a file", async () => {
    fs.writeFileSync(folder("file"), "");

    await assert.rejects(start(path.join(folder("file"), "data")), { code: "OPEN_FAILED" });
  });

  it("reports damaged files", async () => {
    const dataDir = folder("damaged");
    const engine = await start(dataDir);
    await withClient(engine.uri, (client) => client.db("t").collection("c").insertOne({ n: 1 }));
    await engine.stop();
    for (const name of ["WiredTiger.wt", "WiredTiger.turtle"]) {
      fs.writeFileSync(path.join(dataDir, name), "no database");
    }

    await assert.rejects(start(dataDir), (error) => {
      assert.ok(error instanceof EngineError);
      assert.equal(error.code, "DAMAGED");
      assert.match(error.message, /its files look damaged\. Restore a backup, or move the folder elsewhere/);
      return true;
    });
  });

  it("reports that its binary cannot be loaded", async (t) => {
    const copies = fs.existsSync(cacheDir) ? fs.readdirSync(cacheDir) : [];
    if (copies.length === 0) return t.skip("this system runs the binary as npm installed it");
    const broken = folder("broken-cache");
    fs.cpSync(cacheDir, broken, { recursive: true });
    for (const file of fs.readdirSync(path.join(broken, copies[0] ?? ""))) {
      const garbage = Buffer.alloc(fs.statSync(path.join(broken, copies[0] ?? "", file)).size, 1);
      fs.writeFileSync(path.join(broken, copies[0] ?? "", file), garbage);
    }

    await assert.rejects(
      startEmbeddedMongo({ dataDir: folder("no-binary"), cacheDir: broken, log: openLog("silent") }),
      { code: "NO_BINARY", message: /could not be loaded\. Run npm ci to install it again\./ },
    );
  });
});
