/** The behaviour that every code host must have; its own test defines how one is created for a repository. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { RepositoryHost } from "../../../repos/hosts/host.ts";
import { commitInfo, text, type MirrorBench } from "../../mirror/fixtures.ts";
import type { HostedRepo } from "./git-host.ts";

export interface HostCase {
  bench: MirrorBench;
  repository: HostedRepo;
  /** With credentials that may push. */
  host: RepositoryHost;
  /** With credentials that the host rejects; undefined for one that requires none. */
  stranger: RepositoryHost | undefined;
}

/** To be called in a `describe`; `make` returns an empty repository each time. */
export function hostContract(make: () => Promise<HostCase>): void {
  it("describes a repository by a permanent id, and names no credentials", async () => {
    const { host, repository } = await make();
    repository.commit({ "x.txt": "x" });

    const first = await host.describe();
    const again = await host.describe();

    assert.ok(first.id !== "" && first.fullName !== "");
    assert.deepEqual(again, first);
    assert.notEqual(first.canPush, false);
    assert.ok(first.defaultBranch === "main" || first.defaultBranch === undefined);
    assert.ok(!JSON.stringify(first).includes("secret"));
  });

  it("returns the head of a branch, and whether it has changed", async () => {
    const { host, repository } = await make();
    assert.equal(await host.head("main"), undefined);
    const first = repository.commit({ "x.txt": "1" });

    const head = await host.head("main");

    assert.ok(head !== undefined && head !== "unchanged");
    assert.equal(head.oid, first);
    if (head.etag !== undefined) assert.equal(await host.head("main", head.etag), "unchanged");
    const second = repository.commit({ "x.txt": "2" });
    const moved = await host.head("main", head.etag);
    assert.ok(moved !== undefined && moved !== "unchanged");
    assert.equal(moved.oid, second);
    assert.equal(await host.head("no-such-branch"), undefined);
  });

  it("returns a remote that can be fetched from and pushed to", async () => {
    const { host, repository, bench } = await make();
    const mirror = bench.newMirror();
    assert.deepEqual(await mirror.fetch(await host.remote(), "main"), { status: "empty" });
    const { prepared } = await mirror.build(null, [text("skills/one")], commitInfo);
    assert.ok(prepared);

    assert.deepEqual(await mirror.push(await host.remote(), "main", prepared), { status: "pushed" });

    assert.equal(repository.head(), prepared.commit);
    repository.pull();
    const edited = repository.commit({ "skills/one/SKILL.md": "# Edited\n" });
    const fetched = await mirror.fetch(await host.remote(), "main");
    assert.equal(fetched.status === "fetched" && fetched.commit, edited);
    assert.equal((await mirror.scan(edited, { since: prepared.commit })).directories.length, 1);
    const late = await mirror.build(prepared.commit, [text("skills/two")], commitInfo);
    assert.ok(late.prepared);
    assert.deepEqual(await mirror.push(await host.remote(), "main", late.prepared), { status: "stale" });
  });

  it("reports credentials that it rejects", async () => {
    const { stranger } = await make();
    if (stranger === undefined) return;

    const refusal = { name: "RepoError", code: /^(auth_failed|remote_missing)$/ };
    await assert.rejects(stranger.describe(), refusal);
    await assert.rejects(stranger.head("main"), refusal);
  });
}
