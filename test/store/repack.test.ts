import assert from "node:assert/strict";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gitVersion } from "../../repos/native-git.ts";
import type { SkillStore } from "../../repos/store/index.ts";
import { draft, fsck, openBench, publishChain, repo, textFile } from "./fixtures.ts";

const git = { program: "git", searchPath: process.env["PATH"] };
const noGit = { program: "no-such-git", searchPath: process.env["PATH"] };

/** The packs, and the bytes that they take with their indexes. */
async function packsOf(store: SkillStore): Promise<{ names: string[]; bytes: number }> {
  const folder = join(await store.materialize(repo), "objects", "pack");
  const files = await readdir(folder);
  const names = files.filter((name) => name.endsWith(".pack"));
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(folder, name))).size));
  return { names, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** A chain with its refs and tags, as a completely projected skill has them. */
async function settledChain(store: SkillStore, count: number) {
  const chain = await publishChain(store, count);
  const last = chain.at(-1)!.oid;
  const tags = chain.map(({ oid }, index) => ({ name: `v1.0.${index}`, oid }));
  await store.advanceRefs(repo, async () => ({ main: last, head: last, tags }));
  return chain;
}

describe("repacking with native git", () => {
  it("leaves one small pack after the grace period, and every version readable", async () => {
    const bench = await openBench({ graceMs: 0, autoMaintain: false });
    try {
      const chain = await settledChain(bench.store, 60);
      const before = await packsOf(bench.store);
      const report = await bench.store.repack(repo, git);

      assert.deepEqual(report, { written: 1, superseded: 60 });
      assert.equal(await bench.store.countPacks(repo), 1);
      assert.equal((await packsOf(bench.store)).names.length, 61, "nothing is removed before the grace");
      await bench.store.sweep(repo);
      const after = await packsOf(bench.store);
      assert.equal(after.names.length, 1);
      assert.ok(after.bytes < before.bytes / 2, `${after.bytes} of ${before.bytes} bytes`);
      const other = bench.reopen();
      for (const store of [bench.store, other])
        for (const { oid, digest } of chain) await store.verify(repo, oid, digest);
      assert.deepEqual(await fsck(await bench.store.materialize(repo)), []);
      assert.deepEqual(await bench.store.repack(repo, git), { written: 0, superseded: 0 });
    } finally {
      await bench.close();
    }
  });

  it("keeps what no ref reaches yet: a concurrent publish loses nothing", async () => {
    const bench = await openBench({ graceMs: 0, autoMaintain: false });
    try {
      const chain = await settledChain(bench.store, 20);
      const fresh = await bench.store.writeCommit(
        repo,
        draft([textFile("SKILL.md", "not yet referenced\n")], chain.at(-1)!.oid, 21),
      );
      const report = await bench.store.repack(repo, git);
      await bench.store.sweep(repo);

      assert.equal(report.superseded, 20);
      for (const store of [bench.store, bench.reopen()])
        for (const { oid, digest } of [...chain, fresh]) await store.verify(repo, oid, digest);
      const published = await Promise.all([
        bench.store.writeCommit(repo, draft([textFile("SKILL.md", "beside\n")], fresh.oid, 22)),
        bench.store.repack(repo, git),
      ]);
      await bench.store.sweep(repo);
      await bench.reopen().verify(repo, published[0].oid, published[0].digest);
    } finally {
      await bench.close();
    }
  });

  it("is unavailable without a git program, and reports that", async () => {
    const bench = await openBench();
    try {
      await publishChain(bench.store, 3);
      await assert.rejects(bench.store.repack(repo, noGit), { code: "git_missing", retryable: false });
      assert.equal(await gitVersion(noGit), undefined);
      assert.match((await gitVersion(git))!, /^\d+\.\d+/);
    } finally {
      await bench.close();
    }
  });

  it("detects a missing commit by its check", async () => {
    const bench = await openBench({ autoMaintain: false });
    try {
      await settledChain(bench.store, 5);
      assert.deepEqual(await bench.store.findFaults(repo, git), []);
      const folder = join(await bench.store.materialize(repo), "objects", "pack");
      const [lost] = (await packsOf(bench.store)).names;
      await rm(join(folder, lost!));
      await rm(join(folder, lost!.replace(/pack$/, "idx")));

      const faults = await bench.store.findFaults(repo, git);
      assert.ok(faults.length > 0);
      assert.match(faults.join("\n"), /missing|invalid|bad|broken/);
    } finally {
      await bench.close();
    }
  });
});
