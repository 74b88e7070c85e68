/** kill -9 of the MongoDB engine alone, while the service runs: the engine recovers automatically. */
import assert from "node:assert/strict";
import path from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { checkAnswers, makeSkills, startPublishers } from "../support/publishers.ts";
import { runCount } from "../support/run-count.ts";
import { assertNothingRuns, removeFolder, startServer, temporaryFolder } from "../support/server.ts";

const kills = runCount(2, 100);
const env = { RATE_LIMITS: "false", LOG_LEVEL: "warn" };

describe("a service whose MongoDB engine is killed during publishes", () => {
  const dataDir = temporaryFolder("engine-kill");

  after(async () => {
    await assertNothingRuns(dataDir);
    removeFolder(dataDir);
  });

  it("continues within seconds, returns nothing but 503 in between, and loses nothing", async (context) => {
    const server = await startServer({ dataDir, env });
    context.after(() => server.kill("SIGKILL"));
    const { token, skills } = await makeSkills(server);
    const publishers = startPublishers({ skills, token, url: () => server.url });
    context.after(() => publishers.stop());
    const pauses: number[] = [];
    for (let round = 0; round < kills; round++) {
      // Shorter runs would count as an engine that does not recover.
      await sleep(1300);
      const engine = server.engines().find(({ command }) => command.includes("mongo-child"));
      assert.ok(engine, "the engine is running");
      process.kill(engine.pid, "SIGKILL");
      const killedAt = performance.now();
      assert.ok(await publishers.acknowledged(5, 120_000), "publishing does not go on");
      pauses.push(Math.round(performance.now() - killedAt));
    }
    await publishers.stop();

    context.diagnostic(`publishing went on after ${pauses.join(", ")} ms`);
    context.diagnostic(
      `${publishers.count("acknowledged")} acknowledged, ${publishers.count("unavailable")} unavailable`,
    );
    const odd = publishers.attempts.filter(({ outcome }) => outcome === "refused" || outcome === "cut");
    const bugs = server.log().filter(({ msg }) => msg === "a request failed unexpectedly");
    assert.deepEqual([odd, bugs], [[], []], "a request waits, succeeds, or gets 503");
    const service = { url: server.url, token, gitRoot: path.join(dataDir, "git") };
    const { versions, uncertain } = await checkAnswers(service, skills, publishers.attempts);
    context.diagnostic(`${versions} versions are there`);
    // The service kept running, so it could determine the result of a write whose response was lost.
    assert.equal(uncertain, 0, "versions that exist although their publish was answered with 503");
    await server.stop();
  });
});
