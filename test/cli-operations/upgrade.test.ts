import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it, type TestContext } from "node:test";
import { findInstallation } from "../../cli/upgrade/find-installation.ts";
import { version } from "../../cli/version.ts";
import { answer, startServer, svc, temporaryFolder } from "../cli/harness.ts";

const sha256 = "0".repeat(64);

/** Runs against a service that offers a client; this one runs from a checkout's tests. */
async function upgrade(t: TestContext, offered: unknown, args: readonly string[] = []) {
  const requested: string[] = [];
  const address = await startServer(t, (request, response, url) => {
    requested.push(url.pathname);
    assert.equal(request.headers.authorization, undefined);
    answer(response, 200, { success: true, data: offered });
  });
  const home = await temporaryFolder(t);
  const env = { SVC_API_URL: address, SVC_TOKEN: `lsk_${"a".repeat(64)}` };
  return { address, requested, ran: await svc(["upgrade", ...args, "-o", "json"], { home, env }) };
}

describe("svc upgrade", () => {
  it("compares its version with that of the service, and sends no login", async (t) => {
    for (const [offered, outcome] of [
      [version, "upToDate"],
      ["99.0.0", "available"],
      ["99.0.0-rc.1", "available"],
      ["0.0.1", "ahead"],
      [`${version}-rc.1`, "ahead"],
    ] as const) {
      const { address, ran, requested } = await upgrade(t, { version: offered }, ["--check"]);
      assert.deepEqual(ran.data, {
        outcome,
        fromVersion: version,
        toVersion: offered,
        service: address,
        installation: "other",
      });
      assert.deepEqual(requested, ["/api/client"]);
    }
  });

  it("installs nothing where npm did not install it, and prints a remedy", async (t) => {
    const { address, ran, requested } = await upgrade(t, { version: "99.0.0", package: { sha256, size: 9 } });

    assert.equal(ran.code, 1);
    assert.equal(ran.error.code, "E_INTERNAL");
    assert.ok(ran.error.message.endsWith(`curl -fsSL ${address}/cli/install.sh | sh`), ran.error.message);
    assert.deepEqual(requested, ["/api/client"]);
  });

  it("reports a service that does not offer the package", async (t) => {
    const { ran } = await upgrade(t, { version: "99.0.0" });

    assert.equal(ran.error.code, "E_NOT_FOUND");
    assert.match(ran.error.message, /does not offer svc 99\.0\.0/);
  });

  it("refuses versions and checksums that are not usable", async (t) => {
    for (const offered of [
      { version: "99" },
      { version: "99.0.0/../../x" },
      { version: "v99.0.0" },
      { version: "99.0.0\u001B[2J" },
      { version: 99 },
      { version: "99.0.0", package: { sha256: "x", size: 1 } },
      { version: "99.0.0", package: { sha256: [sha256], size: 1 } },
      { version: "99.0.0", package: 7, extra: null },
    ]) {
      const { ran } = await upgrade(t, offered);
      assert.equal(ran.code, 1, JSON.stringify(offered));
      assert.ok(["E_NETWORK", "E_NOT_FOUND"].includes(ran.error.code), JSON.stringify(ran.error));
    }
  });
});

describe("an installation", () => {
  /** A package with a program at `lib/main.cjs`, below a folder. */
  async function install(folder: string): Promise<string> {
    await mkdir(path.join(folder, "lib"), { recursive: true });
    await writeFile(path.join(folder, "package.json"), JSON.stringify({ name: "svc" }));
    const program = path.join(folder, "lib", "main.cjs");
    await writeFile(program, "");
    return program;
  }

  it("is npm's if its command is in the folder of npm's prefix", async (t) => {
    const prefix = await temporaryFolder(t);
    const folder = path.join(prefix, "lib", "node_modules", "svc");
    const program = await install(folder);
    assert.deepEqual(await findInstallation(program, "linux"), { kind: "other" });
    await mkdir(path.join(prefix, "bin"));
    await symlink("../lib/node_modules/svc/lib/main.cjs", path.join(prefix, "bin", "svc"));

    const found = { kind: "npm", prefix, folder };
    assert.deepEqual(await findInstallation(program, "linux"), found);
    assert.deepEqual(await findInstallation(path.join(prefix, "bin", "svc"), "linux"), found);
    await writeFile(path.join(folder, "package.json"), JSON.stringify({ name: "other" }));
    assert.deepEqual(await findInstallation(program, "linux"), { kind: "other" });
  });

  it("is npm's on Windows if its command is next to node_modules", async (t) => {
    const prefix = await temporaryFolder(t);
    const folder = path.join(prefix, "node_modules", "svc");
    const program = await install(folder);
    assert.deepEqual(await findInstallation(program, "win32"), { kind: "other" });
    await writeFile(path.join(prefix, "svc.cmd"), "");

    assert.deepEqual(await findInstallation(program, "win32"), { kind: "npm", prefix, folder });
  });

  it("is recognized in a checkout and in the cache of npx, and is of another kind elsewhere", async (t) => {
    const folder = await temporaryFolder(t);
    const npx = await install(path.join(folder, "_npx", "0123", "node_modules", "svc"));
    const project = await install(path.join(folder, "node_modules", "svc"));
    for (const name of ["bin", "cli"]) await mkdir(path.join(folder, name));
    for (const name of ["bin/svc", "cli/main.ts"]) await writeFile(path.join(folder, name), "");

    assert.deepEqual(await findInstallation(npx, "linux"), { kind: "npx" });
    assert.deepEqual(await findInstallation(path.join(folder, "bin", "svc"), "linux"), { kind: "checkout" });
    assert.deepEqual(await findInstallation(project, "linux"), { kind: "other" });
    assert.deepEqual(await findInstallation(path.join(folder, "none"), "linux"), { kind: "other" });
    assert.deepEqual(await findInstallation(undefined, "linux"), { kind: "other" });
  });
});
