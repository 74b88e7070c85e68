/** Queues and jobs in words on the pages of the administration. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { jobPolicies, queueNames } from "../../src/queue/jobs.ts";
import { bundleModule } from "../support/web/bundle-module.ts";

interface Titles {
  queueTitle(name: string): string;
  jobTitle(name: string): string;
}
const { queueTitle, jobTitle } = await bundleModule<Titles>("web/src/pages/admin/jobs/titles.ts");

describe("titles of queues and jobs", () => {
  it("exist for each, and differ", () => {
    for (const [names, title] of [
      [queueNames, queueTitle],
      [Object.keys(jobPolicies), jobTitle],
    ] as const) {
      assert.deepEqual(
        names.filter((name) => title(name) === name),
        [],
        "without a title",
      );
      assert.equal(new Set(names.map(title)).size, names.length);
    }
  });
});
