/** Trimming of the copies while another process begins to serve a repository. */
import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { after, describe, it } from "node:test";
import type { PackStore } from "../../repos/store/driver.ts";
import { openSkillStore, type RepoId } from "../../repos/store/index.ts";
import { openPosixDriver } from "../../repos/store/posix/posix.ts";
import { servedMark, trimCopies } from "../../repos/store/remote/trim-cache.ts";
import { draft, repo, temporaryFolder, textFile } from "../store/fixtures.ts";

describe("the trimming of copies", async () => {
  const root = await temporaryFolder();
  after(() => rm(root, { recursive: true, force: true }));

  it("keeps the packs of a repository that native git opens while the others are listed", async () => {
    const repos: RepoId[] = ["1", "2"].map((end) => ({ ...repo, skillId: end.padStart(24, "0") }));
    const store = openSkillStore({ root, committerHost: "svc.test", autoMaintain: false });
    for (const one of repos) await store.writeCommit(one, draft([textFile("SKILL.md", "text\n")]));
    await store.close();
    const { packs } = openPosixDriver({ root, readHandles: 4, staleLockMs: 10_000 });
    const listed: RepoId[] = [];
    const local: PackStore = {
      ...packs,
      async list(one) {
        const [first] = listed;
        if (first) await writeFile(servedMark(root, first), "");
        if ("skillId" in one) listed.push(one);
        return packs.list(one);
      },
    };

    await trimCopies({ root, local, maxBytes: 1, log: () => undefined }, false);

    const counts = await Promise.all(listed.map(async (one) => (await packs.list(one)).packs.length));
    assert.deepEqual(counts, [1, 0]);
    await packs.close();
  });
});
