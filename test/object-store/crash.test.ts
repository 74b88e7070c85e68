import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, describe, it } from "node:test";
import { openSkillStore, type StoreOptions } from "../../repos/store/index.ts";
import { crashRounds } from "../store/crash-rounds.ts";
import { repo, temporaryFolder } from "../store/fixtures.ts";
import { newBucket, whyNoObjectStore } from "../support/object-store.ts";
import { runCount } from "../support/run-count.ts";

const skip = whyNoObjectStore();

describe("publishers on several machines with an object store, killed with SIGKILL", { skip }, async () => {
  if (skip !== undefined) return;
  const folder = await temporaryFolder();
  after(() => rm(folder, { recursive: true, force: true }));
  const store = await newBucket();
  /** The first two publishers share a machine. */
  const storeOf = (writer: number | "inspection"): StoreOptions => ({
    root: `${folder}/cache-${writer === 0 ? 1 : writer}`,
    committerHost: "svc.test",
    remote: { store, maxBytes: 1024 ** 3 },
  });

  it("leave every acknowledged version readable, and no other visible", async () => {
    const report = await crashRounds({ folder, kills: runCount(10, 300), writers: 3, storeOf });

    assert.ok(report.versions >= report.kills / 3, `only ${report.versions} versions were published`);
    assert.deepEqual(report.fsckErrors, []);
    assert.deepEqual(
      { lost: report.lost, unreadable: report.unreadable, phantom: report.phantom },
      { lost: 0, unreadable: 0, phantom: 0 },
    );
  });

  it("leave nothing that a later sweep and a new publisher can't handle", async () => {
    const opened = openSkillStore({ ...storeOf(7), graceMs: 0, staleLockMs: 0 });
    try {
      const { head } = await openRefs(storeOf("inspection"));
      assert.ok(head !== null);
      await opened.maintain(repo);
      await opened.sweep(repo);
      await opened.sweepShared();

      assert.ok((await opened.listFiles(repo, head)).length > 0);
    } finally {
      await opened.close();
    }
  });
});

async function openRefs(options: StoreOptions) {
  const store = openSkillStore(options);
  try {
    return await store.readRefs(repo);
  } finally {
    await store.close();
  }
}
