/**
 * A proposing sync, interrupted at each of its durable steps in turn, while people and the service make changes: the
 * next one continues, treats none of our commits as foreign, and creates no version and no second request.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { interrupted } from "../support/sync/crash-points.ts";
import { ourBranch, startGround, type Ground, type ProposalWorld } from "../support/sync/proposals.ts";

let ground: Ground;
before(async () => {
  ground = await startGround();
});
after(() => ground.close());

/** `SVC_SYNC_STOPS=all` tries every step, else every few from a random one on. */
const stride = process.env["SVC_SYNC_STOPS"] === "all" ? 1 : 4;
const first = 1 + (stride === 1 ? 0 : Date.now() % stride);

/** Longer than a lease lasts without renewal. */
const leaseMs = 10 * 60_000;

interface Scene {
  world: ProposalWorld;
  one: string;
  /** Published versions of the skill. */
  published: number;
  text: string;
  temporary: string | undefined;
}

async function openScene(): Promise<Scene> {
  const world = await ground.world();
  const { id } = await world.publish("One", "first");
  return { world, one: id, published: 1, text: "first", temporary: undefined };
}

async function publishOne(scene: Scene, text: string): Promise<void> {
  await scene.world.publish("One", text);
  scene.published++;
  scene.text = text;
}

/** A change for every part: a late merge, a new version, a new skill or the deletion of one. */
async function act(scene: Scene, turn: number): Promise<void> {
  const { world } = scene;
  const open = world.pulls().some(({ state }) => state === "open");
  if (open && turn % 3 === 1) {
    world.merge(turn % 2 === 0 ? "squash" : "merge");
    if (turn % 4 > 1) world.deleteBranch();
  }
  await publishOne(scene, `turn ${turn}`);
  if (scene.temporary === undefined)
    scene.temporary = (await world.publish(`Temporary ${turn}`, `turn ${turn}`)).id;
  else {
    await world.call("DELETE", `/api/skills/${scene.temporary}`);
    await world.service.settled();
    scene.temporary = undefined;
  }
}

async function check(scene: Scene): Promise<void> {
  const { world, one, published, text } = scene;
  const { connection, proposal } = await world.state();
  assert.deepEqual([connection?.status, connection?.problem, proposal?.state], ["active", null, "open"]);
  assert.equal(await world.versions(one), published);
  assert.equal(await world.conflicts(), 0);
  const skills = await world.call<{ id: string; slug: string }[]>(
    "GET",
    `/api/skills?tenant_id=${world.org.id}&limit=50`,
  );
  assert.equal(skills.length, scene.temporary === undefined ? 1 : 2, "nothing was imported");
  assert.deepEqual(world.paths(), [
    "code.txt",
    ...skills.map(({ slug }) => `skills/${slug}/SKILL.md`).toSorted(),
  ]);
  assert.match(world.show(ourBranch, "skills/one/SKILL.md"), new RegExp(`${text}$`));
  const open = world.pulls().filter(({ state }) => state === "open");
  assert.deepEqual([open.length, open[0]?.number], [1, proposal?.number]);
  assert.equal(world.git("merge-base", "main", ourBranch), world.tip("main"));
  await world.assertStill();
}

describe("an interrupted sync that proposes", () => {
  it("is continued from any step", async (t) => {
    const scene = await openScene();
    const { world } = scene;
    await world.sync();
    let turn = 0;
    let met = 0;
    for (let step = first; ; step += stride) {
      await act(scene, ++turn);
      const stopped = interrupted(world.service.app, { step, when: "after", what: "kill" });
      await world.sync({ through: stopped.app }).catch(() => undefined);
      ground.wait(leaseMs);
      const last = stopped.steps.at(-1);
      if (last === "mirror.push" || turn % 4 > 1) await publishOne(scene, `meanwhile ${turn}`);
      await world.service.settled();
      assert.equal(await world.sync(), "done", `after ${last}`);
      await check(scene);
      if (!stopped.isMet()) break;
      met += stride;
    }
    t.diagnostic(`${met} steps`);
    assert.ok(met > 15, String(met));
  });
});
