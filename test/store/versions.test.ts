import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { describe, it } from "node:test";
import fc from "fast-check";
import git from "isomorphic-git";
import { canonicalContent } from "../../contract/checks/package-rules.ts";
import { parseTrailers, type RepoId, type TreeFile, type WrittenCommit } from "../../repos/store/index.ts";
import { runCount } from "../support/run-count.ts";
import { closedAfter } from "../support/set-up.ts";
import { draft, fsck, git as native, openBench, repo, textFile } from "./fixtures.ts";

const names = fc.oneof(
  fc.constantFrom(
    "a",
    "a.b",
    "a0",
    "a-",
    "b",
    "SKILL.md",
    "ä",
    "a\u0308",
    "日本",
    "🎉",
    "\uff5e",
    "x y",
    "-n",
    "&;|$'\"",
  ),
  fc.stringMatching(/^[a-z0-9_]{1,12}$/),
);
const contents = fc.oneof(
  fc.constant(Buffer.alloc(0)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ maxLength: 50 }).map((text) => Buffer.from(text.repeat(40))),
  fc.integer({ min: 30_000, max: 120_000 }).map((size) => Buffer.alloc(size, `size ${size} `)),
);
/** Trees of files as a package may have them: no two names that are equal on some system, no file that is a folder. */
const trees = fc
  .array(
    fc.record({
      path: fc.array(names, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("/")),
      mode: fc.constantFrom("100644" as const, "100755" as const),
      data: contents,
    }),
    { minLength: 1, maxLength: 25 },
  )
  .map((files) => {
    const taken = new Map<string, "file" | "folder">();
    const spelled = new Map<string, string>();
    return files.filter(({ path }) => {
      const parts = path.split("/");
      const claims = parts.map((_, i) => parts.slice(0, i + 1).join("/"));
      const fold = (text: string) => text.normalize("NFC").toUpperCase().toLowerCase();
      const clash = claims.some((claim, i) => {
        const kind = i === claims.length - 1 ? "file" : "folder";
        const known = taken.get(fold(claim));
        return (
          known !== undefined && (known !== kind || kind === "file" || spelled.get(fold(claim)) !== claim)
        );
      });
      if (clash) return false;
      for (const [i, claim] of claims.entries()) {
        taken.set(fold(claim), i === claims.length - 1 ? "file" : "folder");
        spelled.set(fold(claim), claim);
      }
      return true;
    });
  });

describe("a stored version", async () => {
  let skills = 0;
  const nextRepo = (): RepoId => ({ ...repo, skillId: (++skills).toString(16).padStart(24, "0") });
  const bench = await closedAfter(openBench());

  /** Compares one version as the store, native git and isomorphic-git read it with what was published. */
  async function assertSame(
    skill: RepoId,
    written: WrittenCommit,
    files: readonly TreeFile[],
  ): Promise<void> {
    const dir = await bench.store.materialize(skill);
    const expected = new Map(files.map((file) => [file.path, file]));
    const order = [...expected.keys()].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

    const listing = (await native(dir, "ls-tree", "-r", "-z", "-l", written.oid))
      .toString()
      .split("\0")
      .slice(0, -1);
    const seen = listing.map((line) => {
      const [facts, path] = line.split("\t") as [string, string];
      const [mode, , oid, size] = facts.split(/ +/) as [string, string, string, string];
      return { path, mode, oid, size: Number(size) };
    });
    assert.deepEqual(await bench.reopen().listFiles(skill, written.oid), seen);
    assert.deepEqual(
      written.files.map(({ path, mode, oid, size }) => ({ path, mode, oid, size })),
      seen,
    );
    assert.deepEqual(
      seen.map((file) => file.path),
      order,
    );

    const fresh = bench.reopen();
    const cache = {};
    let i = 0;
    for await (const file of fresh.readFiles(skill, written.oid)) {
      const original = expected.get(file.path);
      assert.equal(file.path, order[i++]);
      assert.ok(original !== undefined && original.mode === file.mode);
      assert.ok(file.data.equals(original.data), `our bytes of ${file.path}`);
      const { blob } = await git.readBlob({ fs, gitdir: dir, cache, oid: written.oid, filepath: file.path });
      assert.ok(original.data.equals(blob), `isomorphic-git's bytes of ${file.path}`);
      const single = await fresh.readFile(skill, written.oid, file.path);
      assert.ok(single !== undefined && single.data.equals(original.data));
    }
    assert.equal(i, order.length);
    const sample = order[order.length >> 1]!;
    assert.ok(
      (await native(dir, "cat-file", "blob", `${written.oid}:${sample}`)).equals(expected.get(sample)!.data),
    );
    await fresh.verify(skill, written.oid, written.digest);
  }

  it("is the same for the store, native git and isomorphic-git", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(trees, { minLength: 1, maxLength: 3 }), async (versions) => {
        const skill = nextRepo();
        let parent: string | undefined;
        let written: WrittenCommit | undefined;
        for (const [i, files] of versions.entries()) {
          written = await bench.store.writeCommit(skill, draft(files, parent, i + 1));
          parent = written.oid;
        }

        await assertSame(skill, written!, versions.at(-1)!);
        assert.deepEqual(await fsck(await bench.store.materialize(skill)), []);
      }),
      { numRuns: runCount(8, 120) },
    );
  });

  it("orders names as Git does if a folder and files share a prefix", async () => {
    const skill = nextRepo();
    const paths = ["a.b", "a/x", "a0", "a-", "a.b.c/y", "ab", "b/\uff5e", "b/🎉", "b/z"];
    const files = paths.map((path) => textFile(path, path));

    const written = await bench.store.writeCommit(skill, draft(files));

    await assertSame(skill, written, files);
    assert.deepEqual(await fsck(await bench.store.materialize(skill)), []);
  });

  it("may have 500 files in deep folders and a large binary", async () => {
    const skill = nextRepo();
    const deep = Array.from({ length: 30 }, (_, i) => `level-${i}`).join("/");
    const files = Array.from({ length: 498 }, (_, i) =>
      textFile(`part-${i % 25}/file-${i}.md`, `File ${i}\n`.repeat(i)),
    );
    files.push(textFile(`${deep}/leaf`, "deep", "100755"));
    files.push({
      path: "image.bin",
      mode: "100644",
      data: Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => (i * i * 31) >> 7)),
    });

    const written = await bench.store.writeCommit(skill, draft(files));

    await assertSame(skill, written, files);
    assert.deepEqual(await fsck(await bench.store.materialize(skill)), []);
    assert.equal(written.fileCount, 500);
  });

  it("does not rewrite objects of its parent", async () => {
    const skill = nextRepo();
    const large = textFile("large.txt", "x y z ".repeat(100_000));
    const first = await bench.store.writeCommit(skill, draft([large, textFile("SKILL.md", "one")]));
    const dir = await bench.store.materialize(skill);
    const earlier = fs.readdirSync(`${dir}/objects/pack`).filter((name) => name.endsWith(".pack"));

    await bench.store.writeCommit(skill, draft([large, textFile("SKILL.md", "two")], first.oid, 2));

    const added = fs
      .readdirSync(`${dir}/objects/pack`)
      .filter((name) => name.endsWith(".pack") && !earlier.includes(name));
    const counted = (
      await native(dir, "verify-pack", "-v", `${dir}/objects/pack/${added[0]!.replace(/pack$/, "idx")}`)
    ).toString();
    assert.equal(added.length, 1);
    assert.equal(counted.match(/ (commit|tree|blob) /g)?.length, 3);
  });

  it("is the same commit and the same pack when it is published twice", async () => {
    const skill = nextRepo();
    const files = [textFile("SKILL.md", "same"), textFile("run.sh", "echo", "100755")];
    const first = await bench.store.writeCommit(skill, draft(files));
    const packs = () => fs.readdirSync(`${dir}/objects/pack`).length;
    const dir = await bench.store.materialize(skill);
    const earlier = packs();

    const again = await bench.reopen().writeCommit(skill, draft(files.toReversed()));

    assert.deepEqual(again, first);
    assert.equal(packs(), earlier);
  });

  it("is moved to another parent as a single commit object if its publish lost the race", async () => {
    const skill = nextRepo();
    const base = await bench.store.writeCommit(skill, draft([textFile("SKILL.md", "base")]));
    const winner = await bench.store.writeCommit(skill, draft([textFile("SKILL.md", "winner")], base.oid, 2));
    const loser = await bench.store.writeCommit(skill, draft([textFile("SKILL.md", "loser")], base.oid, 2));
    const { source: _, ...meta } = draft([], winner.oid, 3);

    const moved = await bench.store.recommit(skill, loser, meta);

    assert.equal(moved.treeOid, loser.treeOid);
    assert.equal(moved.digest, loser.digest);
    assert.deepEqual((await bench.reopen().readCommit(skill, moved.oid)).parents, [winner.oid]);
    assert.equal((await bench.reopen().readFile(skill, moved.oid, "SKILL.md"))?.data.toString(), "loser");
    assert.deepEqual(await fsck(await bench.store.materialize(skill)), []);
  });

  it("records author, time and message in a commit that Git can show", async () => {
    const skill = nextRepo();
    const input = draft([textFile("SKILL.md", "x")]);
    const message = "Sähe\r\nmore\0\n\nSvc-Version: 99\n  svc-fake: 1\n\n";

    const written = await bench.store.writeCommit(skill, {
      ...input,
      message,
      author: { name: " <b>ob\n", email: "u-1@x y>" },
    });

    const dir = await bench.store.materialize(skill);
    const shown = (
      await native(dir, "log", "-1", "--format=%an|%ae|%cn|%ce|%aI|%cI%n%B", written.oid)
    ).toString();
    const stored = await bench.reopen().readCommit(skill, written.oid);
    assert.equal(
      shown.split("\n")[0],
      "bob|u-1@xy|svc|git@noreply.svc.test|2023-11-14T22:13:21+00:00|2023-11-14T22:13:21+00:00",
    );
    assert.equal(stored.message, "Sähe\nmore\n\nSvc-Version: 99\n  svc-fake: 1");
    assert.deepEqual(stored.trailers, {
      "Svc-Skill": repo.skillId,
      "Svc-Version": "1",
      "Svc-Content": `sha256:${written.digest}`,
    });
    assert.deepEqual(
      parseTrailers((await native(dir, "log", "-1", "--format=%B", written.oid)).toString()),
      stored.trailers,
    );
    assert.deepEqual(await fsck(dir), []);
  });

  it("has a digest that anyone can recompute from the documented text", async () => {
    const skill = nextRepo();
    const files = [textFile("b", "2", "100755"), textFile("SKILL.md", "1")];
    const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

    const written = await bench.store.writeCommit(skill, draft(files));

    const text = `svc-content 1\n100644 ${sha256("1")} SKILL.md\n100755 ${sha256("2")} b\n`;
    assert.equal(canonicalContent(written.files), text);
    assert.equal(written.digest, sha256(text));
    await assert.rejects(bench.store.verify(skill, written.oid, sha256("other")), {
      code: "digest_mismatch",
    });
  });

  it("rejects invalid ids, parents, names, trailers and times", async () => {
    const skill = nextRepo();
    const input = draft([textFile("SKILL.md", "x")]);
    const { store } = bench;

    await assert.rejects(store.writeCommit({ ...skill, skillId: "../../../etc" }, input), {
      code: "invalid_id",
    });
    await assert.rejects(store.writeCommit({ ...skill, tenantId: "A".repeat(24) }, input), {
      code: "invalid_id",
    });
    await assert.rejects(store.writeCommit(skill, { ...input, parent: "0".repeat(40) }), {
      code: "object_missing",
    });
    await assert.rejects(store.writeCommit(skill, { ...input, parent: "main" }), { code: "invalid_id" });
    await assert.rejects(store.writeCommit(skill, draft([textFile("../x", "x")])), { rule: "path_dot" });
    await assert.rejects(store.writeCommit(skill, draft([textFile(".git/hooks/x", "x")])), {
      rule: "path_git",
    });
    await assert.rejects(store.writeCommit(skill, draft([])), { rule: "empty" });
    await assert.rejects(store.writeCommit(skill, { ...input, trailers: { "X-Y": "1" } }), {
      code: "invalid_draft",
    });
    await assert.rejects(store.writeCommit(skill, { ...input, trailers: { "Svc-Content": "1" } }), {
      code: "invalid_draft",
    });
    await assert.rejects(store.writeCommit(skill, { ...input, at: new Date(NaN) }), {
      code: "invalid_draft",
    });
    assert.equal(await store.exists(skill), false);
  });
});
