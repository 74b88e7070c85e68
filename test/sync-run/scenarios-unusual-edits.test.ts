/**
 * Random unusual edits over a bare repository, with crashes and disconnects during a sync: directories that stop being
 * skills, odd names, swaps, and YAML of every form. No pushed content is lost, no text becomes another skill's,
 * everything that is not in sync is named, and the sync converges. `SVC_SYNC_SEED` repeats a scenario,
 * `SVC_RUNS` and `SVC_SYNC_ROUNDS` set the length.
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import { flushProjections } from "../../src/skills/projection-queue.ts";
import { eraseSkill } from "../../src/skills/settings/erase.ts";
import { runSync } from "../../src/sync/run/run-sync.ts";
import { pollConnections } from "../../src/sync/triggers/poll.ts";
import { runGit } from "../support/host/git-host.ts";
import { openRandom, type Random } from "../support/random.ts";
import { runCount } from "../support/run-count.ts";
import { setUpService } from "../support/set-up.ts";
import { interrupted } from "../support/sync/crash-points.ts";
import { connectedFixture, listSkills, publish, type SyncFixture } from "../support/sync/fixture.ts";
import {
  checkCommits,
  checkNamed,
  keepVersions,
  newKeptBlobs,
} from "../support/sync/unusual-edits-checks.ts";
import { createOddActor } from "../support/sync/unusual-edits.ts";

const fixtures = runCount(1, 30);
const rounds = Number(process.env["SVC_SYNC_ROUNDS"] ?? 6);
const firstSeed = Number(process.env["SVC_SYNC_SEED"] ?? 7001);
const maxSteps = 30;
const leaseOverMs = 10 * 60_000;

const { service, clock } = await setUpService();

/** A change by a member: publish, rename, move, delete. */
async function actHere(
  fixture: SyncFixture,
  random: Random,
  count: number,
  keep: () => Promise<void>,
): Promise<void> {
  const skills = await listSkills(fixture);
  const token = fixture.owner.token;
  const call = (method: string, target: string, body?: object) =>
    service.call(method, target, { token, body });
  const skill = skills.length === 0 ? undefined : random.pick(skills);
  const what = random.pick(["new", "version", "move", "rename", "delete"] as const);
  if (!skill || what === "new" || skills.length < 3) {
    const fields = { visibility: random.pick(["private", "public"]) };
    await publish(fixture, `Skill ${count}`, `origin: here-${count}`, fields);
  } else if (what === "version") {
    const { data } = await call("GET", `/api/skills/${skill.id}/content`);
    if (typeof data["content"] !== "string") return;
    await call("POST", `/api/skills/${skill.id}/versions`, {
      content: `${data["content"]}\nhere ${count}\n`,
    });
  } else if (what === "move") {
    await call("POST", `/api/skills/${skill.id}/move`, {
      folder: random.pick(["in", "away"]),
      createFolders: true,
    });
  } else if (what === "rename") {
    await call("PUT", `/api/skills/${skill.id}`, { visibility: random.pick(["private", "public"]) });
  } else {
    await keep();
    await call("DELETE", `/api/skills/${skill.id}`);
    await eraseSkill(service.app, { tenantId: fixture.org.id, skillId: skill.id });
  }
}

async function disconnect(fixture: SyncFixture): Promise<void> {
  const answer = await service.call("DELETE", `/api/tenants/${fixture.org.id}/repo-sync`, {
    token: fixture.owner.token,
  });
  assert.ok([200, 404].includes(answer.status), JSON.stringify(answer.body));
}

/** Completes an interrupted disconnect, and connects again. */
async function reconnect(fixture: SyncFixture): Promise<void> {
  for (let tries = 0; tries < 5 && (await fixture.connection()); tries++) {
    clock.aheadMs += leaseOverMs;
    await pollConnections(service.app);
    await service.settled();
  }
  await fixture.reconnect();
}

async function play(seed: number): Promise<void> {
  const random = openRandom(seed);
  const fixture = await connectedFixture(service);
  const kept = newKeptBlobs();
  const actor = createOddActor(fixture, random);
  const did: string[] = [];
  let count = 0;
  const keep = () => keepVersions(fixture, kept);

  async function settle(): Promise<void> {
    for (let run = 0; run < 4; run++) {
      clock.aheadMs += leaseOverMs;
      await service.settled();
      const end = await fixture.sync(random.chance(0.3));
      const { problem } = (await fixture.connection())!;
      assert.equal(end, "done", JSON.stringify(problem));
    }
  }

  async function disturbed(): Promise<void> {
    const what = random.pick(["none", "none", "kill", "push", "disconnect"] as const);
    did.push(what);
    if (what === "none") return;
    const meanwhile = {
      kill: "kill",
      push: () => actor.push(),
      disconnect: () => disconnect(fixture),
    } as const;
    const crashing = interrupted(service.app, {
      step: 1 + random.below(maxSteps),
      when: random.pick(["before", "after"] as const),
      what: meanwhile[what],
    });
    const { connectionId, ports } = fixture;
    await service.app.storage.connections.request(
      { id: connectionId },
      { full: random.chance(0.3), now: service.app.now() },
    );
    await runSync(crashing.app, connectionId, { ...ports, mirrors: crashing.app.mirrors }).catch(
      () => undefined,
    );
    await crashing.disarm();
    while (!crashing.isDead() && flushProjections(crashing.app)) await service.settled();
    if (what === "disconnect" && crashing.isMet()) await reconnect(fixture);
  }

  let round = 0;
  try {
    for (let skills = 3; skills > 0; skills--)
      await publish(fixture, `First ${skills}`, `origin: first-${skills}`, {
        visibility: random.pick(["private", "public"]),
      });
    await settle();
    for (; round < rounds; round++) {
      did.length = 0;
      for (let acts = random.below(3); acts > 0; acts--) await actHere(fixture, random, count++, keep);
      for (let pushes = random.pick([1, 1, 2]); pushes > 0; pushes--) actor.push();
      await disturbed();
      await settle();
      await keep();
      checkCommits(fixture, kept);
      await checkNamed(fixture);
      const tip = fixture.tip();
      assert.equal(await fixture.sync(), "done");
      assert.equal(fixture.tip(), tip, "a further sync pushed");
    }
  } catch (error) {
    const shown = runGit(fixture.remote, "log", "-4", "--name-status", "--format=%h %an %s", "main");
    throw new Error(`seed ${seed}, round ${round} (${did.join(", ")}): ${String(error)}\n${shown}`, {
      cause: error,
    });
  } finally {
    await fixture.close();
  }
}

for (let seed = firstSeed; seed < firstSeed + fixtures; seed++)
  it(`keeps pushed content through ${rounds} rounds of seed ${seed}`, () => play(seed));
