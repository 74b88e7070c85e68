import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { after, describe, it } from "node:test";
import { PackageError } from "../../contract/checks/package-rules.ts";
import { CallerQueue } from "../../repos/threads/caller-queue.ts";
import { PieceError } from "../../repos/threads/piece-error.ts";
import { ThreadPool, type ThreadPoolOptions } from "../../repos/threads/thread-pool.ts";
import { until } from "../support/until.ts";
import type { TestPiece } from "./pool-worker.ts";

const pools: ThreadPool[] = [];
after(() => Promise.all(pools.map((pool) => pool.close())));

function openPool(options: Partial<ThreadPoolOptions> = {}) {
  const pool = new ThreadPool({
    program: "./pool-worker",
    module: import.meta.url,
    threads: 2,
    heapMegabytes: 32,
    pieces: 100,
    piecesPerCaller: 50,
    ...options,
  });
  pools.push(pool);
  return (piece: TestPiece, { caller = "a", timeMs = 60_000 } = {}) => pool.run(piece, { caller, timeMs });
}

const whyUncounted = existsSync("/proc/thread-self/schedstat")
  ? false
  : "the system does not report the processor time of threads";

const failsBy = (reason: PieceError["reason"]) => (error: unknown) =>
  error instanceof PieceError && error.reason === reason;

describe("a pool of threads", () => {
  it("runs pieces and passes their errors on", async () => {
    const run = openPool();

    assert.deepEqual(await run({ does: "echo", value: new Map([["a", 1]]) }), new Map([["a", 1]]));
    await assert.rejects(
      run({ does: "refuse" }),
      (error) => error instanceof PackageError && error.rule === "symlink" && error.path === "a/b",
    );
    await assert.rejects(run({ does: "break" }), /broken/);
    assert.equal(await run({ does: "echo", value: 2 }), 2);
  });

  it("ends a piece that exceeds its time or memory, or ends its thread, and goes on with others", async () => {
    const run = openPool();

    await assert.rejects(run({ does: "spin" }, { timeMs: 50 }), failsBy("time"));
    await assert.rejects(run({ does: "fill" }), failsBy("memory"));
    await assert.rejects(run({ does: "die" }), failsBy("ended"));
    const values = await Promise.all([1, 2, 3].map((value) => run({ does: "echo", value })));
    assert.deepEqual(values, [1, 2, 3]);
  });

  it(
    "limits the processor time of pieces in threads of low priority, which wait for others",
    { skip: whyUncounted },
    async () => {
      const run = openPool({ isBackground: true });
      const cpuMs = Number(await run({ does: "work" }));
      const timeMs = 10 * cpuMs + 500;
      const busyThreads = openPool({ threads: 2 * availableParallelism() });
      const spinning = Array.from({ length: 2 * availableParallelism() }, (_, n) =>
        busyThreads({ does: "spin" }, { caller: `${n}`, timeMs: 600_000 }),
      );
      const ended = Promise.allSettled(spinning);

      await until("a piece that takes longer than its limit", async () => {
        const started = performance.now();
        await run({ does: "work" }, { timeMs });
        return performance.now() - started > timeMs;
      });

      await assert.rejects(run({ does: "spin" }, { timeMs: 50 }), failsBy("time"));
      await pools.at(-1)!.close();
      await ended;
    },
  );

  it("leaves a thread for other callers, and refuses further pieces of one with too many", async () => {
    const run = openPool({ piecesPerCaller: 3 });
    await run({ does: "echo" });

    const spinning = [1, 2, 3].map(() => run({ does: "spin" }, { caller: "costly" }));
    const ended = Promise.allSettled(spinning);
    await assert.rejects(run({ does: "echo" }, { caller: "costly" }), failsBy("caller-busy"));
    for (let n = 0; n < 5; n++) assert.equal(await run({ does: "echo", value: n }, { caller: "other" }), n);

    await pools.at(-1)!.close();
    for (const one of await ended) assert.ok(one.status === "rejected" && failsBy("closed")(one.reason));
    await assert.rejects(run({ does: "echo" }), failsBy("closed"));
  });

  it("refuses the pieces of a program that can't be loaded", async () => {
    const run = openPool({ program: "./no-such-worker" });

    await assert.rejects(run({ does: "echo" }), failsBy("ended"));
    await assert.rejects(run({ does: "echo" }), failsBy("ended"));
  });

  it("ends idle threads, and starts others when they are needed", async () => {
    const run = openPool({ idleMs: 1 });

    const first = await run({ does: "identify" });
    await until("another thread", async () => (await run({ does: "identify" })) !== first);
  });
});

describe("the queue of callers", () => {
  const item = (caller: string, n = 0) => ({ caller, n });

  it("serves callers in turn, first those who used the least time lately", () => {
    const queue = new CallerQueue<{ caller: string; n: number }>(10, 100, 5);
    for (let n = 0; n < 3; n++) queue.add(item("costly", n));
    assert.deepEqual(queue.next(), item("costly"));
    queue.done("costly", 1000);
    for (const caller of ["cheap", "new"]) queue.add(item(caller));
    assert.equal(queue.next()!.caller, "cheap");
    queue.done("cheap", 10);

    const served = [];
    for (let next = queue.next(); next; next = queue.next()) {
      served.push(`${next.caller} ${next.n}`);
      queue.done(next.caller, 10);
    }

    assert.deepEqual(served, ["new 0", "costly 1", "costly 2"]);
  });

  it("removes the newest item of the caller with the most of them when it is full", () => {
    const queue = new CallerQueue<{ caller: string; n: number }>(10, 4, 1);
    for (let n = 0; n < 3; n++) assert.equal(queue.add(item("many", n)), undefined);
    assert.equal(queue.add(item("one")), undefined);

    assert.deepEqual(queue.add(item("two")), item("many", 2));
    assert.deepEqual(queue.add(item("three")), item("many", 1));
    assert.deepEqual(
      queue.drain().map(({ caller, n }) => `${caller} ${n}`),
      ["many 0", "one 0", "two 0", "three 0"],
    );
  });

  it("runs only some items of one caller at a time", () => {
    const queue = new CallerQueue<{ caller: string; n: number }>(3, 100, 1);
    for (let n = 0; n < 3; n++) queue.add(item("a", n));
    assert.equal(queue.add(item("a", 3)), "caller");
    assert.equal(queue.next()?.n, 0);
    assert.equal(queue.next(), undefined);
    assert.equal(queue.runnable(), 0);
    assert.equal(queue.add(item("a", 3)), "caller");

    queue.done("a", 1);
    assert.equal(queue.add(item("a", 3)), undefined);
    assert.equal(queue.next()?.n, 1);
  });
});
