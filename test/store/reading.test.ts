import assert from "node:assert/strict";
import { chmod, readFile, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import type { SkillStore, WrittenCommit } from "../../repos/store/index.ts";
import { applyDelta, buildIndex, PackIndex, readStored } from "../../repos/store/pack/format.ts";
import { feedGit } from "../support/native-git.ts";
import { runCount } from "../support/run-count.ts";
import { draft, git, openBench, publishChain, repo, textFile, type Bench } from "./fixtures.ts";

async function packFiles(store: SkillStore, ending: string): Promise<string[]> {
  const folder = join(await store.materialize(repo), "objects", "pack");
  return (await readdir(folder)).filter((name) => name.endsWith(ending)).map((name) => join(folder, name));
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe("reading", () => {
  let bench: Bench;
  before(async () => (bench = await openBench({ autoMaintain: false })));
  after(() => bench.close());

  it("supports packs with deltas that native git wrote", async () => {
    const base = Array.from({ length: 2000 }, (_, i) => `line ${i}\n`);
    const texts: string[] = [];
    const commits: WrittenCommit[] = [];
    for (let version = 1; version <= 12; version++) {
      base[version * 17] = `changed in ${version}\n`;
      texts.push(base.join(""));
      commits.push(
        await bench.store.writeCommit(
          repo,
          draft([textFile("SKILL.md", base.join(""))], commits.at(-1)?.oid, version),
        ),
      );
    }
    const head = commits.at(-1)!.oid;
    await bench.store.advanceRefs(repo, async () => ({ main: head, head }));
    const dir = await bench.store.materialize(repo);

    await git(dir, "repack", "-a", "-d", "-f", "--depth=20");
    const offsets = bench.reopen();
    for (const [i, commit] of commits.entries()) {
      const file = await offsets.readFile(repo, commit.oid, "SKILL.md");
      assert.equal(file?.data.toString(), texts[i]);
      assert.equal((await offsets.listFiles(repo, commit.oid))[0]?.size, texts[i]!.length);
    }
    assert.match(
      (await git(dir, "verify-pack", "-v", ...(await packFiles(offsets, ".idx")))).toString(),
      /chain length/,
    );

    await git(dir, "-c", "repack.useDeltaBaseOffset=false", "repack", "-a", "-d", "-f", "--depth=20");
    const references = bench.reopen();
    for (const [i, commit] of commits.entries()) {
      await references.verify(repo, commit.oid, commit.digest);
      const opened = await references.openFile(repo, commit.oid, "SKILL.md");
      assert.equal((await collect(opened!.stream)).toString(), texts[i]);
    }
  });

  it("finds what other processes have published, and handles packs they replaced", async () => {
    const reader = bench.reopen();
    const [first] = await publishChain(bench.store, 1);
    await reader.readCommit(repo, first!.oid);
    const later = await publishChain(bench.store, 20, first!.oid, 2);
    const merger = bench.reopen({ graceMs: 0 });

    assert.equal(
      (await reader.readFile(repo, later.at(-1)!.oid, "SKILL.md"))?.data.toString(),
      "# Version 21\n",
    );
    await merger.maintain(repo);
    const few = bench.reopen({ readHandles: 1 });
    for (const [i, commit] of later.entries())
      assert.equal(
        (await few.readFile(repo, commit.oid, "SKILL.md"))?.data.toString(),
        `# Version ${i + 2}\n`,
      );
    for (const commit of later) await reader.verify(repo, commit.oid, commit.digest);
  });

  it("serves many readers at once with few open files", async () => {
    const store = bench.reopen({ readHandles: 2, cacheBytes: 1 });
    const commits = await publishChain(bench.store, 12, undefined, 100);

    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, i) => store.readFile(repo, commits[i % 12]!.oid, "SKILL.md")),
    );

    for (const [i, answer] of answers.entries())
      assert.equal(answer?.data.toString(), `# Version ${100 + (i % 12)}\n`);
  });

  it("distinguishes missing objects from existing ones", async () => {
    const written = await bench.store.writeCommit(
      repo,
      draft([textFile("a/b/c.txt", "x"), textFile("d", "")]),
    );

    for (const path of ["a", "a/b", "a/b/c.txt/d", "nothing", "", "A/b/c.txt", "a//b", "../d"])
      assert.equal(await bench.store.readFile(repo, written.oid, path), undefined, path);
    assert.equal((await bench.store.readFile(repo, written.oid, "d"))?.data.length, 0);
    await assert.rejects(bench.store.readCommit(repo, "1".repeat(40)), { code: "object_missing" });
    await assert.rejects(bench.store.readCommit(repo, written.treeOid), { code: "object_corrupt" });
    await assert.rejects(bench.store.readCommit({ ...repo, skillId: "0".repeat(24) }, written.oid), {
      code: "object_missing",
    });
  });

  it("streams a large file, compressible or not, and stops cleanly when its reader does", async () => {
    const compressible = Buffer.from("0123456789abcdef".repeat(200_000));
    const dense = Buffer.from(
      Uint8Array.from({ length: 2_000_000 }, (_, i) => Math.imul(i, 2654435761) >>> 13),
    );
    const files = [
      { path: "dense", mode: "100644" as const, data: dense },
      { path: "plain", mode: "100644" as const, data: compressible },
    ];
    const written = await bench.store.writeCommit(repo, draft(files));
    const store = bench.reopen();

    for (const file of files) {
      const opened = await store.openFile(repo, written.oid, file.path);
      assert.ok(opened !== undefined);
      assert.equal(opened.size, file.data.length);
      assert.ok((await collect(opened.stream)).equals(file.data));
    }
    const abandoned = await store.openFile(repo, written.oid, "plain");
    for await (const piece of abandoned!.stream) {
      assert.ok(piece.length > 0);
      break;
    }
    assert.ok(abandoned!.stream.destroyed);
  });
});

describe("damage on disk", () => {
  let bench: Bench;
  let written: WrittenCommit;
  const text = "some text that deflates ".repeat(50);
  const large = Buffer.from("large and dull ".repeat(40_000));

  async function fresh(): Promise<void> {
    bench = await openBench({ autoMaintain: false });
    written = await bench.store.writeCommit(
      repo,
      draft([textFile("SKILL.md", text), { path: "large", mode: "100644", data: large }]),
    );
  }

  it("never results in other bytes, wherever a bit of a pack is flipped", async () => {
    await fresh();
    const [pack] = await packFiles(bench.store, ".pack");
    const sound = await readFile(pack!);
    await chmod(pack!, 0o644);
    let refused = 0;
    try {
      for (let at = 0; at < sound.length; at += Math.ceil(sound.length / 60)) {
        const broken = Buffer.from(sound);
        broken[at]! ^= 0x15;
        await writeFile(pack!, broken);
        const store = bench.reopen();
        for (const action of [
          async () =>
            assert.equal((await store.readFile(repo, written.oid, "SKILL.md"))?.data.toString(), text),
          async () => assert.ok((await store.readFile(repo, written.oid, "large"))?.data.equals(large)),
          async () =>
            assert.ok(
              (await collect((await store.openFile(repo, written.oid, "large"))!.stream)).equals(large),
            ),
          async () => store.verify(repo, written.oid, written.digest),
        ])
          await action().catch((error: { code?: string }) => {
            assert.equal(error.code, "object_corrupt");
            refused++;
          });
        await store.close();
      }
    } finally {
      await bench.close();
    }
    assert.ok(refused > 40, `only ${refused} reads were refused`);
  });

  it("of a truncated pack or index is an error with a code, for that pack only", async () => {
    await fresh();
    try {
      const [pack] = await packFiles(bench.store, ".pack");
      const [index] = await packFiles(bench.store, ".idx");
      const other = await bench.store.writeCommit(repo, draft([textFile("SKILL.md", "other")]));
      await chmod(pack!, 0o644);
      await truncate(pack!, 40);
      await assert.rejects(bench.reopen().readFile(repo, written.oid, "large"), { code: "object_corrupt" });

      await chmod(index!, 0o644);
      await truncate(index!, 100);
      const logged: string[] = [];
      const store = bench.reopen({ log: (entry) => logged.push(entry.msg) });
      await assert.rejects(store.readCommit(repo, written.oid), { code: "object_corrupt", retryable: false });
      assert.equal((await store.readFile(repo, other.oid, "SKILL.md"))?.data.toString(), "other");
      assert.ok(logged.includes("a pack is damaged"));
    } finally {
      await bench.close();
    }
  });

  it("is avoided if there is an intact second copy", async () => {
    await fresh();
    try {
      const [pack] = await packFiles(bench.store, ".pack");
      const dir = await bench.store.materialize(repo);
      await bench.store.advanceRefs(repo, async () => ({ main: written.oid, head: written.oid }));
      await git(dir, "repack", "-a", "-q");
      await chmod(pack!, 0o644);
      const broken = await readFile(pack!);
      broken.fill(0x55, 14, broken.length - 20);
      await writeFile(pack!, broken);

      const store = bench.reopen();

      await store.verify(repo, written.oid, written.digest);
      assert.equal((await store.readFile(repo, written.oid, "SKILL.md"))?.data.toString(), text);
    } finally {
      await bench.close();
    }
  });

  it("of a missing pack is reported as missing", async () => {
    await fresh();
    try {
      for (const file of [
        ...(await packFiles(bench.store, ".pack")),
        ...(await packFiles(bench.store, ".idx")),
      ])
        await rm(file);

      await assert.rejects(bench.reopen().readCommit(repo, written.oid), { code: "object_missing" });
    } finally {
      await bench.close();
    }
  });
});

describe("pack formats", () => {
  it("find every object of an index and no other, with offsets beyond 2 GiB", () => {
    const oids = fc.uniqueArray(fc.stringMatching(/^[0-9a-f]{40}$/), { minLength: 1, maxLength: 60 });
    const offset = fc.oneof(
      fc.integer({ min: 12, max: 2 ** 31 - 1 }),
      fc.integer({ min: 2 ** 31, max: 2 ** 45 }),
    );
    fc.assert(
      fc.property(
        oids,
        fc.array(offset, { minLength: 60, maxLength: 60 }),
        fc.stringMatching(/^[0-9a-f]{40}$/),
        (names, offsets, other) => {
          const entries = names.map((oid, i) => ({ oid, offset: offsets[i]!, crc: i * 7919 }));
          const index = new PackIndex(buildIndex(entries, Buffer.alloc(20)));

          for (const entry of entries) {
            const position = index.find(entry.oid);
            assert.equal(index.oidAt(position), entry.oid);
            assert.equal(index.offsetAt(position), entry.offset);
            assert.equal(index.crcAt(position), entry.crc);
          }
          assert.equal(index.find(other), names.includes(other) ? index.find(other) : -1);
          assert.deepEqual([...index.oids()], names.toSorted());
        },
      ),
      { numRuns: runCount(12, 600) },
    );
  });

  it("have indexes that native git accepts", () => {
    // `show-index` reads offsets of both widths.
    const entries = [
      { oid: "00".repeat(20), offset: 12, crc: 1 },
      { oid: "ff".repeat(20), offset: 2 ** 33 + 5, crc: 0xffffffff },
      { oid: "7f".repeat(20), offset: 2 ** 31, crc: 2 },
    ];

    const shown = feedGit(".", buildIndex(entries, Buffer.alloc(20, 9)), "show-index").toString();

    assert.equal(
      shown,
      `12 ${"00".repeat(20)} (00000001)\n${2 ** 31} ${"7f".repeat(20)} (00000002)\n${2 ** 33 + 5} ${"ff".repeat(20)} (ffffffff)\n`,
    );
  });

  it("keep every delta within its bounds", () => {
    const base = Buffer.from("0123456789");
    const copy = Buffer.from([10, 4, 0x91, 2, 4]);

    assert.equal(applyDelta(base, copy).toString(), "2345");
    for (const broken of [
      [9, 4, 0x91, 2, 4],
      [10, 4, 0x91, 8, 4],
      [10, 5, 0x91, 2, 4],
      [10, 4, 0x91, 2],
      [10, 3, 4, 65, 65],
      [10, 1, 0],
      [10],
      [],
    ])
      assert.throws(() => applyDelta(base, Buffer.from(broken)), { code: "object_corrupt" });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        try {
          applyDelta(base, Buffer.from([10, 4, ...bytes]));
        } catch (error) {
          assert.equal((error as { code: string }).code, "object_corrupt");
        }
      }),
    );
  });

  it("read stored deflate blocks like zlib and leave all others to it", () => {
    for (const size of [1, 100, 65_535, 65_536, 200_000]) {
      const data = Buffer.alloc(size, "stored ");
      assert.ok(readStored(deflateSync(data, { level: 0 }), size)?.equals(data));
      assert.equal(readStored(deflateSync(data, { level: 0 }), size + 1), undefined);
      assert.equal(readStored(deflateSync(Buffer.alloc(size, 7), { level: 1 }), size), undefined);
    }
  });
});
