// The queue's contract on both engines: run by embedded.test.ts and redis.test.ts.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { after, afterEach, before, describe, it } from "node:test";
import type { Log } from "../../src/log.ts";
import {
  type Consumers,
  type ConsumerSettings,
  openQueue,
  type Processors,
  type Queue,
  type QueueLocation,
  QueueUnavailableError,
} from "../../src/queue/index.ts";
import { everyProcessor } from "../support/processors.ts";
import { programArgs } from "../support/root.ts";
import { runCount } from "../support/run-count.ts";
import { until } from "../support/until.ts";
import { assertSlowStart } from "./slow-start.ts";

export interface EngineUnderTest {
  place: QueueLocation;
  log: Log;
  /** The engine's process, or undefined where it is not ours to hurt. */
  pid(): number | undefined;
  /** Brings a killed engine back where nothing else does. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

const tenantId = "t1";
/** Jobs of each of ten producers in the flood during which the engine is killed. */
const jobsOfProducer = runCount(30, 60);
const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

export function describeQueue(engineName: string, start: () => Promise<EngineUnderTest>) {
  describe(`job queue on ${engineName}`, () => {
    let engine: EngineUnderTest;
    let queue: Queue;
    let nextId = 0;
    const freshId = () => `s${Date.now().toString(36)}-${nextId++}`;

    const consuming: Consumers[] = [];
    const consume = (
      processors: Partial<Processors>,
      settings: Partial<ConsumerSettings> = {},
    ): Consumers => {
      const every = { ...everyProcessor(async () => {}), ...processors };
      const consumers = queue.startConsumers(every, { concurrency: 5, ...settings });
      consuming.push(consumers);
      return consumers;
    };
    // After a test that failed before it closed them, they would take the jobs of the next one.
    afterEach(() => Promise.all(consuming.splice(0).map((consumers) => consumers.close())));
    const failedCount = async () => (await queue.counts()).maintenance.failed;

    before(async () => {
      engine = await start();
      queue = await openQueue(engine.place, engine.log);
    });
    after(async () => {
      await queue?.close();
      await engine?.stop();
    });

    it("delays a start while it is slow to respond, and logs what is waited for", (t) =>
      assertSlowStart(t, engine));

    it("hands each job's payload to its processor", async () => {
      const skillId = freshId();
      const seen: unknown[] = [];
      const consumers = consume({
        "maintenance.erase-skill": async (payload) => void seen.push(["erase", payload]),
        "maintenance.merge-packs": async (payload) => void seen.push(["merge", payload]),
      });

      await queue.enqueue("maintenance.erase-skill", { skillId, tenantId });
      await until("the first job", () => seen.length === 1);
      await queue.enqueue("maintenance.merge-packs", { skillId, tenantId });
      await until("the second job", () => seen.length === 2);
      await consumers.close();

      assert.deepEqual(seen, [
        ["erase", { skillId, tenantId }],
        ["merge", { skillId, tenantId }],
      ]);
    });

    it("tries a failed job again, each time after a longer pause", async () => {
      const startedAt: number[] = [];
      const consumers = consume({
        async "maintenance.erase-skill"() {
          startedAt.push(Date.now());
          if (startedAt.length < 3) throw new Error("not yet");
        },
      });

      await queue.enqueue("maintenance.erase-skill", { skillId: freshId(), tenantId });
      await until("three attempts", () => startedAt.length === 3);
      await consumers.close();

      const [first = 0, second = 0, third = 0] = startedAt;
      assert.ok(second - first >= 1300, `first pause ${second - first} ms`);
      assert.ok(third - second >= 2600, `second pause ${third - second} ms`);
    });

    it("fails a job at once where trying again cannot help", async () => {
      const failedBefore = await failedCount();
      let attempts = 0;
      const consumers = consume({
        async "maintenance.erase-skill"() {
          attempts++;
          throw Object.assign(new Error("no such thing"), { retryable: false });
        },
      });

      await queue.enqueue("maintenance.erase-skill", { skillId: freshId(), tenantId });
      await until("the failure", async () => (await failedCount()) === failedBefore + 1);
      await consumers.close();

      assert.equal(attempts, 1);
      assert.equal((await queue.counts()).maintenance.delayed, 0);
    });

    it("holds a delayed job back", async () => {
      let ranAt = 0;
      const consumers = consume({
        async "maintenance.erase-skill"() {
          ranAt = Date.now();
        },
      });
      const askedAt = Date.now();

      await queue.enqueue("maintenance.erase-skill", { skillId: freshId(), tenantId }, { delayMs: 600 });
      const { delayed } = (await queue.counts()).maintenance;
      await until("the job", () => ranAt > 0);
      await consumers.close();

      assert.equal(delayed, 1);
      assert.ok(ranAt - askedAt >= 590, `ran after ${ranAt - askedAt} ms`);
    });

    it("keeps one waiting job per id", async () => {
      const skillId = freshId();
      const later = freshId();
      const runs: string[] = [];

      for (let i = 0; i < 3; i++) {
        await queue.enqueue("maintenance.merge-packs", { skillId, tenantId }, { jobId: skillId });
      }
      const { waiting } = (await queue.counts()).maintenance;
      await queue.enqueue("maintenance.merge-packs", { skillId: later, tenantId }, { jobId: later });
      const consumers = consume(
        { "maintenance.merge-packs": async (job) => void runs.push(job.skillId) },
        { concurrency: 1 },
      );
      await until("the later run", () => runs.includes(later));
      await consumers.close();

      assert.equal(waiting, 1);
      assert.deepEqual(runs, [skillId, later]);
    });

    it("queues one more of an id behind the running one, and takes the id again once it is done", async () => {
      const skillId = freshId();
      let runs = 0;
      const held = new EventEmitter();
      const consumers = consume({
        async "maintenance.merge-packs"() {
          runs++;
          if (runs === 1) await once(held, "letGo");
        },
      });
      const add = () => queue.enqueue("maintenance.merge-packs", { skillId, tenantId }, { jobId: skillId });

      await add();
      await until("the first run", () => runs === 1);
      await add();
      await add();
      held.emit("letGo");
      await until("the second run", () => runs === 2);
      await sleep(200);
      const runsAfterBurst = runs;
      await add();
      await until("the third run", () => runs === 3);
      await consumers.close();

      assert.equal(runsAfterBurst, 2);
    });

    it("accepts an id again after its job failed permanently", async () => {
      const skillId = freshId();
      let runs = 0;
      const consumers = consume({
        async "maintenance.merge-packs"() {
          runs++;
          throw Object.assign(new Error("broken"), { retryable: false });
        },
      });
      const failedBefore = await failedCount();

      for (let i = 1; i <= 2; i++) {
        await queue.enqueue("maintenance.merge-packs", { skillId, tenantId }, { jobId: skillId });
        await until("the failure", async () => (await failedCount()) === failedBefore + i);
      }
      await consumers.close();

      assert.equal(runs, 2);
    });

    it("repeats a scheduled job until it is unscheduled, once per name", async () => {
      let runs = 0;
      const consumers = consume({
        async "maintenance.purge"() {
          runs++;
        },
      });

      await queue.upsertSchedule("maintenance.purge", {}, { everyMs: 60_000 });
      // Its first run starts at once, and plans the next one by the interval at that time.
      await until("the first run", () => runs === 1);
      await queue.upsertSchedule("maintenance.purge", {}, { everyMs: 300 });
      await until("three runs", () => runs >= 3);
      const wasThere = await queue.removeSchedule("maintenance.purge");
      await sleep(2000);
      const runsAtEnd = runs;
      await sleep(700);
      await consumers.close();

      assert.equal(wasThere, true);
      assert.equal(runs, runsAtEnd);
      assert.equal(await queue.removeSchedule("maintenance.purge"), false);
    });

    it("repeats by a cron pattern", async () => {
      let runs = 0;
      const consumers = consume({
        async "maintenance.reconcile"() {
          runs++;
        },
      });

      await queue.upsertSchedule("maintenance.reconcile", {}, { cron: "* * * * * *" });
      await until("two runs", () => runs >= 2);
      await queue.removeSchedule("maintenance.reconcile");
      await consumers.close();
    });

    it("finishes work in flight when it closes, and leaves the rest for later", async () => {
      const finished: string[] = [];
      const started: string[] = [];
      const process: Processors["maintenance.erase-skill"] = async ({ skillId }) => {
        started.push(skillId);
        await sleep(300);
        finished.push(skillId);
      };
      const first = consume({ "maintenance.erase-skill": process }, { concurrency: 1 });
      const [a, b] = [freshId(), freshId()];

      await queue.enqueue("maintenance.erase-skill", { skillId: a, tenantId });
      await queue.enqueue("maintenance.erase-skill", { skillId: b, tenantId });
      await until("the first start", () => started.length === 1);
      await first.close();
      const finishedAtClose = [...finished];
      const second = consume({ "maintenance.erase-skill": process }, { concurrency: 1 });
      await until("the second job", () => finished.length === 2);
      await second.close();

      assert.deepEqual(finishedAtClose, [a]);
      assert.deepEqual(finished, [a, b]);
    });

    it("gives up waiting at the deadline, and another consumer takes the job over", async () => {
      const skillId = freshId();
      let runs = 0;
      const stuck = consume(
        {
          "maintenance.erase-skill": () => {
            runs++;
            return new Promise(() => {});
          },
        },
        { closeDeadlineMs: 200, lockMs: 1000 },
      );
      await queue.enqueue("maintenance.erase-skill", { skillId, tenantId });
      await until("the start", () => runs === 1);

      const closedFrom = Date.now();
      await stuck.close();
      const tookMs = Date.now() - closedFrom;
      let isTakenOver = false;
      const other = consume(
        {
          async "maintenance.erase-skill"(payload) {
            isTakenOver = payload.skillId === skillId;
          },
        },
        { lockMs: 1000 },
      );
      await until("the takeover", () => isTakenOver);
      await other.close();

      assert.ok(tookMs < 4500, `closing took ${tookMs} ms`);
    });

    it("runs the job of a killed worker process again", async () => {
      const skillId = freshId();
      const child = spawn(
        process.execPath,
        [...programArgs("test/queue/worker-process.ts"), JSON.stringify(engine.place)],
        {
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
      const gone = once(child, "exit");
      await queue.enqueue("maintenance.erase-skill", { skillId, tenantId }, { jobId: skillId });

      const [line] = (await once(child.stdout, "data")) as [Buffer];
      child.kill("SIGKILL");
      await gone;
      const runs: string[] = [];
      const consumers = consume(
        { "maintenance.erase-skill": async (payload) => void runs.push(payload.skillId) },
        { lockMs: 1000 },
      );
      await until("the second run", () => runs.length === 1);
      await queue.enqueue("maintenance.erase-skill", { skillId, tenantId }, { jobId: skillId });
      await until("its id to be free again", () => runs.length === 2);
      await consumers.close();

      assert.equal(line.toString().trim(), skillId);
      assert.deepEqual(runs, [skillId, skillId]);
    });

    it("fails fast while the engine hangs, and works again afterwards", async () => {
      const pid = engine.pid()!;
      let isDone = false;
      process.kill(pid, "SIGSTOP");
      const askedAt = Date.now();
      try {
        const asked = [
          queue.enqueue("maintenance.erase-skill", { skillId: freshId(), tenantId }),
          queue.counts(),
        ];
        await Promise.all(asked.map((answer) => assert.rejects(answer, QueueUnavailableError)));
      } finally {
        process.kill(pid, "SIGCONT");
      }
      const tookMs = Date.now() - askedAt;

      const consumers = consume({
        async "maintenance.merge-packs"() {
          isDone = true;
        },
      });
      await queue.enqueue("maintenance.merge-packs", { skillId: freshId(), tenantId });
      await until("a job after the pause", () => isDone);
      await consumers.close();
      assert.ok(tookMs < 40_000, `the answers took ${tookMs} ms`);
    });

    it("loses no acknowledged job when the engine is killed in a flood", async () => {
      const victim = engine.pid()!;
      const failedBefore = await failedCount();
      const acknowledged = new Set<string>();
      const ran = new Set<string>();
      const consumers = consume(
        { "maintenance.erase-skill": async ({ skillId }) => void ran.add(skillId) },
        { lockMs: 2000 },
      );
      const producer = async (count: number) => {
        for (let i = 0; i < count; i++) {
          const skillId = freshId();
          try {
            await queue.enqueue("maintenance.erase-skill", { skillId, tenantId });
            acknowledged.add(skillId);
          } catch (error) {
            assert.ok(error instanceof QueueUnavailableError, String(error));
            await sleep(50);
          }
        }
      };

      const flood = Promise.all(Array.from({ length: 10 }, () => producer(jobsOfProducer)));
      await until("a hundred jobs", () => acknowledged.size >= 100);
      process.kill(victim, "SIGKILL");
      await engine.revive();
      await flood;
      await until("all of them to run", () => [...acknowledged].every((id) => ran.has(id)));
      await until("an empty queue", async () => (await queue.counts()).maintenance.active === 0);
      await consumers.close();

      const wanted = 10 * jobsOfProducer;
      assert.ok(acknowledged.size >= wanted - 100, `${acknowledged.size} of ${wanted} were acknowledged`);
      assert.notEqual(engine.pid(), victim);
      assert.equal(await failedCount(), failedBefore);
    });
  });
}
