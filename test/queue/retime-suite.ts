// Bringing a waiting job forward, on whichever engine: run by embedded.test.ts and redis.test.ts.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openQueue, type Queue } from "../../src/queue/index.ts";
import { everyProcessor } from "../support/processors.ts";
import { until } from "../support/until.ts";
import type { EngineUnderTest } from "./suite.ts";

export function describeRetiming(engineName: string, start: () => Promise<EngineUnderTest>) {
  describe(`a waiting job on ${engineName}`, () => {
    let engine: EngineUnderTest;
    let queue: Queue;
    let runs: number;

    const userId = "u1";
    const ask = (options: object = {}) =>
      queue.enqueue("mail.account", { userId }, { jobId: userId, ...options });
    const counts = async () => (await queue.counts()).mail;
    const consume = (work: () => Promise<void>) =>
      queue.startConsumers(
        { ...everyProcessor(async () => {}), "mail.account": work },
        { concurrency: 5, outageDelayMs: 10 },
      );

    before(async () => {
      engine = await start();
      queue = await openQueue(engine.place, engine.log);
    });
    after(async () => {
      await queue?.close();
      await engine?.stop();
    });

    it("waits for an unavailable database without using up its ten attempts", async () => {
      runs = 0;
      const consumers = consume(async () => {
        if (++runs <= 12) throw Object.assign(new Error("no server"), { isOutage: true });
      });

      await ask();
      await until("the run after the outage", () => runs === 13);
      await until("no active job", async () => (await counts()).active === 0);
      await consumers.close();

      assert.equal((await counts()).failed, 0);
    });

    it("runs at once if a later job with its id asks for it", async () => {
      runs = 0;
      const consumers = consume(async () => void runs++);

      await ask({ delayMs: 600_000 });
      await ask();
      assert.equal((await counts()).delayed, 1);
      await ask({ retime: true });
      await until("the run", () => runs === 1);
      await until("no active job", async () => (await counts()).active === 0);
      await consumers.close();

      assert.deepEqual([runs, (await counts()).delayed], [1, 0]);
    });

    it("has its next attempt at once if a later job with its id asks for it", async () => {
      runs = 0;
      const consumers = consume(async () => {
        if (++runs === 1) throw new Error("not now");
      });

      await ask();
      await until("the delayed attempt", async () => (await counts()).delayed === 1);
      await ask();
      assert.equal((await counts()).delayed, 1);
      await ask({ retime: true });
      await until("the second run", () => runs === 2);
      await until("no active job", async () => (await counts()).active === 0);
      await consumers.close();

      assert.deepEqual([runs, (await counts()).delayed], [2, 0]);
    });
  });
}
