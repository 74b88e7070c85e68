/**
 * The child process of a sync, killed with SIGKILL at any moment, repeatedly: the next one continues. `SVC_SYNC_KILLS`
 * sets the number of kills.
 */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ChildProcessError } from "../../workers/child-error.ts";
import { closeChildren, runInChild } from "../../workers/children.ts";
import { checkRestored, checkWorld } from "../support/sync/scenario-checks.ts";
import { gitaOf } from "../support/sync/remote-actor.ts";
import { peopleHere } from "../support/sync/service-actor.ts";
import { dice, newLedger, readOutside } from "../support/sync/ledger.ts";
import {
  randomWorld,
  reconciled,
  startGrounds,
  type Grounds,
  type RandomWorld,
} from "../support/sync/scenario.ts";

const kills = Number(process.env["SVC_SYNC_KILLS"] ?? 2);
const seed = Number(process.env["SVC_SYNC_SEED"] ?? 9002);
/** About the duration of a sync of these scenarios, on a busy machine. */
const longestMs = 400;

let grounds: Grounds;
before(async () => {
  grounds = await startGrounds();
});
after(async () => {
  await closeChildren(grounds.service.app);
  await grounds.close();
});

/** Runs a sync in its process, and kills that after a delay. Returns whether it was killed. */
async function runAndKill(world: RandomWorld, afterMs: number): Promise<boolean> {
  const { app } = grounds.service;
  const killing = new AbortController();
  const state = { isOver: false };
  const running = runInChild(
    app,
    "sync.run",
    { connectionId: world.connectionId },
    { maxOldSpaceMb: 1024, timeoutMs: 60_000, signal: killing.signal },
  )
    .then(() => false)
    .catch((error: unknown) => {
      assert.ok(error instanceof ChildProcessError && error.code === "child_cancelled", String(error));
      return true;
    })
    .finally(() => (state.isOver = true));
  while (!state.isOver && !(await world.connection()).lease) await sleep(2);
  await sleep(afterMs);
  killing.abort();
  return running;
}

it(`continues after ${kills} killed syncs, of seed ${seed}`, async () => {
  const die = dice(seed);
  const world = await randomWorld(grounds, "github-token");
  const ledger = newLedger();
  let lines = 0;
  const token = () => `line-${seed}-${lines++}`;
  const here = peopleHere(world, ledger, die, token);
  const gita = gitaOf(world, ledger, die, token, { rewinds: false });
  const checked = new Set<string>();
  world.copy.update();
  ledger.outside = readOutside(world, []);

  let killed = 0;
  for (let turn = 0; killed < kills; turn++) {
    assert.ok(turn < 4 * kills + 4, `only ${killed} of ${turn} syncs could be killed`);
    for (let acts = 3; acts > 0; acts--) await here.act();
    gita.push();
    gita.push();
    await grounds.service.settled();
    await world.look();
    const delayMs = die.below(longestMs);
    const isKilled = await runAndKill(world, delayMs);
    if (isKilled) {
      killed++;
      await reconciled(grounds);
      if (die.chance(0.5)) await here.act(true);
    }
    try {
      await world.settle();
      await checkWorld(world, ledger, checked);
    } catch (error) {
      throw new Error(`killed after ${delayMs} ms in turn ${turn}: ${String(error)}`, { cause: error });
    }
  }
  await checkRestored(world, ledger);
  await world.close();
});
