import assert from "node:assert/strict";
import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { SkillStore, WrittenCommit } from "../../repos/store/index.ts";
import { isMergeDue } from "../../repos/store/maintenance.ts";
import { until } from "../support/until.ts";
import { draft, fsck, git, openBench, publishChain, repo, textFile } from "./fixtures.ts";

async function packFolder(store: SkillStore): Promise<string> {
  return join(await store.materialize(repo), "objects", "pack");
}

async function countPacks(store: SkillStore): Promise<number> {
  return (await readdir(await packFolder(store))).filter((name) => name.endsWith(".pack")).length;
}

async function assertAllReadable(store: SkillStore, chain: readonly WrittenCommit[]): Promise<void> {
  for (const [i, commit] of chain.entries()) {
    assert.deepEqual((await store.readCommit(repo, commit.oid)).parents, i === 0 ? [] : [chain[i - 1]!.oid]);
    await store.verify(repo, commit.oid, commit.digest);
  }
}

describe("merging packs", () => {
  it("is due when sixteen of a size class have accumulated", () => {
    assert.equal(isMergeDue(Array.from({ length: 15 }, () => 3)), false);
    assert.equal(isMergeDue(Array.from({ length: 16 }, (_, i) => 1 + (i % 15))), true);
    assert.equal(
      isMergeDue([...Array.from({ length: 15 }, () => 3), ...Array.from({ length: 15 }, () => 48)]),
      false,
    );
    assert.equal(isMergeDue(Array.from({ length: 16 }, (_, i) => 16 + i * 15)), true);
    assert.equal(isMergeDue([]), false);
  });

  it("runs automatically and keeps a long history in few files", async () => {
    const bench = await openBench({ graceMs: 0 });
    try {
      const chain = await publishChain(bench.store, 300);
      await bench.store.maintain(repo);
      const head = chain.at(-1)!.oid;
      await bench.store.advanceRefs(repo, async () => ({ main: head, head }));

      // A merge in the background may have been running, and have left what it replaced to the next one.
      await until("the packs are merged", async () => {
        await bench.store.maintain(repo);
        return (await countPacks(bench.store)) <= 30;
      });
      assert.equal(
        (await git(await bench.store.materialize(repo), "rev-list", "--count", "main")).toString(),
        "300\n",
      );
      assert.deepEqual(await fsck(await bench.store.materialize(repo)), []);
      await assertAllReadable(bench.reopen(), chain);
    } finally {
      await bench.close();
    }
  });

  it("leaves replaced packs in place for their grace period, and merges none of them again", async () => {
    const bench = await openBench({ autoMaintain: false, graceMs: 60_000 });
    try {
      const chain = await publishChain(bench.store, 16);

      assert.deepEqual(await bench.store.maintain(repo), { written: 1, superseded: 16 });
      assert.deepEqual(await bench.store.maintain(repo), { written: 0, superseded: 0 });
      assert.deepEqual(await bench.reopen().maintain(repo), { written: 0, superseded: 0 });
      assert.equal(await countPacks(bench.store), 17);
      await assertAllReadable(bench.reopen(), chain);

      const folder = await packFolder(bench.store);
      const past = new Date(Date.now() - 120_000);
      for (const name of await readdir(folder))
        if (name.endsWith(".replaces")) await utimes(join(folder, name), past, past);
      const report = await bench.store.sweep(repo);

      assert.equal(report.packs, 16);
      assert.deepEqual((await readdir(folder)).map((name) => name.replace(/^.*\./, "")).toSorted(), [
        "idx",
        "pack",
      ]);
      await assertAllReadable(bench.store, chain);
      await assertAllReadable(bench.reopen(), chain);
    } finally {
      await bench.close();
    }
  });

  it("removes no pack whose objects are not found elsewhere, whatever a note contains", async () => {
    const logged: string[] = [];
    const bench = await openBench({
      autoMaintain: false,
      graceMs: 0,
      log: (entry) => logged.push(entry.msg),
    });
    try {
      const chain = await publishChain(bench.store, 3);
      const names = (await readdir(await packFolder(bench.store)))
        .filter((name) => name.endsWith(".pack"))
        .map((name) => name.slice(5, -5));
      const { openPosixDriver } = await import("../../repos/store/posix/posix.ts");
      const driver = openPosixDriver({ root: `${bench.folder}/git`, readHandles: 4, staleLockMs: 10_000 });
      await driver.packs.supersede(repo, names[0]!, names);
      await driver.packs.close();

      await bench.store.maintain(repo);
      await bench.store.sweep(repo);

      await assertAllReadable(bench.reopen(), chain);
      assert.ok(logged.some((message) => message.includes("it stays")));
    } finally {
      await bench.close();
    }
  });

  it("does not disturb readers whose packs it removes", async () => {
    const bench = await openBench({ graceMs: 0 });
    try {
      const chain: WrittenCommit[] = [];
      const done = new AbortController();
      const readers = [bench.reopen({ readHandles: 2, cacheBytes: 1 }), bench.reopen({ cacheBytes: 1 })];
      const reading = Promise.all(
        readers.map(async (reader, seed) => {
          for (let n = seed; !done.signal.aborted; n += 7) {
            const commit = chain[n % Math.max(1, chain.length)];
            if (commit !== undefined) await reader.verify(repo, commit.oid, commit.digest);
            else await new Promise(setImmediate);
          }
        }),
      );

      for (let version = 1; version <= 150; version++) {
        const files = [textFile("SKILL.md", `# ${version}`), textFile("data.txt", `${version} `.repeat(500))];
        chain.push(await bench.store.writeCommit(repo, draft(files, chain.at(-1)?.oid, version)));
      }
      done.abort();
      await reading;

      await assertAllReadable(bench.reopen(), chain);
    } finally {
      await bench.close();
    }
  });

  it("can be done by several processes at once", async () => {
    const bench = await openBench({ autoMaintain: false, graceMs: 0 });
    try {
      const chain = await publishChain(bench.store, 64);
      const others = Array.from({ length: 4 }, () => bench.reopen());

      await Promise.allSettled(others.map((other) => other.maintain(repo)));
      await bench.reopen().maintain(repo);

      await assertAllReadable(bench.reopen(), chain);
      assert.deepEqual(await fsck(await bench.store.materialize(repo)), []);
      assert.ok((await countPacks(bench.store)) <= 20);
    } finally {
      await bench.close();
    }
  });

  it("leaves packs with deltas as native git created them", async () => {
    const bench = await openBench({ autoMaintain: false, graceMs: 0 });
    try {
      const text = Array.from({ length: 500 }, (_, i) => `line ${i}\n`);
      const chain: WrittenCommit[] = [];
      for (let version = 1; version <= 20; version++) {
        text[version] = "changed\n";
        chain.push(
          await bench.store.writeCommit(
            repo,
            draft([textFile("SKILL.md", text.join(""))], chain.at(-1)?.oid, version),
          ),
        );
      }
      const head = chain.at(-1)!.oid;
      await bench.store.advanceRefs(repo, async () => ({ main: head, head }));
      await git(await bench.store.materialize(repo), "repack", "-q", "-a", "-f", "--depth=20");

      await bench.store.maintain(repo);

      await assertAllReadable(bench.reopen(), chain);
      assert.deepEqual(await fsck(await bench.store.materialize(repo)), []);
    } finally {
      await bench.close();
    }
  });
});
