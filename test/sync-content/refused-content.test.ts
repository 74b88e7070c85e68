/** Content that an administrator has taken down and the repository contains again: only its directory is refused. */
import assert from "node:assert/strict";
import { appendFileSync, copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import type { SkillPayload } from "../../contract/payloads/skills/skills.ts";
import type { SyncPlanPayload } from "../../contract/payloads/sync.ts";
import { runConnection } from "../../workers/sync/run.ts";
import { commitAndPush, runGit } from "../support/host/git-host.ts";
import { moderate } from "../support/moderation.ts";
import { closedAfter } from "../support/set-up.ts";
import { as, problemsOf, startCustomers } from "../support/sync/customers.ts";

const lure = "# Lure\n\nrun this\n";

const text = (name: string, more: string) =>
  `---\nname: ${name}\ndescription: A skill.\n---\n\n# ${name}\n\n${more}\n`;

describe("an import in push mode", async () => {
  const customers = await closedAfter(startCustomers());
  // The first account of a service is its administrator.
  const admin = await customers.service.newUser();

  it("refuses content that was taken down, imports the others, and imports it once it is allowed", async () => {
    const { service } = customers;
    const customer = await customers.newCustomer();
    const call = async <T>(method: string, target: string, body?: object): Promise<T> => {
      const answer = await service.call<T>(method, target, { ...as(customer), body });
      assert.ok([200, 201, 202].includes(answer.status), JSON.stringify(answer.body));
      return answer.data;
    };
    const publish = async (name: string, content: string, visibility = "public") =>
      (
        await call<{ skill: SkillPayload }>("POST", "/api/skills", {
          tenantId: customer.org.id,
          name,
          content,
          visibility,
        })
      ).skill;
    const bySlug = async (slug: string) =>
      (await call<SkillPayload[]>("GET", `/api/skills?tenant_id=${customer.org.id}&limit=200`)).find(
        (skill) => skill.slug === slug,
      );
    const trojan = await publish("Lure", lure);
    const [victim, hidden] = [
      await publish("Victim", "# Victim\n"),
      await publish("Hidden", "# H\n", "private"),
    ];
    await publish("Other", "# Other\n");
    const kit = (name: string, script: string) => ({
      [`skills/${name}/SKILL.md`]: text("kit", "Run it."),
      [`skills/${name}/run.sh`]: script,
    });
    const bare = customers.newRepository(customer, "refused.git", {
      ...kit("kit", "bad\n"),
      ...kit("tools", "good\n"),
    });
    const { data } = await customers.connect(customer, { host: "local", url: "refused.git" });
    const sync = async () => {
      await call("POST", `${customer.base}/run`);
      await service.settled();
      await runConnection(service.app, data.id);
      await service.settled();
      return customers.state(customer);
    };
    await sync();
    const [badKit, tools] = [(await bySlug("kit"))!, (await bySlug("tools"))!];
    for (const { id } of [badKit, tools]) await call("PUT", `/api/skills/${id}`, { visibility: "public" });
    await sync();
    for (const skill of [trojan, badKit]) await moderate(service, admin, "take-down", skill);

    const copy = path.join(customers.folder, "refused-copy");
    runGit(customers.folder, "clone", "-q", bare, copy);
    const same = (from: string, to: string) => {
      mkdirSync(path.dirname(path.join(copy, to)), { recursive: true });
      copyFileSync(path.join(copy, from), path.join(copy, to));
    };
    same("skills/lure/SKILL.md", "skills/victim/SKILL.md");
    same("skills/lure/SKILL.md", "skills/hidden/SKILL.md");
    same("skills/lure/SKILL.md", "skills/fresh/SKILL.md");
    same("skills/kit/run.sh", "skills/tools/run.sh");
    same("skills/kit/SKILL.md", "skills/tools/SKILL.md");
    appendFileSync(path.join(copy, "skills/other/SKILL.md"), "\nedited there\n");
    const pushed = commitAndPush(copy, "the same bytes again", "main");
    const plan = await call<SyncPlanPayload>("GET", `${customer.base}/plan`);
    const state = await sync();

    const refused = ["skills/tools refused", "skills/victim refused"];
    assert.deepEqual([state.connection!.status, state.connection!.problem], ["active", null]);
    assert.deepEqual(problemsOf(state), refused);
    for (const { path: at, problem } of state.skillProblems) {
      assert.match(problem.message, /taken down: Phishing/);
      assert.ok(problem.message.includes(`"${path.basename(at)}"`), problem.message);
    }
    const versionOf = async (id: string) =>
      (await call<unknown[]>("GET", `/api/skills/${id}/versions`)).length;
    assert.deepEqual([await versionOf(victim.id), await versionOf(tools.id)], [1, 1]);
    // Only members can read these two, so that nothing is published again.
    assert.equal(await versionOf(hidden.id), 2);
    assert.equal((await bySlug("fresh"))?.visibility, "private");
    assert.equal(await versionOf((await bySlug("other"))!.id), 2);
    assert.deepEqual(plan.problems.map(({ path: at, code }) => `${at} ${code}`).toSorted(), refused);
    assert.deepEqual(plan.update.map(({ path: at }) => at).toSorted(), ["skills/hidden", "skills/other"]);
    const unchanged = () =>
      runGit(bare, "diff", "--name-only", pushed, "main", "--", "skills/victim", "skills/tools");
    assert.equal(unchanged(), "", "what was not imported is not overwritten");

    assert.deepEqual(problemsOf(await sync()), refused);
    assert.deepEqual([unchanged(), await versionOf(victim.id)], ["", 1]);
    for (const skill of [trojan, badKit]) await moderate(service, admin, "lift-takedown", skill);
    assert.deepEqual(problemsOf(await sync()), []);
    assert.deepEqual([await versionOf(victim.id), await versionOf(tools.id)], [2, 2]);
  });
});
