/** A connected repository whose organization has no space: nothing is imported until there is some again. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { countStorage } from "../../workers/orgs/count-storage.ts";
import { runConnection } from "../../workers/sync/run.ts";
import { runGit } from "../support/host/git-host.ts";
import { closedAfter } from "../support/set-up.ts";
import { as, problemsOf, startCustomers } from "../support/sync/customers.ts";

const text = (name: string, more: string) =>
  `---\nname: ${name}\ndescription: A skill.\n---\n\n# ${name}\n\n${more}\n`;

describe("a sync of an organization at its storage limit", async () => {
  const customers = await closedAfter(startCustomers());
  const { service } = customers;
  const { app } = service;

  it("reports what it does not import, exports the rest, and imports it when there is space", async () => {
    const customer = await customers.newCustomer();
    const bare = customers.newRepository(customer, "full.git", {
      "skills/old/SKILL.md": text("old", "One."),
    });
    const { data } = await customers.connect(customer, { host: "local", url: "full.git" });
    const run = async () => {
      await runConnection(app, data.id);
      await service.settled();
      return customers.state(customer);
    };
    const sync = async () => {
      await service.call("POST", `${customer.base}/run`, as(customer));
      await service.settled();
      return run();
    };
    const versions = async (slug: string) => {
      const { data: skills } = await service.call<SkillPayload[]>(
        "GET",
        `/api/skills?tenant_id=${customer.org.id}&limit=200`,
        as(customer),
      );
      const skill = skills.find((one) => one.slug === slug);
      if (!skill) return 0;
      return (await service.call<unknown[]>("GET", `/api/skills/${skill.id}/versions`, as(customer))).data
        .length;
    };
    await customers.publish(customer, "Kept");
    await sync();
    assert.equal(await versions("old"), 1);

    app.config.organizationStorageBytes = 1;
    await countStorage(app, customer.org.id);
    customers.commitTo(bare, "skills/old/SKILL.md", text("old", "Two."));
    customers.commitTo(bare, "skills/new/SKILL.md", text("new", "One."));
    const deleted = await service.call("DELETE", `/api/skills/${await idOf("kept")}`, as(customer));
    assert.equal(deleted.status, 200, deleted.error);
    const state = await sync();
    assert.equal(state.connection?.status, "active");
    assert.deepEqual(problemsOf(state), ["skills/new quota_exceeded", "skills/old quota_exceeded"]);
    assert.match(state.skillProblems[0]!.problem.message, /of storage: delete skills/);
    assert.deepEqual([await versions("old"), await versions("new")], [1, 0]);
    const files = runGit(bare, "ls-tree", "-r", "--name-only", "main");
    assert.ok(!files.includes("skills/kept/"), "a deletion is exported");

    app.config.organizationStorageBytes = undefined;
    await countStorage(app, customer.org.id);
    // The count has requested the sync.
    const after = await run();
    assert.deepEqual(problemsOf(after), []);
    assert.deepEqual([await versions("old"), await versions("new")], [2, 1]);

    async function idOf(slug: string): Promise<string> {
      const { data: skills } = await service.call<SkillPayload[]>(
        "GET",
        `/api/skills?tenant_id=${customer.org.id}&limit=200`,
        as(customer),
      );
      return skills.find((one) => one.slug === slug)!.id;
    }
  });
});
