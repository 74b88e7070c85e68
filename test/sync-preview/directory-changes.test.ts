import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import type { SyncPlanPayload } from "../../contract/payloads/sync.ts";
import { runConnection } from "../../workers/sync/run.ts";
import { commitAndPush, runGit } from "../support/host/git-host.ts";
import { closedAfter } from "../support/set-up.ts";
import { as, startCustomers } from "../support/sync/customers.ts";

const customers = await closedAfter(startCustomers());
const { service } = customers;

describe("the changed lines of a plan", () => {
  it("compare packages file by file, and leave out what is no text or too much", async () => {
    const customer = await customers.newCustomer();
    const kit = "---\nname: kit\ndescription: A kit.\n---\n\n# Kit\n";
    const lines = (text: string, count: number) => `${text}\n`.repeat(count);
    const bare = customers.newRepository(customer, "kit.git", {
      "skills/kit/SKILL.md": kit,
      "skills/kit/run.sh": "echo one\n",
      "skills/kit/gone.txt": "gone\n",
      "skills/kit/long.txt": lines("old", 3000),
    });
    const { data } = await customers.connect(customer, { host: "local", url: "kit.git" });
    await service.settled();
    await runConnection(service.app, data.id);
    const synced = await customers.state(customer);
    assert.deepEqual([synced.connection?.problem, synced.skillProblems], [null, []]);
    assert.equal(synced.connection?.lastCommit, runGit(bare, "rev-parse", "main"));
    const copy = path.join(customers.folder, "kit");
    runGit(customers.folder, "clone", "-q", bare, copy);
    writeFileSync(path.join(copy, "skills/kit/run.sh"), "echo two\n");
    writeFileSync(path.join(copy, "skills/kit/icon.png"), Buffer.from([0x89, 0, 1]));
    writeFileSync(path.join(copy, "skills/kit/long.txt"), lines("new", 3000));
    runGit(copy, "rm", "-q", "skills/kit/gone.txt");
    commitAndPush(copy, "edits", "main");

    const plan = await service.call<SyncPlanPayload>("GET", `${customer.base}/plan`, as(customer));

    const [changed] = plan.data.changes;
    assert.equal(changed?.path, "skills/kit");
    assert.deepEqual(
      changed.files.map(({ path: at, status, binary, truncated, hunks }) => [
        at,
        status,
        binary ? "binary" : truncated ? "truncated" : hunks.flatMap((hunk) => hunk.lines),
      ]),
      [
        ["gone.txt", "removed", ["-gone"]],
        ["icon.png", "added", "binary"],
        ["long.txt", "modified", "truncated"],
        ["run.sh", "modified", ["-echo one", "+echo two"]],
      ],
    );
  });
});
