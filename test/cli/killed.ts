/** Runs the bundled client and kills it in the middle of its changes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { rolldown } from "rolldown";
import { root as checkout } from "../support/root.ts";

/** Kills the process, like a power failure, right before its n-th change of the file system. */
const killer = `
  const fs = require("node:fs");
  let left = Number(process.env.KILL_BEFORE);
  for (const name of ["open", "rename", "mkdir", "mkdtemp", "symlink", "rm", "writeFile", "copyFile", "chmod"]) {
    const original = fs.promises[name];
    fs.promises[name] = (...args) => {
      if (name === "open" && args[1] === "r") return original(...args);
      if (--left === 0) process.kill(process.pid, "SIGKILL");
      return original(...args);
    };
  }
`;

/** Bundled once, as it is delivered: compiling at each of many starts would take longer than the test. */
const dist = mkdtempSync(join(tmpdir(), "svc-cli-"));
/** Bundles the client before the file's tests. */
export function bundleClient(): void {
  before(async () => {
    const bundle = await rolldown({
      input: join(checkout, "cli/main.ts"),
      platform: "node",
      // As the build does.
      resolve: { mainFields: ["module", "main"] },
      logLevel: "silent",
    });
    await bundle.write({
      dir: dist,
      format: "cjs",
      dynamicImportInCjs: false,
      minify: true,
      entryFileNames: "[name].cjs",
      chunkFileNames: "[name]-[hash].cjs",
    });
    await bundle.close();
    await writeFile(join(dist, "killer.cjs"), killer);
  });
  after(() => rm(dist, { recursive: true, force: true }));
}

/** Runs `svc` until its n-th change; returns its exit code, or undefined if it was killed first. */
export async function runKilled(
  argv: readonly string[],
  killBefore: number,
  options: { home: string; env: NodeJS.ProcessEnv; cwd?: string },
): Promise<number | undefined> {
  const { home, env } = options;
  const child = spawn(
    process.execPath,
    ["--require", join(dist, "killer.cjs"), join(dist, "main.cjs"), ...argv],
    {
      env: { ...env, PATH: process.env["PATH"], HOME: home, KILL_BEFORE: String(killBefore) },
      cwd: options.cwd,
      stdio: "ignore",
    },
  );
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  await rm(join(home, ".svc/config.lock"), { recursive: true, force: true });
  return signal === null ? code! : undefined;
}
