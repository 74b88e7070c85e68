import assert from "node:assert/strict";
import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Mirror } from "../../repos/mirror/types.ts";
import { runGit, type HostedRepo } from "../support/host/git-host.ts";
import { assertSound } from "../support/native-git.ts";
import { closedAfter } from "../support/set-up.ts";
import { commitInfo, file, openMirrorBench, pushEdits, put, remove, text } from "./fixtures.ts";

const bench = await closedAfter(openMirrorBench());

async function fetched(mirror: Mirror, repository: HostedRepo): Promise<string> {
  const result = await mirror.fetch(repository.remote, "main");
  assert.equal(result.status, "fetched");
  return result.status === "fetched" ? result.commit : "";
}

describe("a mirror", () => {
  it("fills an empty repository, and both are valid for native git", async () => {
    const repository = await bench.host.newRepository();
    const mirror = bench.newMirror();
    assert.deepEqual(await mirror.fetch(repository.remote, "main"), { status: "empty" });

    const prepared = await pushEdits(mirror, repository, null, [
      text("skills/one"),
      put("skills/ops/tool", [
        file("SKILL.md", "# A tool\n"),
        file("scripts/run.sh", "#!/bin/sh\n", "100755"),
        file("scripts/deep/er/data.txt", "x"),
      ]),
      { kind: "index", data: Buffer.from("# Skills\n") },
    ]);

    assert.equal(repository.head(), prepared.commit);
    assert.deepEqual(repository.paths(), [
      "skills/README.md",
      "skills/one/.svc.json",
      "skills/one/SKILL.md",
      "skills/ops/tool/.svc.json",
      "skills/ops/tool/SKILL.md",
      "skills/ops/tool/scripts/deep/er/data.txt",
      "skills/ops/tool/scripts/run.sh",
    ]);
    assertSound(repository.directory);
    assertSound(bench.directory());
    const scan = await mirror.scan(prepared.commit);
    assert.deepEqual(
      scan.directories.map(({ path, svcId, rootFile }) => ({ path, svcId, rootFile })),
      [
        { path: "skills/one", svcId: "skills-one", rootFile: "SKILL.md" },
        { path: "skills/ops/tool", svcId: "skills-ops-tool", rootFile: "SKILL.md" },
      ],
    );
    assert.equal(scan.directories[0]?.contentTree, text("skills/one").contentTree);
    const again = await mirror.build(prepared.commit, [text("skills/one")], commitInfo);
    assert.equal(again.prepared, undefined, "a second sync has nothing to push");
  });

  it("sends only changed objects, from a shallow fetch, and keeps everything else", async () => {
    const repository = await bench.host.newRepository();
    repository.commit({ "README.md": "hello", "src/main.c": "int x;" }, "first");
    repository.commit(
      { "skills/old/SKILL.md": "# Old\n", "skills/old/data/big.txt": "y".repeat(50_000) },
      "second",
    );
    const listed = runGit(repository.directory, "ls-tree", "main");
    const mirror = bench.newMirror();
    const tip = await fetched(mirror, repository);
    assertSound(bench.directory());

    const prepared = await pushEdits(mirror, repository, tip, [text("skills/new")]);

    // Blob and .svc.json, the skill's tree, skills/, the root, the commit.
    assert.equal(prepared.objects, 6);
    const rest = (listing: string) => listing.split("\n").filter((line) => !line.endsWith("\tskills"));
    assert.deepEqual(rest(runGit(repository.directory, "ls-tree", "main")), rest(listed));
    assertSound(repository.directory);
    assertSound(bench.directory());
  });

  it("moves a skill without sending or requesting its files", async () => {
    const repository = await bench.host.newRepository();
    const mirror = bench.newMirror();
    const files = [file("SKILL.md", "# Moved\n"), file("data/large.bin", "z".repeat(100_000))];
    const tool = put("skills/a/tool", files, { id: "one" });
    const first = await pushEdits(mirror, repository, null, [tool, text("skills/b/other")]);

    const moved = put("skills/c/tool", files, { id: "one", from: "skills/a/tool" });
    const second = await pushEdits(mirror, repository, first.commit, [moved, remove("skills/a/tool")]);

    assert.equal(moved.asked(), 0);
    assert.ok(second.bytes < 2000, `${second.bytes} bytes for a move`);
    assert.deepEqual(
      (await mirror.scan(second.commit)).directories.map(({ path }) => path),
      ["skills/b/other", "skills/c/tool"],
    );
    assert.ok(!repository.paths().some((name) => name.startsWith("skills/a/")), "the emptied folder is gone");
    assertSound(repository.directory);
  });

  it("swaps two skills in one push", async () => {
    const repository = await bench.host.newRepository();
    const mirror = bench.newMirror();
    const [one, two] = [[file("SKILL.md", "one")], [file("SKILL.md", "two")]];
    const [x, y] = [put("skills/x", one), put("skills/y", two)];
    const first = await pushEdits(mirror, repository, null, [x, y]);

    await pushEdits(mirror, repository, first.commit, [
      put("skills/x", two, { id: "y", from: "skills/y" }),
      put("skills/y", one, { id: "x", from: "skills/x" }),
    ]);

    assert.equal(repository.show("skills/x/SKILL.md"), "two");
    assert.equal(repository.show("skills/y/SKILL.md"), "one");
  });

  it("scans changes since a commit, including removals", async () => {
    const repository = await bench.host.newRepository();
    const mirror = bench.newMirror();
    repository.commit({
      "skills/a/SKILL.md": "a",
      "skills/b/SKILL.md": "b",
      "skills/f/c/SKILL.md": "c",
      "skills/f/d/SKILL.md": "d",
    });
    const first = await fetched(mirror, repository);
    repository.commit({
      "skills/a/SKILL.md": "a, edited",
      "skills/b": null,
      "skills/b/sub/SKILL.md": "below what was a skill",
      "skills/f": null,
      "skills/f/SKILL.md": "a skill where a folder was",
      "other.txt": "unrelated",
    });
    const second = await fetched(mirror, repository);

    const scan = await mirror.scan(second, { since: first });

    assert.equal(scan.complete, false);
    assert.deepEqual(scan.directories.map(({ path }) => path).toSorted(), [
      "skills/a",
      "skills/b/sub",
      "skills/f",
    ]);
    assert.deepEqual(scan.gone.toSorted(), ["skills/b", "skills/f/c", "skills/f/d"]);
    const whole = await mirror.scan(second);
    for (const one of scan.directories)
      assert.deepEqual(
        whole.directories.find(({ path }) => path === one.path),
        one,
      );
    assert.deepEqual((await mirror.scan(second, { since: second })).directories, []);
  });

  it("fetches new commits, reports authors, and survives a rewritten history", async () => {
    const repository = await bench.host.newRepository();
    const mirror = bench.newMirror();
    repository.commit({ "skills/a/SKILL.md": "1", "skills/b/SKILL.md": "1" }, "start");
    const first = await fetched(mirror, repository);
    const changed = repository.commit({ "skills/a/SKILL.md": "2" }, "Better words\n\nand why");
    repository.commit({ "skills/b/SKILL.md": "2" }, "\u001b[31mThe other");
    const last = repository.commit({ "notes.txt": "x" }, "unrelated");
    const tip = await fetched(mirror, repository);
    assert.equal(tip, last);

    const changes = await mirror.lastChanges(tip, ["skills/a", "skills/b"]);

    assert.equal(changes.get("skills/a")?.oid, changed);
    assert.deepEqual(
      [changes.get("skills/a")?.subject, changes.get("skills/a")?.authorName, changes.get("skills/a")?.exact],
      ["Better words", "Remote Author", true],
    );
    assert.equal(changes.get("skills/b")?.subject, "The other");
    assert.equal(
      (await mirror.lastChanges(first, ["skills/a"])).get("skills/a")?.exact,
      true,
      "a root commit",
    );

    runGit(repository.copy, "checkout", "-q", "--orphan", "anew");
    runGit(repository.copy, "commit", "-q", "-m", "rewritten");
    runGit(repository.copy, "push", "-q", "-f", "origin", "HEAD:refs/heads/main");
    const rewritten = await fetched(mirror, repository);
    assert.equal(rewritten, repository.head());
    assert.deepEqual(
      (await mirror.scan(rewritten, { since: tip })).directories,
      [],
      "same content, no change",
    );
    assertSound(bench.directory());
  });

  it("detects the boundary of a shallow history", async () => {
    const repository = await bench.host.newRepository();
    repository.commit({ "skills/a/SKILL.md": "1" }, "long ago");
    const tip = repository.commit({ "x.txt": "1" }, "the tip");
    const mirror = bench.newMirror();
    await fetched(mirror, repository);

    const change = (await mirror.lastChanges(tip, ["skills/a"])).get("skills/a");

    assert.deepEqual([change?.oid, change?.exact, change?.subject], [tip, false, "the tip"]);
  });

  it("reports a missing branch, switches to another one, and continues after its folder was deleted", async () => {
    const repository = await bench.host.newRepository();
    repository.commit({ "skills/a/SKILL.md": "1" });
    const mirror = bench.newMirror();
    assert.deepEqual(await mirror.fetch(repository.remote, "trunk"), {
      status: "no_branch",
      branches: ["main"],
      defaultBranch: "main",
    });
    runGit(repository.directory, "branch", "-m", "main", "trunk");
    assert.equal((await mirror.fetch(repository.remote, "trunk")).status, "fetched");
    assert.deepEqual(await mirror.fetch(repository.remote, "main"), {
      status: "no_branch",
      branches: ["trunk"],
      defaultBranch: "trunk",
    });

    await mirror.drop();

    const again = await mirror.fetch(repository.remote, "trunk");
    assert.equal(again.status, "fetched");
    if (again.status === "fetched") assert.equal((await mirror.scan(again.commit)).directories.length, 1);
  });

  it("continues after a killed process has left its lock, once that is stale", async () => {
    const repository = await bench.host.newRepository();
    const mirror = bench.newMirror();
    const first = await pushEdits(mirror, repository, null, [text("skills/one")]);
    const lock = join(bench.directory(), "packed-refs.lock");
    writeFileSync(lock, "");
    const nearlyStale = new Date(Date.now() - 9000);
    utimesSync(lock, nearlyStale, nearlyStale);

    const next = await pushEdits(mirror, repository, first.commit, [text("skills/two")]);

    assert.equal(await fetched(mirror, repository), next.commit);
    assert.equal(existsSync(lock), false);
    assert.equal(runGit(bench.directory(), "rev-parse", "refs/heads/main"), next.commit);
  });

  it("can be read by another process, after many fetches and pushes", async () => {
    const repository = await bench.host.newRepository();
    const mirror = bench.newMirror();
    let tip: string | null = null;
    for (let i = 0; i < 20; i++) {
      tip = (await pushEdits(mirror, repository, tip, [text("skills/a", `turn ${i}`)])).commit;
      if (i % 5 !== 4) continue;
      repository.pull();
      repository.commit({ "skills/b/SKILL.md": `turn ${i}` });
      tip = await fetched(mirror, repository);
    }
    assertSound(bench.directory());
    assertSound(repository.directory);

    const id = /mirror\/([0-9a-f]{24})\.git$/.exec(bench.directory())?.[1] ?? "";
    const other = bench.reopen().open({ tenantId: "5f0000000000000000000001", connectionId: id });
    const scan = await other.scan(tip ?? "");
    assert.deepEqual(
      scan.directories.map(({ path }) => path),
      ["skills/a", "skills/b"],
    );
  });
});
