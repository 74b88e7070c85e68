import assert from "node:assert/strict";
import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { openLocalHost } from "../../repos/hosts/local.ts";
import type { Remote } from "../../repos/mirror/types.ts";
import { commitInfo, openMirrorBench, text, type MirrorBench } from "../mirror/fixtures.ts";
import { hostContract } from "../support/host-contract.ts";
import { runGit } from "../support/git-host.ts";

let bench: MirrorBench;

before(async () => {
  bench = await openMirrorBench();
});
after(() => bench.close());

const local = (remote: Remote) => openLocalHost({ remote, mirrors: bench.mirrors });

describe("a git server", () => {
  hostContract(async () => {
    const repository = await bench.host.newRepository({ secret: "secret" });
    const wrong = { ...repository.remote, authorization: "Basic d3Jvbmc6d3Jvbmc=" };
    return { bench, repository, host: local(repository.remote), stranger: local(wrong) };
  });

  it("that lets us read and not write says so", async () => {
    const repository = await bench.host.newRepository();
    runGit(repository.directory, "config", "http.receivepack", "false");

    assert.equal((await local(repository.remote).describe()).canPush, false);
    const mirror = bench.newMirror();
    const { prepared } = await mirror.build(null, [text("skills/a")], commitInfo);
    assert.ok(prepared);
    await assert.rejects(mirror.push(repository.remote, "main", prepared), { code: "auth_failed" });
  });
});

describe("a directory", () => {
  const remoteOf = (directory: string): Remote => ({ kind: "directory", path: directory });

  hostContract(async () => {
    const repository = await bench.host.newRepository();
    return { bench, repository, host: local(remoteOf(repository.directory)), stranger: undefined };
  });

  it("runs nobody's hooks as the service", async () => {
    const repository = await bench.host.newRepository();
    const proof = path.join(bench.folder, "hook-ran");
    for (const name of ["pre-receive", "update"] as const) repository.hook(name, `touch '${proof}'; exit 1`);
    const mirror = bench.newMirror();
    const { prepared } = await mirror.build(null, [text("skills/a")], commitInfo);
    assert.ok(prepared);

    const result = await mirror.push(remoteOf(repository.directory), "main", prepared);

    assert.deepEqual(result, { status: "pushed" });
    assert.ok(!existsSync(proof));
  });

  it("that is no bare repository, or is gone, is none", async () => {
    const repository = await bench.host.newRepository();
    const mirror = bench.newMirror();
    const link = path.join(bench.folder, "dangling");
    symlinkSync(path.join(bench.folder, "nowhere"), link);
    for (const directory of [repository.copy, link, bench.folder, "/nonexistent/x.git"])
      await assert.rejects(mirror.fetch(remoteOf(directory), "main"), { code: "remote_missing" }, directory);
    await assert.rejects(mirror.fetch(remoteOf("relative.git"), "main"), { code: "invalid_remote" });
  });

  it("says that it takes a git program", async () => {
    const repository = await bench.host.newRepository();
    const without = bench.reopen({ git: { program: "no-such-git", searchPath: "/nonexistent" } });
    const mirror = without.open({ tenantId: "5f0000000000000000000001", connectionId: "d".repeat(24) });

    await assert.rejects(mirror.fetch(remoteOf(repository.directory), "main"), { code: "git_missing" });
  });

  it("is fetched with 20,000 refs; one with a list of more than 8 MiB is not looked at", async () => {
    const repository = await bench.host.newRepository();
    const commit = repository.commit({ "a.txt": "1" });
    const remote = remoteOf(repository.directory);
    const withRefs = (count: number) => {
      const names = Array.from({ length: count }, (_, i) => `refs/heads/${"n".repeat(60)}/${i + 1e6}`);
      const lines = names.map((name) => `${commit} ${name}\n`).join("");
      writeFileSync(
        path.join(repository.directory, "packed-refs"),
        `# pack-refs with: peeled fully-peeled sorted \n${lines}`,
      );
    };

    withRefs(20_000);
    assert.equal((await bench.newMirror().fetch(remote, "main")).status, "fetched");
    assert.equal(await bench.mirrors.head(remote, "main"), commit);
    assert.equal((await bench.mirrors.inspect(remote)).canPush, true);

    withRefs(80_000);
    await assert.rejects(bench.mirrors.head(remote, "main"), { code: "remote_too_large" });
    await assert.rejects(bench.mirrors.inspect(remote), { code: "remote_too_large" });
  });

  it("is bounded as a server is", async () => {
    const repository = await bench.host.newRepository();
    const { randomBytes } = await import("node:crypto");
    repository.commit({ "data.bin": randomBytes(300_000) });
    const mirror = bench.newMirror();

    await assert.rejects(mirror.fetch(remoteOf(repository.directory), "main", { maxBytes: 50_000 }), {
      code: "remote_too_large",
    });
  });
});
