import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Coalescer } from "../../contract/concurrency/coalescer.ts";
import { keepSuccess } from "../../contract/concurrency/keep-success.ts";
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { retryLost } from "../../contract/concurrency/retry-lost.ts";
import { SingleFlight } from "../../contract/concurrency/single-flight.ts";
import { withinTime } from "../../contract/concurrency/within-time.ts";

describe("mapLimit", () => {
  it("returns the results in the order of the items, with at most the given number of calls at a time", async () => {
    let running = 0;
    let most = 0;

    const results = await mapLimit([30, 5, 20, 1], 2, async (ms) => {
      most = Math.max(most, ++running);
      await sleep(ms);
      running--;
      return ms * 2;
    });

    assert.deepEqual(results, [60, 10, 40, 2]);
    assert.equal(most, 2);
  });

  it("starts nothing after a failure, and throws it once the running calls have ended", async () => {
    const ended: number[] = [];

    const mapping = mapLimit([1, 2, 3, 4], 2, async (n) => {
      await sleep(n * 10);
      if (n === 1) throw new Error("first");
      ended.push(n);
    });

    await assert.rejects(mapping, /first/);
    assert.deepEqual(ended, [2]);
  });
});

describe("withinTime", () => {
  const never = new Promise<never>(() => undefined);

  it("returns the result or the failure of work that is in time", async () => {
    assert.equal(await withinTime(Promise.resolve(1), 60_000, assert.fail), 1);
    await assert.rejects(withinTime(Promise.reject(new Error("failed")), 60_000, assert.fail), /failed/);
  });

  it("returns the other result, or throws the error, of work that is late", async () => {
    assert.equal(await withinTime(never, 1, () => "late"), "late");
    const failing = withinTime(never, 1, () => {
      throw new Error("too late");
    });
    await assert.rejects(failing, /too late/);
  });
});

describe("retryLost", () => {
  const exhausted = () => new Error("too many at once");

  it("repeats lost attempts until one has a result, with a pause after each lost one", async () => {
    const pauses: number[] = [];
    const results = [undefined, null, false, 0, 1];
    const pauseMs = (attempt: number) => {
      pauses.push(attempt);
      return 0;
    };

    const result = await retryLost({ attempts: 5, pauseMs, exhausted }, async (attempt) => results[attempt]);

    assert.equal(result, 0);
    assert.deepEqual(pauses, [0, 1, 2]);
  });

  it("throws the given error once every attempt is lost, and an error of an attempt at once", async () => {
    const attempts: number[] = [];
    const losing = retryLost({ attempts: 3, exhausted }, async (attempt) => {
      attempts.push(attempt);
      return undefined;
    });
    await assert.rejects(losing, /too many at once/);
    assert.deepEqual(attempts, [0, 1, 2]);

    const failing = retryLost({ attempts: 3, exhausted }, () => Promise.reject(new Error("refused")));
    await assert.rejects(failing, /refused/);
  });
});

describe("SingleFlight", () => {
  it("shares a running call among callers with the same key", async () => {
    const flights = new SingleFlight<number>(Infinity);
    let runs = 0;
    const work = async () => {
      await sleep(5);
      return ++runs;
    };

    assert.deepEqual(await Promise.all([flights.run("a", work), flights.run("a", work)]), [1, 1]);
    assert.equal(await flights.run("a", work), 2);
  });

  it("limits the calls over all keys, also after one has failed", async () => {
    const flights = new SingleFlight<void>(1);
    let running = 0;
    let most = 0;
    const work = async (fails: boolean) => {
      most = Math.max(most, ++running);
      await sleep(5);
      running--;
      if (fails) throw new Error("failed");
    };

    const results = await Promise.allSettled(
      ["a", "b", "c"].map((key) => flights.run(key, () => work(key === "a"))),
    );

    assert.deepEqual(
      results.map(({ status }) => status),
      ["rejected", "fulfilled", "fulfilled"],
    );
    assert.equal(most, 1);
  });
});

describe("Coalescer", () => {
  it("merges all calls made during a run into one next run, which sees the latest state", async () => {
    const coalescer = new Coalescer<void>();
    const written: number[] = [];
    let state = 0;
    const write = async () => {
      const seen = state;
      await sleep(5);
      written.push(seen);
    };

    const calls = [1, 2, 3, 4].map((next) => {
      const call = coalescer.run("a", write);
      state = next;
      return call;
    });
    await Promise.all(calls);

    assert.deepEqual(written, [0, 4]);
  });

  it("starts the next run after a failed one", async () => {
    const coalescer = new Coalescer<string>();
    const failing = coalescer.run("a", () => Promise.reject(new Error("failed")));
    const next = coalescer.run("a", async () => "done");

    await assert.rejects(failing, /failed/);
    assert.equal(await next, "done");
  });
});

describe("keepSuccess", () => {
  it("calls once for concurrent and later callers, and again after a failure only", async () => {
    const outcomes = [() => Promise.reject(new Error("failed")), async () => "done"];
    let calls = 0;
    const kept = keepSuccess<string>(() => outcomes[calls++]!());

    const failing = [kept(), kept()];
    for (const one of failing) await assert.rejects(one, /failed/);
    assert.equal(calls, 1);
    assert.deepEqual(await Promise.all([kept(), kept()]), ["done", "done"]);
    assert.equal(await kept(), "done");
    assert.equal(calls, 2);
  });
});
