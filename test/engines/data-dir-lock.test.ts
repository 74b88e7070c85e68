import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { DataDirLockedError, lockDataDir } from "../../engines/data-dir-lock.ts";
import { programArgs } from "../support/root.ts";

const temp = fs.mkdtempSync(path.join(os.tmpdir(), "svc-lock-"));
const children: ChildProcess[] = [];
after(() => {
  for (const child of children) child.kill("SIGKILL");
  fs.rmSync(temp, { recursive: true, force: true });
});

const folder = () => fs.mkdtempSync(path.join(temp, "d-"));

async function holdElsewhere(dir: string, name: string) {
  const child = spawn(process.execPath, [...programArgs("test/engines/lock-holder.ts"), dir, name], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  return { child, said: said.toString().trim() };
}

describe("lock of a data folder", () => {
  it("names the process that holds it and since when", async () => {
    const dir = folder();
    const release = await lockDataDir(dir, "all");

    await assert.rejects(lockDataDir(dir, "all"), (error) => {
      assert.ok(error instanceof DataDirLockedError);
      assert.equal(error.pid, process.pid);
      const startedAt = Date.now() - process.uptime() * 1000;
      assert.ok(Math.abs(error.startedAt.getTime() - startedAt) < 60_000);
      assert.match(
        error.message,
        new RegExp(`${dir} is in use \\(all\\) by process ${process.pid}, started at 2`),
      );
      return true;
    });
    release();
  });

  it("is free again once it is given back", async () => {
    const dir = folder();

    (await lockDataDir(dir, "all"))();
    const release = await lockDataDir(dir, "all");
    release();

    assert.deepEqual(fs.readdirSync(path.join(dir, ".locks")), []);
  });

  it("keeps names apart", async () => {
    const dir = folder();

    const releases = [await lockDataDir(dir, "all-3000"), await lockDataDir(dir, "all")];

    for (const release of releases) release();
  });

  it("refuses a name that could leave the folder", async () => {
    await assert.rejects(lockDataDir(folder(), "../all"), TypeError);
  });

  it("is free at once when its process was killed", async () => {
    const dir = folder();
    const { child, said } = await holdElsewhere(dir, "all");
    const gone = once(child, "exit");
    await assert.rejects(lockDataDir(dir, "all"), { pid: child.pid });

    child.kill("SIGKILL");
    await gone;
    const release = await lockDataDir(dir, "all");
    release();

    assert.equal(said, "held");
  });

  it("is not held by another process that got the same pid", async () => {
    const dir = folder();
    const release = await lockDataDir(dir, "all");
    const locks = path.join(dir, ".locks");
    const file = path.join(locks, fs.readdirSync(locks)[0] ?? "");
    const holder = JSON.parse(fs.readFileSync(file, "utf8")) as object;
    release();
    fs.writeFileSync(path.join(locks, "all.1-old.lock"), JSON.stringify({ ...holder, birth: "boot 12" }));

    const releaseAgain = await lockDataDir(dir, "all");
    releaseAgain();

    assert.deepEqual(fs.readdirSync(locks), []);
  });

  it("takes no notice of a file that was cut off", async () => {
    const dir = folder();
    fs.mkdirSync(path.join(dir, ".locks"));
    fs.writeFileSync(path.join(dir, ".locks", "all.7-cut.lock"), '{"pid":');

    const release = await lockDataDir(dir, "all");
    release();
  });

  it("lets one of many through that start at once", async () => {
    const dir = folder();

    const all = await Promise.all(Array.from({ length: 4 }, () => holdElsewhere(dir, "all")));

    const said = all.map((each) => each.said).sort();
    assert.deepEqual(said, ["DataDirLockedError", "DataDirLockedError", "DataDirLockedError", "held"]);
  });
});
