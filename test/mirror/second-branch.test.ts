/** A second branch next to the mirrored one: fetched, compared with changes by others, and pushed to. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Mirror } from "../../repos/mirror/types.ts";
import { runGit, type HostedRepo } from "../support/host/git-host.ts";
import { closedAfter } from "../support/set-up.ts";
import { commitInfo, file, openMirrorBench, pushEdits, put, text } from "./fixtures.ts";

const bench = await closedAfter(openMirrorBench());

const branch = "svc-sync/main";

/** A repository with some history, mirrored, and a proposal to it on the other branch. */
async function proposed() {
  const repository = await bench.host.newRepository();
  for (const n of [1, 2, 3]) repository.commit({ "code.txt": `${n}`, "skills/old/SKILL.md": "# Old\n" });
  const mirror = bench.newMirror();
  const base = await fetch(mirror, repository);
  const onto = { tip: null, parents: [base] };
  const { prepared } = await mirror.build(base, [text("skills/one"), text("skills/two")], commitInfo, onto);
  assert.deepEqual(await mirror.push(repository.remote, branch, prepared!), { status: "pushed" });
  return { repository, mirror, base, ours: prepared!.commit };
}

async function fetch(mirror: Mirror, repository: HostedRepo): Promise<string> {
  const fetched = await mirror.fetch(repository.remote, "main", { secondBranch: branch });
  assert.ok(fetched.status === "fetched");
  assert.equal(fetched.secondBranch, repository.head(branch) ?? null);
  return fetched.commit;
}

/** Changes to the branch, made in a clone and pushed. */
function onBranch(repository: HostedRepo, act: (git: (...args: string[]) => string) => void): string {
  const git = (...args: string[]) => runGit(repository.copy, ...args);
  git("fetch", "-q", "origin");
  git("checkout", "-q", "-B", "work", `origin/${branch}`);
  act(git);
  git("push", "-q", "origin", `HEAD:refs/heads/${branch}`);
  git("checkout", "-q", "-B", "main", "origin/main");
  return repository.head(branch)!;
}

describe("a branch next to the mirrored one", () => {
  it("gets commits on its own tip with the content of the mirrored one, in packs of missing objects", async () => {
    const { repository, mirror, base, ours } = await proposed();
    repository.commit({ "code.txt": "4" });
    const now = await fetch(mirror, repository);
    const large = put("skills/big", [file("SKILL.md", "# Big\n"), file("data.bin", "x".repeat(50_000))]);
    const first = await mirror.build(now, [text("skills/one"), large], commitInfo, {
      tip: ours,
      parents: [ours, now],
    });
    assert.deepEqual(await mirror.push(repository.remote, branch, first.prepared!), { status: "pushed" });

    const asked = large.asked();
    const second = await mirror.build(now, [large, text("skills/three")], commitInfo, {
      tip: first.prepared!.commit,
      parents: [first.prepared!.commit],
    });
    assert.deepEqual(await mirror.push(repository.remote, branch, second.prepared!), { status: "pushed" });

    assert.equal(large.asked(), asked, "what the branch has is not read again");
    assert.deepEqual(
      runGit(repository.directory, "diff", "--name-only", "main", branch).split("\n"),
      ["skills/big/.svc.json", "skills/big/SKILL.md", "skills/big/data.bin", "skills/three/.svc.json"].concat(
        "skills/three/SKILL.md",
      ),
    );
    assert.equal(runGit(repository.directory, "merge-base", "main", branch), now);
    assert.ok(await mirror.isDescendant(second.prepared!.commit, base));
    assert.ok(!(await mirror.isDescendant(now, second.prepared!.commit)));
    runGit(repository.directory, "fsck", "--full", "--strict");
    assert.equal(
      await fetch(mirror, repository),
      now,
      "the mirrored branch is still the one that is mirrored",
    );
  });

  it("gets nothing if it has the result already, and a dry run leaves nothing behind", async () => {
    const { mirror, base, ours } = await proposed();
    const facts = (await mirror.readCommit(ours))!;
    const edits = [text("skills/one"), text("skills/two")];

    const same = await mirror.build(base, edits, commitInfo, {
      tip: ours,
      parents: [ours],
      skills: facts.skills ?? undefined,
    });
    const trial = await mirror.build(base, edits, commitInfo, { tip: ours, parents: [ours], isTrial: true });
    const none = await mirror.build(base, [], commitInfo, { tip: ours, parents: [ours] });

    assert.deepEqual([same.prepared, same.tree], [undefined, facts.tree]);
    assert.deepEqual([trial.prepared, trial.tree], [undefined, facts.tree]);
    assert.deepEqual([none.prepared, none.tree], [undefined, (await mirror.readCommit(base))!.tree]);
  });

  it("is analyzed: merges of the mirrored one, and changes by people", async () => {
    const cases: [string, boolean, (repository: HostedRepo) => void][] = [
      [
        "a merge",
        true,
        (repository) => void onBranch(repository, (git) => git("merge", "-q", "--no-edit", "origin/main")),
      ],
      [
        "a merge, and a change with it",
        false,
        (repository) =>
          void onBranch(repository, (git) => {
            git("merge", "-q", "--no-edit", "--no-commit", "origin/main");
            git("rm", "-q", "-r", "-f", "skills/two");
            git("commit", "-q", "-m", "less");
          }),
      ],
      [
        "a part of the proposal taken back",
        false,
        (repository) =>
          void onBranch(repository, (git) => {
            git("rm", "-q", "-r", "skills/two");
            git("commit", "-q", "-m", "less");
          }),
      ],
      [
        "a commit with nothing in it",
        true,
        (repository) =>
          void onBranch(repository, (git) => git("commit", "-q", "--allow-empty", "-m", "again")),
      ],
    ];
    for (const [name, follows, act] of cases) {
      const { repository, mirror, base, ours } = await proposed();
      repository.pull();
      repository.commit({ "code.txt": "4", "skills/old/SKILL.md": "# Older\n", "new/file.txt": "n" });
      act(repository);
      const now = await fetch(mirror, repository);
      const found = (await mirror.fetchSecondBranch(repository.remote, branch))!;

      assert.equal(
        await mirror.containsOnlyUpstreamChanges(found, { ours, before: base, after: now }),
        follows,
        name,
      );
      assert.equal(await fetch(mirror, repository), now);
    }
  });

  it("is fetched into an empty mirror with some of its history", async () => {
    const { repository, ours } = await proposed();
    const found = onBranch(repository, (git) => git("commit", "-q", "--allow-empty", "-m", "again"));
    const fresh = bench.newMirror();
    const now = await fetch(fresh, repository);

    assert.equal(await fresh.readCommit(found), undefined);
    assert.equal(await fresh.fetchSecondBranch(repository.remote, branch), found);
    assert.deepEqual((await fresh.readCommit(found))!.parents, [ours]);
    assert.ok(await fresh.containsOnlyUpstreamChanges(found, { ours, before: now, after: now }));
    assert.equal(await fresh.fetchSecondBranch(repository.remote, "no/such"), null);
    const { prepared } = await fresh.build(now, [text("skills/new")], commitInfo);
    assert.deepEqual(await fresh.push(repository.remote, "main", prepared!), { status: "pushed" });
    await pushEdits(fresh, repository, prepared!.commit, [text("skills/newer")]);
    await fresh.fetchSecondBranch(repository.remote, branch);
    assert.equal((await fresh.scan(now)).directories.length, 1);
  });
});
