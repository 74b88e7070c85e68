/** The built `svc` in a process that lacks a home, a working folder, or a writable output. */
import assert from "node:assert/strict";
import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it, type TestContext } from "node:test";
import { keepFailure } from "../support/cli-contract.ts";
import { root } from "../support/root.ts";
import { plainEnv, removeFolder, temporaryFolder } from "../support/server.ts";

function place(t: TestContext): string {
  const folder = temporaryFolder("process");
  t.after(() => removeFolder(folder));
  return folder;
}

function svc(args: readonly string[], home: string, options: SpawnSyncOptions) {
  const env = plainEnv({ HOME: home, NO_COLOR: "1" });
  const svcPath = path.join(root, "bin", "svc");
  const done = spawnSync(process.execPath, [svcPath, ...args], { env, ...options, encoding: "utf8" });
  return { code: done.status, stdout: done.stdout, stderr: done.stderr };
}

function failureOf(stderr: string): { code: string; message: string } {
  const document = JSON.parse(stderr) as { error: { code: string; message: string } };
  keepFailure(document, "svc");
  return document.error;
}

describe("svc without a home", () => {
  it("uses no other folder instead: a login would be stored in the current project", (t) => {
    const cwd = place(t);
    const planted = {
      version: 1,
      activeProfile: "planted",
      profiles: { planted: { installed: {}, preferences: {} } },
    };
    for (const folder of [cwd, path.join(cwd, "relative")]) {
      mkdirSync(path.join(folder, ".svc"), { recursive: true });
      writeFileSync(path.join(folder, ".svc/config.json"), JSON.stringify(planted));
    }
    // The system's user entry is only read, since it is the tester's own.
    for (const home of ["", "relative"])
      assert.doesNotMatch(svc(["profile", "list", "-o", "json"], home, { cwd }).stdout, /planted/);
  });
});

describe("svc in a deleted folder", { skip: process.platform === "win32" }, () => {
  it("reports that in one sentence", (t) => {
    const home = place(t);
    const cwd = path.join(home, "gone");
    mkdirSync(cwd);
    // The shell's working folder is deleted while it runs.
    const script = `rmdir ${JSON.stringify(cwd)}; exec "$0" "$@"`;
    const svcPath = path.join(root, "bin", "svc");
    const args = ["-c", script, process.execPath, svcPath, "profile", "list", "-o", "json"];
    const done = spawnSync("/bin/sh", args, { cwd, env: plainEnv({ HOME: home }), encoding: "utf8" });

    assert.equal(done.status, 1);
    assert.equal(done.stdout, "");
    assert.match(failureOf(done.stderr).message, /current folder no longer exists/);
  });
});

describe("svc with an output that can't be written", { skip: !existsSync("/dev/full") }, () => {
  it("fails with one error on stderr, for programs and people", (t) => {
    const home = place(t);
    const full = openSync("/dev/full", "w");
    t.after(() => closeSync(full));
    const stdio: SpawnSyncOptions["stdio"] = ["ignore", full, "pipe"];

    const forPrograms = svc(["profile", "list", "-o", "json"], home, { cwd: home, stdio });
    const forPeople = svc(["profile", "list"], home, { cwd: home, stdio });

    assert.equal(forPrograms.code, 1);
    assert.equal(failureOf(forPrograms.stderr).code, "E_INTERNAL");
    assert.equal(forPeople.code, 1);
    assert.match(forPeople.stderr, /^error The result cannot be written: the disk is full\.\n/);
  });

  it("keeps its exit code if the error can't be written", (t) => {
    const home = place(t);
    const full = openSync("/dev/full", "w");
    t.after(() => closeSync(full));

    const done = svc(["nonsense"], home, { cwd: home, stdio: ["ignore", "pipe", full] });

    assert.deepEqual([done.code, done.stdout], [1, ""]);
  });
});
