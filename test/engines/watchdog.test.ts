import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { root } from "../support/root.ts";
import { until } from "../support/until.ts";

const program = path.join(root, "test/engines/watchdog-child.mjs");
const watchdog = pathToFileURL(path.join(root, "engines/watchdog.mjs")).href;

function start(mode: string) {
  const child = spawn(process.execPath, [program, mode, watchdog], { stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return { child, ended: once(child, "close"), stderr: () => stderr };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("the watchdog of an engine", () => {
  it("ends a process whose main thread hangs, and reports why", async () => {
    const { ended, stderr } = start("busy");

    const [, signal] = (await ended) as [number | null, string | null];

    assert.equal(signal, "SIGKILL");
    assert.match(stderr(), /^the main thread has not responded for [\d.]+ s\n$/);
  });

  it("neither ends nor keeps alive a process that responds", async () => {
    const { ended, stderr } = start("idle");

    const [code, signal] = (await ended) as [number | null, string | null];

    assert.deepEqual([code, signal, stderr()], [0, null, ""]);
  });

  it("ends a hanging process whose parent has ended", async () => {
    const { child, ended } = start("parent");
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const pid = Number(line.toString());
    assert.ok(isRunning(pid));

    child.kill("SIGKILL");
    await ended;

    await until("the hanging process ends", () => !isRunning(pid));
  });
});
