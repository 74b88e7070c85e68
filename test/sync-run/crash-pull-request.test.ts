/**
 * A proposing sync, interrupted at each of its durable steps in turn, while people and the service make changes: the
 * next one continues, treats none of our commits as foreign, and creates no version and no second request.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isLong } from "../support/run-count.ts";
import { closedAfter } from "../support/set-up.ts";
import { interrupted } from "../support/sync/crash-points.ts";
import { ourBranch, startProposalEnvironment, type ProposalFixture } from "../support/sync/proposals.ts";

const environment = await closedAfter(startProposalEnvironment());

/** A long run tries every step, another one every few from a random one on. */
const stride = isLong ? 1 : 4;
const first = 1 + (stride === 1 ? 0 : Date.now() % stride);

/** Longer than a lease lasts without renewal. */
const leaseMs = 10 * 60_000;

interface Scene {
  fixture: ProposalFixture;
  one: string;
  /** Published versions of the skill. */
  published: number;
  text: string;
  temporary: string | undefined;
}

async function openScene(): Promise<Scene> {
  const fixture = await environment.newFixture();
  const { id } = await fixture.publish("One", "first");
  return { fixture, one: id, published: 1, text: "first", temporary: undefined };
}

async function publishOne(scene: Scene, text: string): Promise<void> {
  await scene.fixture.publish("One", text);
  scene.published++;
  scene.text = text;
}

/** A change for every part: a late merge, a new version, a new skill or the deletion of one. */
async function act(scene: Scene, turn: number): Promise<void> {
  const { fixture } = scene;
  const open = fixture.pulls().some(({ state }) => state === "open");
  if (open && turn % 3 === 1) {
    fixture.merge(turn % 2 === 0 ? "squash" : "merge");
    if (turn % 4 > 1) fixture.deleteBranch();
  }
  await publishOne(scene, `turn ${turn}`);
  if (scene.temporary === undefined)
    scene.temporary = (await fixture.publish(`Temporary ${turn}`, `turn ${turn}`)).id;
  else {
    await fixture.call("DELETE", `/api/skills/${scene.temporary}`);
    await fixture.service.settled();
    scene.temporary = undefined;
  }
}

async function check(scene: Scene): Promise<void> {
  const { fixture, one, published, text } = scene;
  const { connection, proposal } = await fixture.state();
  assert.deepEqual([connection?.status, connection?.problem, proposal?.state], ["active", null, "open"]);
  assert.equal(await fixture.versions(one), published);
  assert.equal(await fixture.conflicts(), 0);
  const skills = await fixture.call<{ id: string; slug: string }[]>(
    "GET",
    `/api/skills?tenant_id=${fixture.org.id}&limit=50`,
  );
  assert.equal(skills.length, scene.temporary === undefined ? 1 : 2, "nothing was imported");
  assert.deepEqual(fixture.paths(), [
    "code.txt",
    ...skills.map(({ slug }) => `skills/${slug}/SKILL.md`).toSorted(),
  ]);
  assert.match(fixture.show(ourBranch, "skills/one/SKILL.md"), new RegExp(`${text}$`));
  const open = fixture.pulls().filter(({ state }) => state === "open");
  assert.deepEqual([open.length, open[0]?.number], [1, proposal?.number]);
  assert.equal(fixture.git("merge-base", "main", ourBranch), fixture.tip("main"));
  await fixture.assertStill();
}

describe("an interrupted sync that proposes", () => {
  it("is continued from any step", async (t) => {
    const scene = await openScene();
    const { fixture } = scene;
    await fixture.sync();
    let turn = 0;
    let met = 0;
    for (let step = first; ; step += stride) {
      await act(scene, ++turn);
      const stopped = interrupted(fixture.service.app, { step, when: "after", what: "kill" });
      await fixture.sync({ through: stopped.app }).catch(() => undefined);
      environment.wait(leaseMs);
      const last = stopped.steps.at(-1);
      if (last === "mirror.push" || turn % 4 > 1) await publishOne(scene, `meanwhile ${turn}`);
      await fixture.service.settled();
      assert.equal(await fixture.sync(), "done", `after ${last}`);
      await check(scene);
      if (!stopped.isMet()) break;
      met += stride;
    }
    t.diagnostic(`${met} steps`);
    assert.ok(met > 15, String(met));
  });
});
