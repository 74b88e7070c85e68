import assert from "node:assert/strict";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { EmbeddedEngine } from "../../engines/embedded-engine.ts";
import { EngineError } from "../../engines/engine-error.ts";
import { startEmbeddedQueue } from "../../engines/queue.ts";
import { QueuePool } from "../../engines/queue/queue-pool.ts";
import { openLog } from "../../src/log.ts";
import { moduleFile, root } from "../support/root.ts";
import { endsWithin, runElsewhere } from "./other-process.ts";

const temp = fs.mkdtempSync(path.join(os.tmpdir(), "svc-pglite-"));
const log = openLog("silent");
const keepAlive = setInterval(() => {}, 1000);
const engines: EmbeddedEngine[] = [];

async function start(dataDir: string) {
  const engine = await startEmbeddedQueue({ dataDir, log });
  engines.push(engine);
  return engine;
}

describe("embedded queue engine", async () => {
  const dataDir = path.join(temp, "queue");

  let engine: EmbeddedEngine = await start(dataDir);
  const pool = new QueuePool(engine.uri, { waitMs: 60_000 });
  await pool.query("CREATE TABLE bullmq.t (n int)");

  after(async () => {
    clearInterval(keepAlive);
    await pool?.end();
    await Promise.all(engines.map((each) => each.stop()));
    fs.rmSync(temp, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  const countOf = async (n: number) => {
    const { rows } = await pool.query<{ count: string }>("SELECT count(*) FROM t WHERE n = $1", [n]);
    return Number(rows[0]?.count);
  };

  it("hands out values as pg does", async () => {
    const { rows, rowCount } = await pool.query("SELECT 7::int8 AS big, $1::jsonb AS json, now() AS at", [
      { a: [1] },
    ]);

    const [row] = rows as { big: unknown; json: unknown; at: unknown }[];
    assert.equal(rowCount, 1);
    assert.equal(row?.big, "7");
    assert.deepEqual(row?.json, { a: [1] });
    assert.ok(row?.at instanceof Date);
  });

  it("reports a refused statement with its code and goes on", async () => {
    await assert.rejects(pool.query("SELECT * FROM no_such_table"), { code: "42P01" });

    assert.equal((await pool.query("SELECT 1 AS one")).rowCount, 1);
  });

  it("keeps a transaction apart from other clients until it is committed", async () => {
    const client = await pool.connect();
    await client.query("BEGIN");
    await client.query("INSERT INTO t VALUES ($1)", [1]);
    let seen: number | undefined;
    const reader = countOf(1).then((count) => (seen = count));

    // A reader that did not wait would have its answer by then.
    await sleep(100);
    const seenBefore = seen;
    await client.query("COMMIT");
    await reader;
    client.release();

    assert.equal(seenBefore, undefined);
    assert.equal(seen, 1);
  });

  it("rolls back what was aborted, and what a client left open that went away", async () => {
    const aborted = await pool.connect();
    await aborted.query("BEGIN");
    await aborted.query("INSERT INTO t VALUES ($1)", [2]);
    await assert.rejects(aborted.query("SELECT 1/0"), { code: "22012" });
    await aborted.query("COMMIT");
    aborted.release();
    const gone = await pool.connect();
    await gone.query("BEGIN");
    await gone.query("INSERT INTO t VALUES ($1)", [2]);
    gone.release();

    assert.equal(await countOf(2), 0);
  });

  it("notifies every client that listens, and no other", async () => {
    const [first, second, third] = [await pool.connect(), await pool.connect(), await pool.connect()];
    await first.query('LISTEN "jobs:a"');
    await second.query('LISTEN "jobs:a"');
    let isThirdTold = false;
    third.on("notification", () => (isThirdTold = true));

    const told = [once(first, "notification"), once(second, "notification")];
    await pool.query("SELECT pg_notify('jobs:a', 'x')");
    const notifications = (await Promise.all(told)).map(([notification]) => notification as object);
    for (const client of [first, second, third]) client.release();

    for (const notification of notifications) {
      assert.deepEqual(notification, { channel: "jobs:a", payload: "x", processId: 0 });
    }
    assert.equal(isThirdTold, false);
  });

  it("answers statements in flight after a kill, and reports an error to clients that were checked out", async () => {
    const client = await pool.connect();
    const clientError = once(client, "error");
    const restarted = new Promise<void>((resolve) => engine.on("restarted", resolve));
    const victim = engine.pid ?? 0;

    const slow = Array.from({ length: 20 }, (_, i) =>
      pool.query("INSERT INTO t SELECT $1 FROM pg_sleep(0.02)", [100 + i]),
    );
    await slow[0];
    process.kill(victim, "SIGKILL");
    await Promise.all(slow);
    const [error] = (await clientError) as [NodeJS.ErrnoException];
    await restarted;

    assert.equal(error.code, "ECONNRESET");
    for (let i = 0; i < 20; i++) assert.ok((await countOf(100 + i)) >= 1, `statement ${i}`);
    assert.notEqual(engine.pid, victim);
  });

  it("fails within the time a pool may wait where the engine is away", async () => {
    const impatient = new QueuePool(path.join(temp, "nothing.sock"), { waitMs: 200 });
    const askedAt = Date.now();

    await assert.rejects(impatient.query("SELECT 1"), { code: "ENOENT" });

    assert.ok(Date.now() - askedAt < 6000);
  });

  it("is shared with other processes, and taken over when its owner ends", async () => {
    const other = runElsewhere("queue", dataDir);
    const attached = await other.next();

    await engine.stop();
    const inherited = await other.next();
    const { rowCount } = await pool.query("SELECT 1");
    await other.kill("SIGKILL");
    const isGone = await endsWithin(inherited.pid ?? 0, 60_000);
    engine = await start(dataDir);

    assert.deepEqual([attached.attached, inherited.attached, rowCount], [true, false, 1]);
    assert.ok(isGone);
    assert.equal(await countOf(1), 1);
  });

  it("has one owner of several that start at once", async () => {
    await engine.stop();

    const started = await Promise.all([start(dataDir), start(dataDir), start(dataDir), start(dataDir)]);

    const owners = started.filter((each) => !each.attached);
    assert.equal(owners.length, 1);
    await Promise.all(started.filter((each) => each.attached).map((each) => each.stop()));
    engine = owners[0] ?? engine;
  });

  it("clears away what an interrupted creation left", async () => {
    const dir = path.join(temp, "interrupted");
    fs.mkdirSync(path.join(dir, "pg.new-1"), { recursive: true });

    const fresh = await start(dir);
    const freshPool = new QueuePool(fresh.uri, { waitMs: 60_000 });
    const { rowCount } = await freshPool.query("SELECT 1");
    await freshPool.end();
    await fresh.stop();

    assert.equal(rowCount, 1);
    assert.equal(fs.existsSync(path.join(dir, "pg.new-1")), false);
  });

  it("makes its database from nothing where the installation's template is broken", async () => {
    const home = path.join(temp, "installation");
    const copy = (name: string, from = path.join(root, name)) => {
      fs.cpSync(from, path.join(home, name), { recursive: true });
    };
    const module = moduleFile("engines/queue.ts");
    copy("engines", path.dirname(module));
    for (const name of ["package.json", "node_modules/@electric-sql/pglite"]) copy(name);
    const bullmq = path.join(root, "node_modules/bullmq");
    fs.symlinkSync(fs.realpathSync(bullmq), path.join(home, "node_modules/bullmq"));
    const [pglite, tables] = ["@electric-sql/pglite", "bullmq"].map((name) => {
      const manifest = fs.readFileSync(path.join(home, "node_modules", name, "package.json"), "utf8");
      return (JSON.parse(manifest) as { version: string }).version;
    });
    const template = path.join(home, "node_modules/.cache/embedded-queue", `pg-${pglite}-${tables}-2`);
    fs.mkdirSync(template, { recursive: true });
    fs.writeFileSync(path.join(template, "PG_VERSION"), "17\n");
    const other = (await import(path.join(home, "engines", path.basename(module)))) as {
      startEmbeddedQueue: typeof startEmbeddedQueue;
    };

    const fresh = await other.startEmbeddedQueue({ dataDir: path.join(temp, "from-nothing"), log });
    engines.push(fresh);
    const freshPool = new QueuePool(fresh.uri, { waitMs: 60_000 });
    const { rowCount } = await freshPool.query("SELECT 1");
    await freshPool.end();
    await fresh.stop();

    assert.equal(rowCount, 1);
    assert.ok(fs.existsSync(path.join(template, "global", "pg_control")));
  });

  it("reports that its files are damaged", async () => {
    const dir = path.join(temp, "damaged");
    fs.mkdirSync(path.join(dir, "pg"), { recursive: true });
    fs.writeFileSync(path.join(dir, "pg", "PG_VERSION"), "17\n");

    await assert.rejects(start(dir), (error) => {
      assert.ok(error instanceof EngineError);
      assert.equal(error.code, "DAMAGED");
      assert.match(
        error.message,
        /move the folder elsewhere to start empty\. Set REDIS_URL to use a Redis server/,
      );
      return true;
    });
  });
});
