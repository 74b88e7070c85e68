/**
 * One commit that changes every skill, and one change here that does: in linear time and memory, while other requests
 * are served. `SVC_RUNS` sets the number; 5000 is the required one.
 */
import assert from "node:assert/strict";
import { after, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { closeChildren, runInChild } from "../../workers/children.ts";
import { runCount } from "../support/run-count.ts";
import { newScenario, startScenarioEnvironment } from "../support/sync/scenario.ts";

const number = runCount(60, 5000);
/** The limits of the process, as in `workers/processors.ts`. */
const childLimits = { maxOldSpaceMb: 1024, timeoutMs: 3_600_000 };

const environment = await startScenarioEnvironment();

after(async () => {
  await closeChildren(environment.service.app);
  await environment.close();
});

it(
  `imports ${number} new skills from one push, and ${number} edits from another`,
  { timeout: 3_600_000 },
  async (test) => {
    const scenario = await newScenario(environment, "github-token");
    const { app } = environment.service;
    const { copy, connectionId } = scenario;
    await scenario.settle();

    /** Runs a requested sync as the worker does, and observes it. */
    async function run(what: string): Promise<void> {
      await scenario.tell(scenario.tip()!);
      const seen: number[] = [];
      let slowestMs = 0;
      const state = { isOver: false };
      const startedAt = Date.now();
      const running = runInChild(app, "sync.run", { connectionId }, childLimits).finally(
        () => (state.isOver = true),
      );
      while (!state.isOver) {
        await Promise.race([running, sleep(200)]);
        const [latest] = await app.storage.syncRuns.list({ connectionId, limit: 1 });
        if (latest?.outcome === "running") seen.push(latest.counts.imported + latest.counts.created);
        const askedAt = Date.now();
        const answer = await scenario.api("GET", `/api/skills?tenant_id=${scenario.org.id}&limit=20`);
        assert.equal(answer.status, 200);
        slowestMs = Math.max(slowestMs, Date.now() - askedAt);
      }
      await running;
      const ms = Date.now() - startedAt;
      const [last] = await app.storage.syncRuns.list({ connectionId, limit: 1 });
      assert.equal(last?.outcome, "done", JSON.stringify(last));
      assert.equal(last.counts.imported + last.counts.created, number);
      assert.equal(last.counts.refused, 0);
      const steps = new Set(seen).size;
      test.diagnostic(
        `${what}: ${ms} ms, ${(ms / number).toFixed(1)} ms each; ${steps} counts seen; a list took at most ${slowestMs} ms`,
      );
      if (number >= 1000) assert.ok(steps > 3, "its progress is not to be seen");
      await scenario.settle();
    }

    copy.update();
    for (let index = 0; index < number; index++)
      copy.write(`skills/room-${index % 50}/many-${index}/SKILL.md`, `# Many ${index}\n\nfirst\n`);
    copy.push("Add many");
    await run("created");

    copy.update();
    for (let index = 0; index < number; index++) {
      const file = `skills/room-${index % 50}/many-${index}/SKILL.md`;
      copy.write(file, copy.read(file).replace("first", "second"));
    }
    copy.push("Edit many");
    await run("edited");
    const tip = scenario.tip();
    await app.storage.connections.request({ id: connectionId }, { now: app.now() });
    const startedAt = Date.now();
    await scenario.settle();
    test.diagnostic(`nothing to do: ${Date.now() - startedAt} ms`);
    assert.equal(scenario.tip(), tip);
    await scenario.close();
  },
);
