/**
 * The image of `deploy/Dockerfile` without a container engine: its text by a validator, the files that its last build
 * step makes, and the service from these files alone, as another user on a root file system that can't be written.
 */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { validate } from "dockerfile-utils";
import { emptyRedis, testDatabase } from "../support/engine.ts";
import { callApi, newAccount } from "../support/http-client.ts";
import { freePorts } from "../support/proxies/program.ts";
import { root } from "../support/root.ts";
import { plainEnv, removeFolder, temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";
import { assertSettings, readDeployed } from "./settings.ts";

const megabyte = 1_000_000;
/**
 * Bytes of the parts that are not ours: Alpine (8 MB), node's program of release 24 (125 MB), git with its libraries,
 * certificates, libstdc++ and tini (20 MB).
 */
const baseBytes = 153 * megabyte;

const dockerfile = readDeployed("Dockerfile");
const environment = Object.fromEntries(
  Array.from(/^ENV (.*)$/m.exec(dockerfile)![1]!.matchAll(/(\w+)=(\S+)/g), ([, name, value]) => [
    name,
    value,
  ]),
) as Record<string, string>;

function bytesOf(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
}

describe("the Dockerfile", () => {
  it("is accepted by a validator, which reports a faulty one", () => {
    assert.deepEqual(validate(dockerfile), []);
    assert.equal(validate(dockerfile.replace("ENTRYPOINT", "ENTRYPONT")).length, 1);
  });

  it("sets variables of the service, and no user with rights", () => {
    assertSettings(Object.keys(environment));
    assert.match(dockerfile, /^USER 10001:10001$/m);
  });

  it("copies files that the checkout has and .dockerignore lets pass", () => {
    const passed = new Set(
      readFileSync(path.join(root, ".dockerignore"), "utf8")
        .split("\n")
        .filter((line) => line.startsWith("!"))
        .map((line) => line.slice(1)),
    );
    for (const name of passed) assert.ok(existsSync(path.join(root, name)), name);
    const build = readFileSync(path.join(root, "scripts/sources.mjs"), "utf8");
    const folders = /const service = \[(.*)\]/.exec(build)![1]!.matchAll(/"(\w+)"/g);
    for (const [, name] of folders) assert.ok(passed.has(name!), name);
  });
});

/** Namespaces of mounts need the rights of root. */
const isRoot = process.getuid!() === 0;
const skip = isRoot ? false : "root is needed for a read-only root file system and another user";

describe("the service of the image", { skip }, () => {
  const folder = temporaryFolder("image");
  const image = path.join(folder, "image");
  const data = path.join(folder, "data");
  after(() => removeFolder(folder));
  before(() => {
    const line = /^RUN (node scripts\/stage-image\.mjs .*)$/m.exec(dockerfile)![1]!;
    const script = line.replace(" /image", ` ${image}`);
    execFileSync("sh", ["-euc", script], { cwd: root, env: { ...plainEnv(), COMMIT: "abc123" } });
    mkdirSync(data);
    chownSync(data, 10_001, 10_001);
    openFoldersOf(image);
  });

  /** Lets the other user enter the folders of a path, which belong to this run of tests. */
  function openFoldersOf(file: string): void {
    for (let above = path.dirname(file); above !== path.dirname(above); above = path.dirname(above))
      if ((statSync(above).mode & 0o005) === 0) chmodSync(above, 0o755);
  }

  /** Settings for the engines of this run, whose sockets the other user may use. */
  async function openEngines(database: string): Promise<Record<string, string> | undefined> {
    const { url, name } = await testDatabase();
    const redis = emptyRedis();
    if (redis === undefined) return undefined;
    for (const socket of [decodeURIComponent(/%2F[^/?]+/i.exec(url)![0]), redis.replace(/\?.*/, "")]) {
      openFoldersOf(socket);
      chmodSync(socket, 0o666);
    }
    return { MONGODB_URL: url, MONGODB_DATABASE: `${name}_${database}`, REDIS_URL: redis };
  }

  /** Its entrypoint with the variables of the image, in a namespace whose mounts are read-only but for the data. */
  function start(args: readonly string[], env: Record<string, string>) {
    const rights = "--no-new-privs --inh-caps=-all --bounding-set=-all";
    const mounts = [
      "mount --make-rprivate /",
      `mount --bind ${data} ${data}`,
      "mount -o remount,ro,bind /",
      `cd ${image}`,
      `exec setpriv --reuid=10001 --regid=10001 --clear-groups ${rights} ${process.execPath} dist/server.js "$@"`,
    ];
    const child = spawn("unshare", ["--mount", "sh", "-euc", mounts.join("\n"), "sh", ...args], {
      env: { PATH: process.env["PATH"], ...environment, HOME: data, DATA_DIR: data, TMPDIR: data, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += String(text)));
    const ended = once(child, "close").then(([code]) => code as number | null);
    return { child, ended, output: () => output };
  }

  it("is small, without engines, development packages and tests", () => {
    const size = bytesOf(image);
    assert.ok(size + baseBytes < 250 * megabyte, `${Math.round(size / megabyte)} MB`);
    const packages = readdirSync(path.join(image, "node_modules"), { recursive: true, encoding: "utf8" });
    for (const left of ["@0q", "@electric-sql", "typescript", "vite"])
      assert.ok(!packages.includes(left), left);
    for (const left of ["dist/tests", "src", "node_modules/.cache", ".git"])
      assert.ok(!existsSync(path.join(image, left)), left);
  });

  for (const name of ["MONGODB_URL", "REDIS_URL"])
    it(`names the server that it needs without ${name}`, async (t) => {
      const servers = await openEngines("none");
      if (servers === undefined) return t.skip("install redis-server");
      const { ended, output } = start([], { BASE_URL: "https://skills.example.com", ...servers, [name]: "" });
      assert.equal(await ended, 1, output());
      assert.match(output(), new RegExp(`[Ss]et ${name}`));
      assert.doesNotMatch(output(), /\n\s+at /);
    });

  it("serves, signs in, draws cards and ends in order", async (t) => {
    const servers = await openEngines("image");
    if (servers === undefined) return t.skip("install redis-server");
    const [port, metrics] = (await freePorts(2)) as [number, number];
    const base = `http://127.0.0.1:${port}`;
    const env = { PORT: String(port), METRICS_PORT: String(metrics), BASE_URL: base, DRAIN_SECONDS: "0" };
    const migrated = start(["migrate"], { ...servers, BASE_URL: base });
    assert.equal(await migrated.ended, 0, migrated.output());
    assert.match(migrated.output(), /The database has the form of this release\./);

    const service = start(["--role", "all"], { ...servers, ...env });
    t.after(() => service.child.kill("SIGKILL"));
    const check = /CMD \["node", "-e", "(.*)"\]/.exec(dockerfile)![1]!;
    const isHealthy = () =>
      spawnSync(process.execPath, ["-e", check], { env: { METRICS_PORT: String(metrics) } }).status === 0;
    assert.equal(isHealthy(), false);
    await until("the service", isHealthy, { details: async () => service.output() });
    await until("the link", () => service.output().includes("/setup?token="));
    const ada = await newAccount(base, "ada", /\S+\/setup\?token=\S+/.exec(service.output())![0]);
    const organization = { name: "Acme", slug: "acme" };
    const { data: org } = await callApi<{ id: string }>(base, "POST", "/api/tenants", {
      token: ada.token,
      body: organization,
    });
    const body = { tenantId: org.id, name: "Notes", content: "# Notes\n", visibility: "public" };
    const made = await callApi<{ skill: { slug: string } }>(base, "POST", "/api/skills", {
      token: ada.token,
      body,
    });
    assert.equal(made.status, 201, made.error);
    for (const page of [`/acme/${made.data.skill.slug}`, "/docs", "/cli/svc.tgz", "/cli/install.sh"])
      assert.equal((await fetch(base + page)).status, 200, page);
    const card = await fetch(`${base}/acme/${made.data.skill.slug}/card.png`);
    assert.equal(card.status, 200);
    const { data: alive } = await callApi<{ commit: string }>(base, "GET", "/healthz");
    assert.equal(alive.commit, "abc123");
    const clone = path.join(folder, "clone");
    const address = `${base.replace("//", `//ada:${ada.token}@`)}/acme/${made.data.skill.slug}.git`;
    execFileSync("git", ["clone", "-q", address, clone], { env: plainEnv({ GIT_TERMINAL_PROMPT: "0" }) });
    assert.ok(existsSync(path.join(clone, "SKILL.md")));

    service.child.kill("SIGTERM");
    assert.equal(await service.ended, 0, service.output());
    assert.doesNotMatch(service.output(), /EROFS|EACCES|"level":50/);
  });
});
