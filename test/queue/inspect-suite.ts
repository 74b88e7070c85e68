// The queue's contract for administrators on both engines: run by embedded.test.ts and redis.test.ts.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { JobState } from "../../contract/vocabulary.ts";
import {
  type Consumers,
  type JobRun,
  openQueue,
  type Processors,
  type Queue,
} from "../../src/queue/index.ts";
import { everyProcessor } from "../support/processors.ts";
import { until } from "../support/until.ts";
import type { EngineUnderTest } from "./suite.ts";

const tenantId = "t1";
const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

export function describeInspection(engineName: string, start: () => Promise<EngineUnderTest>) {
  describe(`inspecting the queue on ${engineName}`, () => {
    let engine: EngineUnderTest;
    let queue: Queue;
    let consumers: Consumers | undefined;
    const runs: JobRun[] = [];

    const consume = (processors: Partial<Processors>) => {
      consumers = queue.startConsumers(
        { ...everyProcessor(async () => {}), ...processors },
        { concurrency: 5, observe: (run) => runs.push(run) },
      );
    };
    const permanently = (message: string) => Object.assign(new Error(message), { retryable: false });
    const add = (skillId: string, delayMs?: number) =>
      queue.enqueue(
        "maintenance.erase-skill",
        { skillId, tenantId },
        delayMs === undefined ? {} : { delayMs },
      );
    const listed = async (state: JobState) => {
      const ids = await queue.inspector.ids("maintenance", state, 0, 100);
      return queue.inspector.jobs("maintenance", state, ids);
    };
    const skillsOf = async (state: JobState) => (await listed(state)).map((job) => job.payload["skillId"]);

    before(async () => {
      engine = await start();
      queue = await openQueue(engine.place, engine.log);
    });
    afterEach(async () => {
      await consumers?.close();
      consumers = undefined;
      runs.length = 0;
      await queue.inspector.resume("maintenance");
      for (const state of ["waiting", "delayed", "failed", "completed"] as const)
        for (const job of await listed(state))
          if (!job.isScheduled) await queue.inspector.remove("maintenance", job.id);
    });
    after(async () => {
      await queue?.close();
      await engine?.stop();
    });

    it("keeps a permanently failed job with its errors and history, and retries it from the start", async () => {
      let isMended = false;
      consume({
        async "maintenance.erase-skill"() {
          if (!isMended) throw permanently("the disk is on fire");
        },
      });
      await add("a");
      await until("the failure", async () => (await listed("failed")).length === 1);
      const [failed] = await listed("failed");
      const detail = await queue.inspector.find("maintenance", failed!.id);

      assert.deepEqual(
        [failed!.name, failed!.payload, failed!.error, failed!.attempts],
        ["maintenance.erase-skill", { skillId: "a", tenantId }, "the disk is on fire", 10],
      );
      assert.equal(detail!.state, "failed");
      assert.match(detail!.stacks.join("\n"), /the disk is on fire\n\s+at .*inspect-suite/);
      assert.match(detail!.log.join("\n"), /attempt 1 failed after \d+ ms: the disk is on fire/);
      isMended = true;
      assert.equal(await queue.inspector.retry("maintenance", failed!.id), undefined);
      await until("its end", async () => (await listed("completed")).length === 1);
      const done = await queue.inspector.find("maintenance", failed!.id);
      assert.equal(done!.state, "completed");
      assert.match(done!.log.join("\n"), /attempt 1 failed/, "its history is kept");
      assert.equal(await queue.inspector.retry("maintenance", failed!.id), "not_failed");
      assert.deepEqual(
        runs.map(({ name, outcome }) => [name, outcome]),
        [
          ["maintenance.erase-skill", "failed"],
          ["maintenance.erase-skill", "completed"],
        ],
      );
    });

    it("gives a retried job all its attempts again", async () => {
      let attempts = 0;
      consume({
        async "maintenance.erase-skill"() {
          attempts++;
          if (attempts === 1) throw permanently("first");
          if (attempts === 2) throw new Error("second");
        },
      });
      await add("again");
      await until("the failure", async () => (await listed("failed")).length === 1);
      const [failed] = await listed("failed");

      await queue.inspector.retry("maintenance", failed!.id);
      await until("the third attempt", () => attempts === 3);

      assert.deepEqual(
        runs.slice(0, 2).map(({ outcome }) => outcome),
        ["failed", "retried"],
      );
    });

    it("waits as long as a host asks for", async () => {
      consume({
        async "maintenance.erase-skill"() {
          throw Object.assign(new Error("slow down"), { retryAfterMs: 600_000 });
        },
      });
      await add("limited");
      await until("the pause", async () => (await listed("delayed")).length === 1);
      const [waiting] = await listed("delayed");

      const inMs = waiting!.runsAt!.getTime() - Date.now();
      assert.ok(inMs > 590_000 && inMs < 605_000, `${inMs} ms`);
      assert.equal(waiting!.error, "slow down");
    });

    it("promotes a delayed job, and nothing else", async () => {
      await add("later", 600_000);
      const [delayed] = await listed("delayed");

      assert.ok(Math.abs(delayed!.runsAt!.getTime() - Date.now() - 600_000) < 10_000);
      assert.equal(await queue.inspector.promote("maintenance", delayed!.id), undefined);
      assert.deepEqual(await skillsOf("waiting"), ["later"]);
      assert.equal(await queue.inspector.promote("maintenance", delayed!.id), "not_delayed");
      assert.equal(await queue.inspector.promote("maintenance", "none"), "missing");
    });

    it("removes what does not run: not a running job, and not the next one of a schedule", async () => {
      let letGo = () => {};
      const held = new Promise<void>((resolve) => (letGo = resolve));
      consume({ "maintenance.erase-skill": () => held });
      await add("running");
      await until("the start", async () => (await listed("active")).length === 1);
      const [active] = await listed("active");
      assert.equal(await queue.inspector.remove("maintenance", active!.id), "active");
      letGo();
      await until("its end", async () => (await listed("completed")).length === 1);
      assert.equal(await queue.inspector.remove("maintenance", active!.id), undefined);
      assert.equal(await queue.inspector.find("maintenance", active!.id), undefined);
      assert.equal(await queue.inspector.remove("maintenance", active!.id), "missing");

      await queue.upsertSchedule("maintenance.purge", {}, { cron: "0 0 1 1 *" });
      const scheduled = (await listed("delayed")).find((job) => job.isScheduled);
      assert.equal(await queue.inspector.remove("maintenance", scheduled!.id), "scheduled");
      await queue.removeSchedule("maintenance.purge");
    });

    it("lists what waits in order, the next one first, and what failed from the latest on", async () => {
      for (const skillId of ["1", "2", "3"]) await add(skillId);
      await add("soon", 300_000);
      await add("late", 600_000);

      assert.deepEqual(await skillsOf("waiting"), ["1", "2", "3"]);
      assert.deepEqual(await skillsOf("delayed"), ["soon", "late"]);
      assert.deepEqual(
        await queue.inspector.ids("maintenance", "waiting", 1, 1).then((ids) => ids.length),
        1,
      );
      consumers = queue.startConsumers(
        everyProcessor(async () => {
          await sleep(5);
          throw permanently("no");
        }),
        { concurrency: 1 },
      );
      await until("the failures", async () => (await listed("failed")).length === 3);
      assert.deepEqual(await skillsOf("failed"), ["3", "2", "1"]);
    });

    it("begins no job of a paused queue, counts what waits in it, and goes on when it is resumed", async () => {
      let ran = 0;
      consume({ "maintenance.erase-skill": async () => void ran++ });
      await queue.inspector.pause("maintenance");
      await add("held");
      await sleep(300);

      assert.equal(ran, 0);
      assert.equal(await queue.inspector.isPaused("maintenance"), true);
      assert.equal(await queue.inspector.isPaused("mail"), false);
      assert.equal((await queue.counts()).maintenance.waiting, 1);
      assert.deepEqual(await skillsOf("waiting"), ["held"]);
      const [waiting] = await listed("waiting");
      assert.equal((await queue.inspector.find("maintenance", waiting!.id))?.state, "waiting");
      await queue.inspector.resume("maintenance");
      await until("the run", () => ran === 1);
    });
  });
}
