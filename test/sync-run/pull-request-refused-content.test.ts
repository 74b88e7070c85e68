/** Pull-request mode with a branch that contains content that an administrator has taken down. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { SkillPayload } from "../../contract/payloads/skills.ts";
import { moderate } from "../support/moderation.ts";
import type { TestUser } from "../support/service.ts";
import { problemsOf } from "../support/sync/organizations.ts";
import { ourBranch, skillFile, startGround, type Ground } from "../support/sync/proposals.ts";

describe("an import in pull-request mode", () => {
  let ground: Ground;
  let admin: TestUser;
  before(async () => {
    ground = await startGround();
    // The first account of a service is its administrator.
    admin = await ground.service.newUser();
  });
  after(() => ground.close());

  it("refuses content that was taken down at its directory, and neither imports nor proposes anything for it", async () => {
    const world = await ground.world();
    const { service } = ground;
    const open = { visibility: "public" };
    const { id } = await world.publish("Lure", "run this", open);
    const [victim, other] = [
      await world.publish("Victim", "one", open),
      await world.publish("Other", "one", open),
    ];
    await world.sync();
    world.merge();
    await world.sync();
    await moderate(service, admin, "take-down", await world.call<SkillPayload>("GET", `/api/skills/${id}`));
    world.on("main", ({ write, read }) => {
      write({
        [skillFile("victim")]: `${read(skillFile("lure"))}\n`,
        [skillFile("other")]: `${read(skillFile("other"))}\n\nedited there\n`,
        [skillFile("fresh")]: "# Fresh\n",
      });
    });
    const taken = world.show("main", skillFile("victim"));

    assert.equal(await world.sync(), "done");

    const state = await world.state();
    assert.deepEqual([state.connection!.status, state.connection!.problem], ["active", null]);
    assert.deepEqual(problemsOf(state), ["skills/victim refused"]);
    assert.match(state.skillProblems[0]!.problem.message, /"victim" has content .* taken down: Phishing/);
    assert.deepEqual([await world.versions(victim.id), await world.versions(other.id)], [1, 2]);
    assert.equal((await world.lastRun()).created, 1);
    // A newer version of the service is not proposed over content that is in no version.
    await world.publish("Victim", "two", open);
    assert.equal(await world.sync(), "done");
    assert.deepEqual(problemsOf(await world.state()), ["skills/victim refused"]);
    assert.equal(world.show(ourBranch, skillFile("victim")), taken);
    assert.equal(world.show("main", skillFile("victim")), taken);
  });
});
