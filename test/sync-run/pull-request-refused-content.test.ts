/** Pull-request mode with a branch that contains content that an administrator has taken down. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { moderate } from "../support/moderation.ts";
import { closedAfter } from "../support/set-up.ts";
import { problemsOf } from "../support/sync/customers.ts";
import { ourBranch, skillFile, startProposalEnvironment } from "../support/sync/proposals.ts";

describe("an import in pull-request mode", async () => {
  const environment = await closedAfter(startProposalEnvironment());
  // The first account of a service is its administrator.
  const admin = await environment.service.newUser();

  it("refuses content that was taken down at its directory, and neither imports nor proposes anything for it", async () => {
    const fixture = await environment.newFixture();
    const { service } = environment;
    const open = { visibility: "public" };
    const { id } = await fixture.publish("Lure", "run this", open);
    const [victim, other] = [
      await fixture.publish("Victim", "one", open),
      await fixture.publish("Other", "one", open),
    ];
    await fixture.sync();
    fixture.merge();
    await fixture.sync();
    await moderate(service, admin, "take-down", await fixture.call<SkillPayload>("GET", `/api/skills/${id}`));
    fixture.on("main", ({ write, read }) => {
      write({
        [skillFile("victim")]: `${read(skillFile("lure"))}\n`,
        [skillFile("other")]: `${read(skillFile("other"))}\n\nedited there\n`,
        [skillFile("fresh")]: "# Fresh\n",
      });
    });
    const taken = fixture.show("main", skillFile("victim"));

    assert.equal(await fixture.sync(), "done");

    const state = await fixture.state();
    assert.deepEqual([state.connection!.status, state.connection!.problem], ["active", null]);
    assert.deepEqual(problemsOf(state), ["skills/victim refused"]);
    assert.match(state.skillProblems[0]!.problem.message, /"victim" has content .* taken down: Phishing/);
    assert.deepEqual([await fixture.versions(victim.id), await fixture.versions(other.id)], [1, 2]);
    assert.equal((await fixture.lastRun()).created, 1);
    // A newer version of the service is not proposed over content that is in no version.
    await fixture.publish("Victim", "two", open);
    assert.equal(await fixture.sync(), "done");
    assert.deepEqual(problemsOf(await fixture.state()), ["skills/victim refused"]);
    assert.equal(fixture.show(ourBranch, skillFile("victim")), taken);
    assert.equal(fixture.show("main", skillFile("victim")), taken);
  });
});
