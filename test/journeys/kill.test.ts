/**
 * kill -9 of the service while several clients publish: no acknowledged version may be lost or unreadable, and no
 * rejected one may exist. `SVC_RUNS` sets the number of kills.
 */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import path from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmbeddedMongo } from "../../engines/mongo.ts";
import { startEmbeddedQueue } from "../../engines/queue.ts";
import { checkAnswers, makeSkills, startPublishers } from "../support/publishers.ts";
import { runCount } from "../support/run-count.ts";
import {
  type Server,
  assertNothingRuns,
  processesOf,
  removeFolder,
  runServer,
  startServer,
  temporaryFolder,
} from "../support/server.ts";

const kills = runCount(3, 500);
/** This many of the kills include the engines: a full start with cold engines follows each. */
const wholeKills = Math.max(1, Math.round(kills * 0.02));
const processes = 3;

const env = { RATE_LIMITS: "false", LOG_LEVEL: "warn" };

describe("a service that is killed during publishes", () => {
  const dataDir = temporaryFolder("kill");

  after(async () => {
    await assertNothingRuns(dataDir);
    removeFolder(dataDir);
  });

  it("loses nothing, and has no unreadable or unexpected version", async (context) => {
    const empty = await startServer({ dataDir, env });
    const { token, skills } = await makeSkills(empty);
    await empty.stop();
    const publishTo = (url: () => string | undefined) => startPublishers({ skills, token, url });
    const startedAt = performance.now();
    const tell = (text: string) =>
      context.diagnostic(`${Math.round((performance.now() - startedAt) / 1000)} s: ${text}`);
    let server: Server | undefined;
    const publishers = publishTo(() => server?.url);
    context.after(() => publishers.stop());
    const restarts: number[] = [];
    for (let round = 0; round < wholeKills; round++) {
      server = await startServer({ dataDir, env });
      restarts.push(server.startMs);
      await publishers.acknowledged(5, 60_000);
      await sleep(randomInt(300));
      const all = processesOf(dataDir);
      server = undefined;
      for (const { pid } of all) process.kill(pid, "SIGKILL");
    }
    tell(`${wholeKills} kills with both engines, starts took ${restarts.join(", ")} ms`);

    const done = await killProcesses(dataDir, kills - wholeKills, publishTo);
    await publishers.stop();
    tell(`${done.kills} kills of one of ${processes} processes, starts took ${done.medianStartMs} ms`);
    assert.equal(done.kills, kills - wholeKills);

    const attempts = [...publishers.attempts, ...done.attempts];
    const count = (outcome: string) => attempts.filter((attempt) => attempt.outcome === outcome).length;
    tell(
      `${attempts.length} publishes: ${count("acknowledged")} acknowledged, ${count("cut")} cut off, ` +
        `${count("unavailable")} unavailable, ${count("refused")} refused`,
    );
    const refusals = attempts.filter(({ outcome }) => outcome === "refused").map(({ answer }) => answer);
    assert.deepEqual([...new Set(refusals)], []);
    assert.ok(count("acknowledged") > done.kills, "hardly anything was published");
    assert.ok(count("cut") > 0, "no publish was ever cut off");

    const last = await startServer({ dataDir, env });
    context.after(() => last.kill("SIGKILL"));
    const service = { url: last.url, token, gitRoot: path.join(dataDir, "git") };
    const { versions, uncertain } = await checkAnswers(service, skills, attempts);
    tell(`${versions} versions are there, ${uncertain} of them from publishes that got no answer`);
    await last.stop();
    const verified = await runServer({ dataDir, env, args: ["verify"] });
    assert.match(verified.output, new RegExp(`${skills.length} skills, ${versions} versions, 0 faults`));
    assert.equal(verified.code, 0);
    tell("verified");
  });
});

/**
 * Several processes share one pair of engines, as API processes of a larger installation do; each is killed soon after
 * it responds and started again, so that publishing continues through the others.
 */
async function killProcesses(
  dataDir: string,
  wanted: number,
  publishTo: (url: () => string | undefined) => ReturnType<typeof startPublishers>,
) {
  const [mongo, queue] = await startEngines(dataDir);
  const up = new Set<Server>();
  const starts: number[] = [];
  let begun = 0;
  const publishers = publishTo(() => [...up][randomInt(Math.max(up.size, 1))]?.url);
  const lifeAfterLife = async () => {
    while (begun < wanted) {
      begun++;
      const server = await startServer({
        dataDir,
        env: { ...env, MONGODB_URL: mongo.uri },
        args: ["--role", "api"],
      });
      up.add(server);
      starts.push(server.startMs);
      await publishers.acknowledged(3, 60_000);
      await sleep(randomInt(300));
      up.delete(server);
      await server.kill("SIGKILL");
    }
  };
  try {
    await Promise.all(Array.from({ length: processes }, lifeAfterLife));
  } finally {
    await publishers.stop();
    await Promise.all([mongo.stop(), queue.stop()]);
  }
  const medianStartMs = starts.toSorted((a, b) => a - b)[starts.length >> 1];
  return { kills: starts.length, medianStartMs, attempts: publishers.attempts };
}

function startEngines(dataDir: string) {
  const log = { info() {}, warn() {}, error() {} };
  return Promise.all([
    startEmbeddedMongo({ dataDir: path.join(dataDir, "mongodb"), log }),
    startEmbeddedQueue({ dataDir: path.join(dataDir, "queue"), log }),
  ]);
}
