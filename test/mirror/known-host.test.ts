/** Pushes to a host that has accepted one before: they request no list of refs, but still compare the branch. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { beforeEach, describe, it } from "node:test";
import { RepoError } from "../../repos/errors.ts";
import type { Mirror } from "../../repos/mirror/types.ts";
import { runGit, type HostedRepo } from "../support/host/git-host.ts";
import { closedAfter } from "../support/set-up.ts";
import { commitInfo, file, openMirrorBench, pushEdits, put, text } from "./fixtures.ts";

let mirror: Mirror;
let repository: HostedRepo;
/** The tip of the branch after the first push. */
let first: string;

const bench = await closedAfter(openMirrorBench());

beforeEach(async () => {
  await bench.host.calm();
  repository = await bench.host.newRepository();
  mirror = bench.newMirror();
  first = (await pushEdits(mirror, repository, null, [text("skills/a")])).commit;
});

/** Requests to the host since the last call; complete once the host has answered this one. */
async function askedSince(since: number): Promise<string[]> {
  await bench.host.calm();
  return bench.host.asked.slice(since).map(({ step }) => step);
}

async function prepare(words: string, parent = first) {
  const { prepared } = await mirror.build(parent, [text("skills/a", words)], commitInfo);
  return prepared!;
}

async function pushNext(words: string) {
  const since = bench.host.asked.length;
  const prepared = await prepare(words);
  const result = await mirror.push(repository.remote, "main", prepared);
  return { result, commit: prepared.commit, steps: await askedSince(since) };
}

describe("a push to a known host", () => {
  it("requests no list of refs", async () => {
    const { result, commit, steps } = await pushNext("Two.");

    assert.deepEqual(result, { status: "pushed" });
    assert.deepEqual(steps, ["push"]);
    assert.equal(repository.head(), commit);
    assert.equal(runGit(repository.directory, "fsck", "--full", "--strict"), "");
  });

  it("changes nothing if another push came before", async () => {
    repository.pull();
    const theirs = repository.commit({ "a.txt": "theirs" });

    const { result } = await pushNext("Two.");

    assert.deepEqual(result, { status: "stale" });
    assert.equal(repository.head(), theirs);
  });

  it("changes nothing if another push arrives at the same time", async () => {
    repository.pull();
    let theirs = "";
    await bench.host.race(repository, () => (theirs = repository.commit({ "a.txt": "theirs" })));

    const { result } = await pushNext("Two.");

    assert.deepEqual(result, { status: "stale" });
    assert.equal(repository.head(), theirs);
  });

  it("does not recreate a branch that was deleted", async () => {
    runGit(repository.directory, "update-ref", "-d", "refs/heads/main");

    const { result } = await pushNext("Two.");

    assert.deepEqual(result, { status: "stale" });
    assert.equal(repository.head(), undefined);
  });

  it("whose response is lost is found on the host", async () => {
    await bench.host.trouble({ on: "push", loseAnswer: true, times: 1 });
    const prepared = await prepare("Two.");
    // Whether it is reported as a lost connection depends on what had been read until then.
    await mirror.push(repository.remote, "main", prepared).catch((error: unknown) => {
      assert.ok(error instanceof RepoError && error.code === "remote_unreachable");
    });
    assert.equal(repository.head(), prepared.commit);

    assert.deepEqual(await mirror.push(repository.remote, "main", prepared), { status: "pushed" });
  });

  it("requests the list first from then on if the host requires that", async () => {
    await bench.host.trouble({ on: "push", answer: { status: 400 }, times: 1 });

    const { result, commit, steps } = await pushNext("Two.");
    assert.deepEqual(result, { status: "pushed" });
    assert.deepEqual(steps, ["push", "push-refs", "push"]);

    first = commit;
    const next = await pushNext("Three.");
    assert.deepEqual(next.result, { status: "pushed" });
    assert.deepEqual(next.steps, ["push-refs", "push"]);
  });

  it("requests the list first if there is much to send", async () => {
    const since = bench.host.asked.length;
    const noise = file("noise.bin", randomBytes(1024 * 1024).toString("base64"));

    await pushEdits(mirror, repository, first, [put("skills/b", [noise])]);

    assert.deepEqual(await askedSince(since), ["push-refs", "push"]);
  });

  it("reports the host's rejection", async () => {
    repository.hook("pre-receive", 'echo "GH009: a secret in skills/a/SKILL.md" >&2; exit 1');

    const { result, steps } = await pushNext("Two.");

    assert.ok(result.status === "rejected" && result.cause === "content");
    assert.deepEqual(result.paths, ["skills/a/SKILL.md"]);
    assert.deepEqual(steps, ["push"]);
    assert.equal(repository.head(), first);
  });

  for (const [status, code] of [
    [401, "auth_failed"],
    [404, "remote_missing"],
    [429, "rate_limited"],
    [503, "remote_failed"],
  ] as const)
    it(`fails with ${code} at ${status}, and sends no more requests`, async () => {
      await bench.host.trouble({ on: "push", answer: { status }, times: 1 });
      const since = bench.host.asked.length;
      const prepared = await prepare("Two.");

      await assert.rejects(
        mirror.push(repository.remote, "main", prepared),
        (error: unknown) => error instanceof RepoError && error.code === code,
      );
      assert.deepEqual(await askedSince(since), ["push"]);
      assert.equal(repository.head(), first);
    });
});
