import assert from "node:assert/strict";
import * as fs from "node:fs";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import isomorphicGit from "isomorphic-git";
import type { RefTargets, TagTarget } from "../../repos/store/types.ts";
import { draft, fsck, git, openBench, publishChain, repo, textFile, type Bench } from "./fixtures.ts";

const past = new Date(Date.now() - 8 * 24 * 60 * 60_000);

describe("the refs of a skill", () => {
  let bench: Bench;
  beforeEach(async () => (bench = await openBench()));
  afterEach(() => bench.close());

  it("follow the versions, and a revert, for native git and isomorphic-git", async () => {
    const [first, second] = await publishChain(bench.store, 2);
    const dir = await bench.store.materialize(repo);

    await bench.store.advanceRefs(repo, async () => ({ main: second!.oid, head: second!.oid }));
    await bench.store.advanceRefs(repo, async () => ({ main: first!.oid, head: second!.oid }));

    const shown = (await git(dir, "for-each-ref", "--format=%(refname) %(objectname)")).toString();
    assert.equal(shown, `refs/heads/main ${first!.oid}\nrefs/svc/head ${second!.oid}\n`);
    assert.equal(await isomorphicGit.resolveRef({ fs, gitdir: dir, ref: "HEAD" }), first!.oid);
    assert.equal((await isomorphicGit.log({ fs, gitdir: dir, ref: "refs/svc/head" })).length, 2);
    assert.deepEqual(await fsck(dir), []);
  });

  it("end in the latest state, however many advances run concurrently", async () => {
    const chain = await publishChain(bench.store, 20);
    let truth = 0;

    const results = await Promise.all(
      chain.map(async (_, i) => {
        truth = i;
        await new Promise(setImmediate);
        return bench.store.advanceRefs(repo, async () => ({
          main: chain[truth]!.oid,
          head: chain[truth]!.oid,
        }));
      }),
    );

    assert.ok(results.every((result) => result !== "contended"));
    assert.equal((await bench.store.readRefs(repo)).main, chain.at(-1)!.oid);
  });

  it("are left to a live holder of the lock, and taken over from a dead one", async () => {
    const [first] = await publishChain(bench.store, 1);
    const lock = join(await bench.store.materialize(repo), "packed-refs.lock");
    const truth = async (): Promise<RefTargets> => ({ main: first!.oid, head: first!.oid });
    await writeFile(lock, "");

    assert.equal(await bench.store.advanceRefs(repo, truth), "contended");
    assert.equal((await bench.store.readRefs(repo)).head, null);
    await utimes(lock, past, past);
    assert.equal(await bench.store.advanceRefs(repo, truth), "advanced");
    assert.equal((await bench.store.readRefs(repo)).head, first!.oid);
    const left = await readdir(join(lock, ".."));
    assert.deepEqual(left.toSorted(), ["HEAD", "objects", "packed-refs", "refs"]);
  });

  it("are never written by a holder whose lock others may have broken", async () => {
    const [first] = await publishChain(bench.store, 1);
    const slow = bench.reopen({ staleLockMs: 40 });

    const result = await slow.advanceRefs(repo, async () => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return { main: first!.oid, head: first!.oid };
    });

    assert.equal(result, "contended");
    assert.equal((await bench.store.readRefs(repo)).main, null);
  });

  it("contain a tag for each version that Git can name", async () => {
    const chain = await publishChain(bench.store, 3);
    const dir = await bench.store.materialize(repo);
    const tags = ["v1.0.0", "v1.1.0-beta.1", "v2.0.0-x.lock"].map((name, i) => ({
      name,
      oid: chain[i]!.oid,
    }));
    const targets = { main: chain[2]!.oid, head: chain[2]!.oid };
    const setTags = (list: TagTarget[]) =>
      bench.store.advanceRefs(repo, async () => ({ ...targets, tags: list }));
    await setTags([{ name: "v0.0.1", oid: chain[0]!.oid }]);

    await setTags(tags);

    const shown = (
      await git(dir, "for-each-ref", "--format=%(refname:short) %(objectname)", "refs/tags")
    ).toString();
    assert.equal(shown, `v1.0.0 ${chain[0]!.oid}\nv1.1.0-beta.1 ${chain[1]!.oid}\n`);
    assert.deepEqual(await isomorphicGit.listTags({ fs, gitdir: dir }), ["v1.0.0", "v1.1.0-beta.1"]);
    assert.deepEqual(await bench.store.readRefs(repo), { ...targets, tags: tags.slice(0, 2) });
    for (const name of ["v1 2", "v..1", "../x", "v1.", "main", "v1~1", "v1\n0"]) {
      await setTags([{ name, oid: chain[0]!.oid }]);
      assert.deepEqual(await bench.store.readRefs(repo), { ...targets, tags: [] }, name);
    }
    assert.deepEqual(await fsck(dir), []);
  });

  it("stay when only the tags or only the targets change", async () => {
    const [first, second] = await publishChain(bench.store, 2);
    const tags = [{ name: "v1.0.0", oid: first!.oid }];
    await bench.store.advanceRefs(repo, async () => ({ main: first!.oid, head: first!.oid, tags }));

    await bench.store.advanceRefs(repo, async () => ({ main: second!.oid, head: second!.oid }));

    assert.deepEqual(await bench.store.readRefs(repo), { main: second!.oid, head: second!.oid, tags });
  });

  it("replace those in files of their own, which hide the others until then", async () => {
    const [first, second] = await publishChain(bench.store, 2);
    const dir = await bench.store.materialize(repo);
    const old = { main: first!.oid, head: first!.oid };
    const loose = [join(dir, "refs", "heads", "main"), join(dir, "refs", "svc", "head")];
    for (const path of loose) {
      await mkdir(join(path, ".."), { recursive: true });
      await writeFile(path, `${first!.oid}\n`);
    }

    assert.deepEqual(await bench.store.readRefs(repo), { ...old, tags: [] });
    assert.equal(await bench.store.advanceRefs(repo, async () => old), "unchanged");
    const next = { main: second!.oid, head: second!.oid };
    assert.equal(await bench.store.advanceRefs(repo, async () => next), "advanced");

    assert.deepEqual(
      loose.filter((path) => fs.existsSync(path)),
      [],
    );
    const shown = (await git(dir, "for-each-ref", "--format=%(refname) %(objectname)")).toString();
    assert.equal(shown, `refs/heads/main ${second!.oid}\nrefs/svc/head ${second!.oid}\n`);
  });
});

describe("erasing a skill", () => {
  let bench: Bench;
  before(async () => (bench = await openBench()));
  after(() => bench.close());

  it("removes its commits, its zips and its cache, and nothing of others", async () => {
    const other = { ...repo, skillId: "1".repeat(24) };
    const written = await bench.store.writeCommit(repo, draft([textFile("SKILL.md", "secret")]));
    await bench.store.writeCommit(other, draft([textFile("SKILL.md", "secret")]));
    (await bench.store.openZip(repo, written.oid, written.digest)).stream.destroy();

    await bench.store.erase(repo);

    const left = (await readdir(bench.folder, { recursive: true })).filter((name) =>
      name.includes(repo.skillId),
    );
    assert.deepEqual(left, []);
    assert.equal(await bench.store.exists(repo), false);
    await assert.rejects(bench.store.readCommit(repo, written.oid), { code: "object_missing" });
    await assert.rejects(bench.store.readFile(repo, written.oid, "SKILL.md"), { code: "object_missing" });
    await assert.rejects(bench.store.openZip(repo, written.oid, written.digest), { code: "object_missing" });
    assert.equal((await bench.store.readFile(other, written.oid, "SKILL.md"))?.data.toString(), "secret");
    await bench.store.erase(repo);
    const again = await bench.store.writeCommit(repo, draft([textFile("SKILL.md", "again")]));
    assert.equal((await bench.store.readFile(repo, again.oid, "SKILL.md"))?.data.toString(), "again");
  });
});

describe("erasing a skill in use", () => {
  it("is not undone by concurrent merges, publishes or zips", async () => {
    const bench = await openBench({ autoMaintain: false, graceMs: 0 });
    try {
      for (let round = 0; round < 8; round++) {
        const chain = await publishChain(bench.store, 17);
        const last = chain.at(-1)!;
        const settled = Promise.allSettled([
          bench.store.maintain(repo),
          bench.reopen().maintain(repo),
          bench.store.writeCommit(repo, draft([textFile("SKILL.md", "late")], last.oid, 99)),
          bench.store.openZip(repo, last.oid, last.digest).then(({ stream }) => stream.destroy()),
        ]);
        await new Promise((resolve) => setTimeout(resolve, round));

        await bench.store.erase(repo);
        await settled;

        assert.equal(await bench.store.exists(repo), false);
        const left = await readdir(join(bench.folder, "git"), { recursive: true, withFileTypes: true });
        assert.deepEqual(
          left.filter((entry) => entry.isFile()).map((entry) => entry.name),
          [],
        );
      }
    } finally {
      await bench.close();
    }
  });
});

describe("a sweep", () => {
  it("removes what killed processes left, and only that", async () => {
    const bench = await openBench();
    try {
      const [first] = await publishChain(bench.store, 1);
      await bench.store.advanceRefs(repo, async () => ({ main: first!.oid, head: first!.oid }));
      (await bench.store.openZip(repo, first!.oid, first!.digest)).stream.destroy();
      const dir = await bench.store.materialize(repo);
      const pack = join(dir, "objects", "pack");
      const old = ["tmp_pack_1_0", "tmp_idx_1_0", `pack-${"a".repeat(40)}.pack`].map((name) =>
        join(pack, name),
      );
      const fresh = ["tmp_pack_2_0", `pack-${"b".repeat(40)}.pack`].map((name) => join(pack, name));
      const locks = [join(dir, "refs", "svc", "head.lock"), join(dir, "packed-refs.lock")];
      // A lock of an earlier release.
      await mkdir(join(dir, "refs", "svc"));
      for (const path of [...old, ...fresh, ...locks, join(dir, "tmp_ref_1_0")]) await writeFile(path, "");
      for (const path of [...old, ...locks, join(dir, "tmp_ref_1_0")]) await utimes(path, past, past);
      await mkdir(join(bench.folder, "git", "trash", "x", "y"), { recursive: true });
      for (const zip of await readdir(
        join(bench.folder, "git", "cache", "zips", repo.tenantId, repo.skillId),
      ))
        await utimes(
          join(bench.folder, "git", "cache", "zips", repo.tenantId, repo.skillId, zip),
          past,
          past,
        );

      assert.deepEqual(await bench.store.sweep(repo), { locks: 2, temporary: 4, packs: 0 });
      assert.deepEqual(await bench.store.sweepShared(), { trash: 1, artifacts: 1 });
      for (const path of [...old, ...locks]) assert.equal(fs.existsSync(path), false, path);
      for (const path of fresh) assert.equal(fs.existsSync(path), true, path);
      await bench.reopen().verify(repo, first!.oid, first!.digest);
      assert.deepEqual(await bench.store.sweep(repo), { locks: 0, temporary: 0, packs: 0 });
      assert.deepEqual(await bench.store.sweepShared(), { trash: 0, artifacts: 0 });
    } finally {
      await bench.close();
    }
  });
});

describe("a closed store", () => {
  it("has finished its work and accepts no more", async () => {
    const bench = await openBench({ graceMs: 0 });
    const chain = await publishChain(bench.store, 40);
    await bench.store.close();

    const input = draft([textFile("SKILL.md", "late")]);
    await assert.rejects(bench.store.writeCommit(repo, input), { code: "store_closed" });
    await assert.rejects(bench.store.readCommit(repo, chain[0]!.oid), { code: "store_closed" });
    await assert.rejects(
      bench.store.advanceRefs(repo, async () => ({ main: null, head: null })),
      { code: "store_closed" },
    );
    await bench.reopen().verify(repo, chain.at(-1)!.oid, chain.at(-1)!.digest);
    await bench.close();
  });
});
