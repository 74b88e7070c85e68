// Jobs under the names of an earlier version, on whichever engine: run by embedded.test.ts and redis.test.ts.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { embeddedBackend, redisBackend } from "../../src/queue/backend.ts";
import { openQueue, type Queue } from "../../src/queue/index.ts";
import { startPatience } from "../../src/queue/wait.ts";
import { everyProcessor } from "../support/processors.ts";
import { until } from "../support/until.ts";
import type { EngineUnderTest } from "./suite.ts";

export function describeRenamedJobs(engineName: string, start: () => Promise<EngineUnderTest>) {
  describe(`jobs of an earlier version on ${engineName}`, () => {
    let engine: EngineUnderTest;
    let queue: Queue;
    before(async () => {
      engine = await start();
      queue = await openQueue(engine.place, engine.log);
    });
    after(async () => {
      await queue?.close();
      await engine?.stop();
    });

    it("run once under their current names, and their schedules end", async () => {
      const { place } = engine;
      const backend =
        "redisUrl" in place
          ? redisBackend(place.redisUrl)
          : await embeddedBackend(place.dataDir, engine.log, startPatience);
      const fail = (error: Error) => assert.fail(error);
      const [previous, folders] = [backend.queue("upkeep", fail), backend.queue("folders", fail)];
      const hourly = { name: "upkeep.purge", data: {}, opts: {} };
      await previous.upsertJobScheduler("upkeep.purge", { every: 3_600_000 }, hourly);
      const skill = { skillId: "s1", tenantId: "t1" };
      const deduplication = { id: "upkeep.erase-skill/erase-s1" };
      await previous.add("upkeep.erase-skill", skill, { deduplication });
      await previous.add("upkeep.repack", skill, { delay: 3_600_000 });
      await folders.add("folders.govern", { tenantId: "t1" }, {});

      for (let round = 0; round < 2; round++) await queue.adoptRenamedJobs();

      const states = ["waiting", "delayed", "failed"] as const;
      const left = await Promise.all(states.map((state) => previous.getRanges([state], 0, -1, true)));
      const ran: unknown[] = [];
      const consumers = queue.startConsumers(
        {
          ...everyProcessor(async () => {}),
          "maintenance.erase-skill": async (payload) => void ran.push(payload),
          "maintenance.repack": async () => void ran.push("repack"),
          "folders.update-access": async (payload) => void ran.push(payload),
        },
        { concurrency: 1 },
      );
      await until("the jobs", () => ran.length === 3);
      await consumers.close();
      await Promise.all([previous.close(), folders.close()]);
      await backend.close();
      assert.ok(
        left.flat().every((id) => id.startsWith("repeat:upkeep.purge")),
        left.flat().join(", "),
      );
      assert.deepEqual(new Set(ran), new Set([skill, "repack", { tenantId: "t1" }]));
      const counts = await queue.counts();
      assert.deepEqual(
        [counts.maintenance.delayed, counts.maintenance.failed, counts.folders.failed],
        [0, 0, 0],
      );
    });
  });
}
