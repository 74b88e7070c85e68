import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openLocalHost } from "../../repos/hosts/local.ts";
import type { Remote } from "../../repos/mirror/types.ts";
import { commitInfo, openMirrorBench, text } from "../mirror/fixtures.ts";
import { runGit } from "../support/host/git-host.ts";
import { hostContract } from "../support/host/host-contract.ts";
import { closedAfter } from "../support/set-up.ts";

const bench = await closedAfter(openMirrorBench());

const local = (remote: Remote) => openLocalHost({ remote, mirrors: bench.mirrors });

describe("a git server", () => {
  hostContract(async () => {
    const repository = await bench.host.newRepository({ secret: "secret" });
    const wrong = { ...repository.remote, authorization: "Basic d3Jvbmc6d3Jvbmc=" };
    return { bench, repository, host: local(repository.remote), stranger: local(wrong) };
  });

  it("that allows reading and not writing reports that", async () => {
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

  it("does not run the repository's hooks as the service", async () => {
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

  it("that is no bare repository, or is missing, is rejected", async () => {
    const repository = await bench.host.newRepository();
    const mirror = bench.newMirror();
    const link = path.join(bench.folder, "dangling");
    symlinkSync(path.join(bench.folder, "nowhere"), link);
    for (const directory of [repository.copy, link, bench.folder, "/nonexistent/x.git"])
      await assert.rejects(mirror.fetch(remoteOf(directory), "main"), { code: "remote_missing" }, directory);
    await assert.rejects(mirror.fetch(remoteOf("relative.git"), "main"), { code: "invalid_remote" });
  });

  it("reports that it requires a git program", async () => {
    const repository = await bench.host.newRepository();
    const without = bench.reopen({ git: { program: "no-such-git", searchPath: "/nonexistent" } });
    const mirror = without.open({ tenantId: "5f0000000000000000000001", connectionId: "d".repeat(24) });

    await assert.rejects(mirror.fetch(remoteOf(repository.directory), "main"), { code: "git_missing" });
  });

  it("is fetched with 20,000 refs, and rejected with a list of more than 8 MiB", async () => {
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

  it("is read while another git adds and removes folders in it", async () => {
    const repository = await bench.host.newRepository();
    const commit = repository.commit({ "a.txt": "a" });
    const folders = Array.from({ length: 500 }, (_, i) =>
      path.join(repository.directory, `objects/tmp_${i}`),
    );
    for (let round = 0; round < 5; round++) {
      for (const folder of folders) mkdirSync(folder);
      const head = bench.mirrors.head(remoteOf(repository.directory), "main");
      const removed = sleep(round + 1).then(() => folders.forEach((folder) => rmdirSync(folder)));
      const [found] = await Promise.all([head, removed]);
      assert.equal(found, commit);
    }
  });

  it("keeps one folder of links for all its views, and removes what killed sessions leave", async () => {
    const { directory } = await bench.host.newRepository();
    const views = path.join(bench.folder, "own-views");
    const remote: Remote = { kind: "directory", path: directory, views };
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    const age = (...names: string[]) => utimesSync(path.join(views, ...names), yesterday, yesterday);
    const mirror = bench.newMirror();
    const { prepared } = await mirror.build(null, [text("skills/a")], commitInfo);
    assert.ok(prepared);

    assert.deepEqual(await mirror.push(remote, "main", prepared), { status: "pushed" });
    const [links, ...others] = readdirSync(views);
    assert.match(links!, /^objects-[0-9a-f]{64}$/);
    assert.deepEqual(others, []);
    assert.equal(readdirSync(path.join(views, links!)).length, 257);
    assert.ok(runGit(directory, "log", "--format=%s", "main"));

    mkdirSync(path.join(views, "view-killed", "objects"), { recursive: true });
    age("view-killed");
    mkdirSync(path.join(views, "objects-of-a-removed-repository"));
    symlinkSync("/removed.git/objects/pack", path.join(views, "objects-of-a-removed-repository", "pack"));
    for (const name of ["incoming-killed", "incoming-running"]) mkdirSync(path.join(views, links!, name));
    age(links!, "incoming-killed");
    const made = statSync(path.join(views, links!)).ino;
    await local(remote).describe();

    assert.deepEqual(readdirSync(views), [links]);
    assert.equal(statSync(path.join(views, links!)).ino, made, "the same folder again");
    const quarantines = readdirSync(path.join(views, links!)).filter((name) => name.startsWith("incoming-"));
    assert.deepEqual(quarantines, ["incoming-running"]);

    rmSync(path.join(views, links!), { recursive: true });
    const sessions = await Promise.all([1, 2, 3].map(() => local(remote).describe()));
    assert.deepEqual(new Set(sessions.map(({ canPush }) => canPush)), new Set([true]));
    assert.deepEqual(readdirSync(views), [links]);
  });

  it("has the same limits as a server", async () => {
    const repository = await bench.host.newRepository();
    const { randomBytes } = await import("node:crypto");
    repository.commit({ "data.bin": randomBytes(300_000) });
    const mirror = bench.newMirror();

    await assert.rejects(mirror.fetch(remoteOf(repository.directory), "main", { maxBytes: 50_000 }), {
      code: "remote_too_large",
    });
  });
});

describe("a directory whose owner is hostile", () => {
  const marker = () => path.join(bench.folder, "command-ran");
  const remoteOf = (directory: string): Remote => ({ kind: "directory", path: directory });
  const hostile = (command: string) => `[core]\n\talternateRefsCommand = "touch '${command}'; true #"\n`;

  it("is rejected with the name of each forbidden key, file or link", async () => {
    const { directory } = await bench.host.newRepository();
    const other = await bench.host.newRepository();
    const commit = other.commit({ "secret.txt": "theirs" });
    const at = (...names: string[]) => path.join(directory, ...names);
    const config = readFileSync(at("config"), "utf8");
    const included = path.join(bench.folder, "included");
    writeFileSync(included, hostile(marker()));
    const keys: [string, RegExp][] = [
      [hostile(marker()), /core\.alternaterefscommand/],
      [`[CORE]\n\tAlternateRefs\\\nCommand = x\n`, /configuration can't be read/],
      [`[core] worktree = ${bench.folder}\n[receive] denyCurrentBranch = updateInstead\n`, /core\.worktree/],
      [`[include]\n\tpath = ${included}\n`, /include\.path/],
      [`[includeIf "gitdir:/"]\n\tpath = ${included}\n`, /includeif\.gitdir:\/\.path/],
      [`[core]\n\thooksPath = ${bench.folder}\n`, /core\.hookspath/],
      [`[core]\n\tfsmonitor = touch ${marker()}\n`, /core\.fsmonitor/],
      [`[uploadpack]\n\tpackObjectsHook = touch ${marker()}\n`, /uploadpack\.packobjectshook/],
      [`[remote "x\\ny"]\n\tuploadpack = touch ${marker()}\n`, /remote\..*\.uploadpack/],
      [`[extensions]\n\tpartialClone = origin\n`, /extensions\.partialclone/],
      [`[extensions]\n\tworktreeConfig = true\n`, /extensions\.worktreeconfig/],
      [`[core]\n\tbare = false\n`, /core\.bare/],
      ["[core\n", /configuration can't be read/],
    ];
    const refusal = async (naming: RegExp) => {
      await assert.rejects(bench.mirrors.inspect(remoteOf(directory)), (error: Error & { code?: string }) => {
        assert.deepEqual([error.code, naming.test(error.message)], ["invalid_remote", true], error.message);
        assert.doesNotMatch(error.message, /\n/);
        return true;
      });
      assert.ok(!existsSync(marker()));
    };
    for (const [lines, naming] of keys) {
      writeFileSync(at("config"), config + lines);
      await refusal(naming);
    }
    writeFileSync(at("config"), config);

    const elsewhere = `${other.directory}/objects\n`;
    const files: [string, string][] = [
      ["objects/info/alternates", elsewhere],
      ["objects/info/http-alternates", elsewhere],
      ["commondir", `${other.directory}\n`],
      ["config.worktree", hostile(marker())],
      ["shallow", `${commit}\n`],
      ["info/grafts", `${commit}\n`],
    ];
    for (const [name, content] of files) {
      mkdirSync(path.dirname(at(name)), { recursive: true });
      writeFileSync(at(name), content);
      await refusal(new RegExp(name));
      rmSync(at(name));
    }

    const links: [string, string][] = [
      ["refs/heads/main", path.join(other.directory, "refs/heads/main")],
      ["objects/pack", path.join(other.directory, "objects/pack")],
      ["objects/ab", path.join(other.directory, "objects/ab")],
      ["packed-refs", path.join(other.directory, "HEAD")],
      ["HEAD", path.join(other.directory, "HEAD")],
      ["config", path.join(other.directory, "config")],
    ];
    for (const [name, target] of links) {
      const aside = path.join(bench.folder, "aside");
      if (existsSync(at(name))) renameSync(at(name), aside);
      symlinkSync(target, at(name));
      await refusal(new RegExp(name));
      rmSync(at(name));
      if (existsSync(aside)) renameSync(aside, at(name));
    }
    execFileSync("mkfifo", [at("refs/heads/pipe")]);
    await refusal(/refs\/heads\/pipe/);
    rmSync(at("refs/heads/pipe"));
    assert.equal((await bench.mirrors.inspect(remoteOf(directory))).canPush, true);
  });

  it("gains nothing by a change after the check", async () => {
    const { directory } = await bench.host.newRepository();
    const other = await bench.host.newRepository();
    const secret = other.commit({ "secret.txt": "theirs" });
    const mirror = bench.newMirror();
    const { prepared } = await mirror.build(null, [text("skills/a")], commitInfo);
    assert.ok(prepared);
    const config = readFileSync(path.join(directory, "config"), "utf8");
    // A git that changes the repository right before it starts, when everything has been checked.
    const program = path.join(bench.folder, "late-git");
    const settings = path.join(bench.folder, "late-config");
    writeFileSync(settings, config + hostile(marker()));
    const steps = [
      `case "$*" in *-pack*)`,
      `cp '${settings}' '${directory}/config'`,
      `echo '${other.directory}/objects' > '${directory}/objects/info/alternates'`,
      `echo ${secret} > '${directory}/refs/heads/taken';;`,
      `esac`,
      `exec git "$@"`,
    ];
    writeFileSync(program, `#!/bin/sh\n${steps.join("\n")}\n`);
    chmodSync(program, 0o755);
    const late = bench.reopen({ git: { program, searchPath: process.env["PATH"] } });
    const lateMirror = late.open({ tenantId: "5f0000000000000000000001", connectionId: "e".repeat(24) });

    const pushed = await mirror.push(remoteOf(directory), "main", prepared);
    assert.deepEqual(pushed, { status: "pushed" });
    await late.inspect(remoteOf(directory));
    writeFileSync(path.join(directory, "config"), config);
    rmSync(path.join(directory, "objects/info/alternates"));
    const taken = await lateMirror.fetch(remoteOf(directory), "taken").catch((error: Error) => error);

    assert.ok(!existsSync(marker()), "a command of the configuration ran");
    assert.ok(!("commit" in taken), "another repository's objects were read");
    const views = path.join(path.dirname(directory), ".svc-views");
    const left = readdirSync(views).filter((name) => !name.startsWith("objects-"));
    assert.deepEqual(left, [], "views were left");
  });

  it("keeps its own modes of shared files", async () => {
    const { directory } = await bench.host.newRepository();
    appendFileSync(path.join(directory, "config"), "[core]\n\tsharedRepository = 0660\n");
    const mirror = bench.newMirror();
    const { prepared } = await mirror.build(null, [text("skills/a")], commitInfo);
    assert.ok(prepared);

    assert.deepEqual(await mirror.push(remoteOf(directory), "main", prepared), { status: "pushed" });

    assert.equal(statSync(path.join(directory, "refs/heads/main")).mode & 0o777, 0o660);
  });

  it("in the SHA-256 format is rejected by name", async () => {
    const directory = path.join(bench.folder, "sha256.git");
    runGit(bench.folder, "init", "-q", "--bare", "--object-format=sha256", directory);

    await assert.rejects(bench.mirrors.inspect(remoteOf(directory)), { code: "sha256_repository" });

    // The same over HTTP, where the object format is in the host's capabilities.
    const { directory: served, remote } = await bench.host.newRepository();
    rmSync(path.join(served, "objects"), { recursive: true });
    rmSync(path.join(served, "config"));
    runGit(served, "init", "-q", "--bare", "--object-format=sha256", served);
    await assert.rejects(bench.mirrors.inspect(remote), { code: "sha256_repository" });
    const tree = runGit(served, "write-tree");
    const person = ["-c", "user.name=a", "-c", "user.email=a@x"];
    const commit = runGit(served, ...person, "commit-tree", "-m", "first", tree);
    runGit(served, "update-ref", "refs/heads/main", commit);
    await assert.rejects(bench.mirrors.inspect(remote), { code: "sha256_repository" });
  });
});
