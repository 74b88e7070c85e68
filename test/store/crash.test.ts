import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, describe, it } from "node:test";
import { openSkillStore } from "../../repos/store/index.ts";
import { crashRounds } from "./crash-rounds.ts";
import { repo, temporaryFolder } from "./fixtures.ts";

describe("publishers killed with SIGKILL", async () => {
  const folder = await temporaryFolder();
  after(() => rm(folder, { recursive: true, force: true }));

  it("leave every acknowledged version readable, and no other visible", async () => {
    const report = await crashRounds({ folder, kills: 30, writers: 3 });

    assert.ok(report.kills >= 30);
    assert.ok(report.versions > 30, `only ${report.versions} versions were published`);
    assert.deepEqual(report.fsckErrors, []);
    assert.deepEqual(
      { lost: report.lost, unreadable: report.unreadable, phantom: report.phantom },
      { lost: 0, unreadable: 0, phantom: 0 },
    );
  });

  it("leave nothing that a later sweep and a new publisher can't handle", async () => {
    const store = openSkillStore({
      root: `${folder}/git`,
      committerHost: "svc.test",
      graceMs: 0,
      staleLockMs: 0,
    });
    try {
      await store.maintain(repo);
      await store.sweep(repo);
      const refs = await store.readRefs(repo);

      assert.ok(refs.head !== null);
      assert.ok((await store.listFiles(repo, refs.head)).length > 0);
    } finally {
      await store.close();
    }
  });
});
