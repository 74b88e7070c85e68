/**
 * Random edits on both sides over a real git host and real webhooks, with crashes at any durable step, network
 * failures, lost sync state and concurrent pushes: no edit is lost, the repository's is current, a second sync changes
 * nothing, other files stay unchanged, and a full sync makes both sides the same. `SVC_SYNC_SEED` repeats a scenario,
 * `SVC_RUNS` and `SVC_SYNC_ROUNDS` set the length.
 */
import { it } from "node:test";
import { flushProjections } from "../../src/skills/projection-queue.ts";
import { runConnection } from "../../workers/sync/run.ts";
import { runGit, type Trouble } from "../support/host/git-host.ts";
import { openRandom } from "../support/random.ts";
import { runCount } from "../support/run-count.ts";
import { closedAfter } from "../support/set-up.ts";
import { interrupted } from "../support/sync/crash-points.ts";
import { newLedger, readDirectories, readOutside } from "../support/sync/ledger.ts";
import { remoteActor } from "../support/sync/remote-actor.ts";
import { checkRestored, checkScenario } from "../support/sync/scenario-checks.ts";
import {
  connectedBy,
  newScenario,
  reconciled,
  startScenarioEnvironment,
  type Scenario,
} from "../support/sync/scenario.ts";
import { peopleHere } from "../support/sync/service-actor.ts";

const scenarios = runCount(1, 30);
const roundsEach = Number(process.env["SVC_SYNC_ROUNDS"] ?? 10);
/** The seed is fixed by default, so that a run of all tests depends only on the change it is run for. */
const firstSeed = Number(process.env["SVC_SYNC_SEED"] ?? 9002);
/** Longer than a sync of these scenarios takes. */
const maxSteps = 40;

const environment = await closedAfter(startScenarioEnvironment());

const troubles: Trouble[] = [
  { on: "fetch-refs", answer: { status: 503 } },
  { on: "fetch-refs", cutAfterBytes: 60 },
  { on: "fetch", cutAfterBytes: 150 },
  { on: "fetch", answer: { status: 502 } },
  { on: "push-refs", answer: { status: 503 } },
  { on: "push", answer: { status: 500 } },
  { on: "push", cutAfterBytes: 20 },
  { on: "push", loseAnswer: true },
  { on: "push", loseAnswer: true },
];

/** The service's own report of the state, for the analysis of a failure. */
async function lastRuns({ service, connectionId, repo }: Scenario): Promise<string> {
  const runs = await service.app.storage.syncRuns.list({ connectionId, limit: 4 });
  const reported = runs.map(({ outcome, commit, counts, refusals }) =>
    JSON.stringify({ outcome, commit, counts, refusals }),
  );
  const shown = runGit(repo.directory, "log", "-5", "--name-status", "--format=%h %an %s", "main");
  return [...reported, shown].join("\n");
}

async function play(seed: number): Promise<void> {
  const random = openRandom(seed);
  const scenario = await newScenario(environment, connectedBy[seed % connectedBy.length]!);
  const { app } = environment.service;
  const { git } = environment.stub;
  const ledger = newLedger();
  let lines = 0;
  const token = () => `line-${seed}-${lines++}`;
  const here = peopleHere(scenario, ledger, random, token);
  const remote = remoteActor(scenario, ledger, random, token, { rewinds: seed % 4 === 0 });
  const checked = new Set<string>();
  scenario.copy.update();
  ledger.outside = readOutside(scenario, []);
  let round = 0;
  const did: string[] = [];

  /** The next sync, with a random event in the middle of it. */
  async function disturbed(): Promise<void> {
    const what = random.pick([
      "kill",
      "kill",
      "concurrent",
      "push",
      "race",
      "trouble",
      "twice",
      "none",
    ] as const);
    did.push(what);
    const step = 1 + random.below(maxSteps);
    const when = random.pick(["before", "after"] as const);
    if (what === "race") await git.race(scenario.repo, () => remote.push());
    if (what === "trouble") await git.trouble({ ...random.pick(troubles), times: 1 });
    if (what === "twice") {
      const run = () => runConnection(app, scenario.connectionId);
      await Promise.all([run(), run()]);
      return;
    }
    const meanwhile = { kill: "kill", concurrent: () => here.act(true), push: () => remote.push() } as const;
    if (what !== "kill" && what !== "concurrent" && what !== "push") return void (await scenario.runOnce());
    const crashing = interrupted(app, { step, when, what: meanwhile[what] });
    await scenario.runOnce(crashing.app);
    await crashing.disarm();
    while (!crashing.isDead() && flushProjections(crashing.app)) await environment.service.settled();
    did.push(`${step} ${when} ${crashing.steps[step - 1]}`);
    if (what !== "kill" || !crashing.isMet()) return;
    await reconciled(environment);
    // While no sync runs, both sides make changes.
    if (random.chance(0.4)) await here.act(true);
    if (random.chance(0.2)) remote.push();
  }

  try {
    for (; round < roundsEach; round++) {
      did.length = 0;
      for (let acts = random.below(3); acts > 0; acts--) await here.act();
      for (let pushes = random.pick([0, 1, 1, 1, 2]); pushes > 0; pushes--) remote.push();
      await remote.tell();
      await environment.service.settled();
      if (random.chance(0.05)) {
        did.push("lost state");
        await app.storage.syncBases.removeOfConnection(scenario.connectionId);
        // No webhook reports it, and the first sync after it checks every skill again: only the one after that has
        // nothing to do.
        await app.storage.connections.request({ id: scenario.connectionId }, { now: app.now() });
        ledger.hasLostState = true;
        // A directory of a skill that was deleted here is a new one by then.
        scenario.copy.update();
        for (const { key } of readDirectories(scenario.copy.folder).values())
          ledger.timesPushed.set(key, (ledger.timesPushed.get(key) ?? 0) + 1);
      }
      // An unreported push is found by the next poll of the branch; sometimes the poll starts the sync.
      if (random.chance(0.2)) await scenario.look();
      await disturbed();
      await scenario.settle();
      await git.calm();
      await scenario.look();
      await scenario.settle();
      // Hosts report our own pushes, too.
      if (random.chance(0.3)) await scenario.tell(scenario.tip()!);
      await scenario.settle();
      await checkScenario(scenario, ledger, checked);
    }
    await checkRestored(scenario, ledger);
    await checkScenario(scenario, ledger, checked);
  } catch (error) {
    const what = `seed ${seed}, ${scenario.by}, round ${round} (${did.join(", ")}): ${String(error)}`;
    throw new Error(`${what}\n${await lastRuns(scenario)}`, { cause: error });
  } finally {
    await scenario.close();
  }
}

for (let seed = firstSeed; seed < firstSeed + scenarios; seed++)
  it(`keeps edits of both sides through ${roundsEach} rounds of seed ${seed}`, () => play(seed));
