/**
 * The child process of a sync, killed with SIGKILL at any moment, repeatedly: the next one continues. `SVC_RUNS`
 * sets the number of kills.
 */
import assert from "node:assert/strict";
import { after, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import { ChildProcessError } from "../../workers/child-error.ts";
import { closeChildren, runInChild } from "../../workers/children.ts";
import { openRandom } from "../support/random.ts";
import { runCount } from "../support/run-count.ts";
import { newLedger, readOutside } from "../support/sync/ledger.ts";
import { remoteActor } from "../support/sync/remote-actor.ts";
import { checkRestored, checkScenario } from "../support/sync/scenario-checks.ts";
import {
  newScenario,
  reconciled,
  startScenarioEnvironment,
  type Scenario,
} from "../support/sync/scenario.ts";
import { peopleHere } from "../support/sync/service-actor.ts";
import { until } from "../support/until.ts";

const kills = runCount(2, 60);
const seed = Number(process.env["SVC_SYNC_SEED"] ?? 9002);
/** About the duration of a sync of these scenarios, on a busy machine. */
const maxDurationMs = 400;

const environment = await startScenarioEnvironment();

after(async () => {
  await closeChildren(environment.service.app);
  await environment.close();
});

/** Runs a sync in its process, and kills that after a delay. Returns whether it was killed. */
async function runAndKill(scenario: Scenario, afterMs: number): Promise<boolean> {
  const { app } = environment.service;
  const killing = new AbortController();
  const state = { isOver: false };
  const running = runInChild(
    app,
    "sync.run",
    { connectionId: scenario.connectionId },
    { maxOldSpaceMb: 1024, timeoutMs: 60_000, signal: killing.signal },
  )
    .then(() => false)
    .catch((error: unknown) => {
      assert.ok(error instanceof ChildProcessError && error.code === "child_cancelled", String(error));
      return true;
    })
    .finally(() => (state.isOver = true));
  while (!state.isOver && !(await scenario.connection()).lease) await sleep(2);
  await sleep(afterMs);
  killing.abort();
  return running;
}

/** A child process that has ended its job projects its changes a moment later. */
async function isProjected({ org }: Scenario): Promise<boolean> {
  const { database } = environment.service.app.storage;
  const unsettled = { tenantId: org.id, pendingSince: { $exists: true } };
  return (await database.collection<SkillDoc>("skills").countDocuments(unsettled)) === 0;
}

it(`continues after ${kills} killed syncs, of seed ${seed}`, async () => {
  const random = openRandom(seed);
  const scenario = await newScenario(environment, "github-token");
  const ledger = newLedger();
  let lines = 0;
  const token = () => `line-${seed}-${lines++}`;
  const here = peopleHere(scenario, ledger, random, token);
  const remote = remoteActor(scenario, ledger, random, token, { rewinds: false });
  const checked = new Set<string>();
  scenario.copy.update();
  ledger.outside = readOutside(scenario, []);

  let killed = 0;
  for (let turn = 0; killed < kills; turn++) {
    assert.ok(turn < 4 * kills + 4, `only ${killed} of ${turn} syncs could be killed`);
    for (let acts = 3; acts > 0; acts--) await here.act();
    remote.push();
    remote.push();
    await environment.service.settled();
    await scenario.look();
    const delayMs = random.below(maxDurationMs);
    const isKilled = await runAndKill(scenario, delayMs);
    if (isKilled) {
      killed++;
      await reconciled(environment);
      if (random.chance(0.5)) await here.act(true);
    } else await until("the projections of the child process", () => isProjected(scenario));
    try {
      await scenario.settle();
      await checkScenario(scenario, ledger, checked);
    } catch (error) {
      throw new Error(`killed after ${delayMs} ms in turn ${turn}: ${String(error)}`, { cause: error });
    }
  }
  await checkRestored(scenario, ledger);
  await scenario.close();
});
