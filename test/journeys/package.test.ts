/** The client as it is distributed: served by the service, installed by the installer or npm, run by its name. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { access, constants, readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { installCommand } from "../../src/http/client/install-command.ts";
import { keepContract, keepFailure } from "../support/cli-contract.ts";
import { sharedEngines } from "../support/engine.ts";
import { newAccount, newOrganization } from "../support/http-client.ts";
import { root } from "../support/root.ts";
import { assertNothingRuns, removeFolder, startServer, temporaryFolder } from "../support/server.ts";
import { packVersion, runProgram, startImitation, tampered, version } from "./client-package.ts";

const folder = temporaryFolder("package");
const dataDir = path.join(folder, "data");
const server = await startServer({ dataDir, env: await sharedEngines() });
const get = (address: string, options: RequestInit = {}) => fetch(server.url + address, options);
/** The installer as the service serves it. */
const installer = await (await get("/cli/install.sh")).text();
const served = Buffer.from(await (await get("/cli/svc.tgz")).arrayBuffer());
const packed = {
  name: `svc-${version}.tgz`,
  bytes: served,
  sha256: createHash("sha256").update(served).digest("hex"),
};

after(async () => {
  await server.stop();
  await assertNothingRuns(dataDir);
  removeFolder(folder);
});

/** Runs a script as `curl … | sh` does, in a new home folder. */
const runInstaller = (script: string, name: string, env: Record<string, string> = {}) =>
  runProgram(["sh"], { home: path.join(folder, name), input: script, env });

describe("the service", () => {
  it("serves the package of its client, with its checksum, to anyone", async () => {
    const immutable = "public, max-age=31536000, immutable";
    for (const [name, caching] of [
      ["svc.tgz", "public, no-cache"],
      [packed.name, immutable],
    ] as const) {
      const response = await get(`/cli/${name}`);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("content-type"), "application/gzip");
      assert.equal(response.headers.get("content-length"), String(packed.bytes.length));
      assert.equal(response.headers.get("cache-control"), caching);
      assert.equal(response.headers.get("etag"), `"${packed.sha256}"`);
      assert.ok(packed.bytes.equals(Buffer.from(await response.arrayBuffer())));
      const checksum = await get(`/cli/${name}.sha256`);
      assert.equal(checksum.headers.get("cache-control"), caching);
      assert.equal(await checksum.text(), `${packed.sha256}  ${packed.name}\n`);
    }
    const offered = (await (await get("/api/client")).json()) as { data: { commit?: string } };
    const { commit } = ((await (await get("/healthz")).json()) as { data: { commit?: string } }).data;
    assert.equal(offered.data.commit, commit);
    const { commit: _commit, ...described } = offered.data;
    assert.deepEqual(described, {
      version,
      package: { sha256: packed.sha256, size: packed.bytes.length },
    });
  });

  it("names its commit to the doctor of the client, which has one of its own", async () => {
    const home = path.join(folder, "doctor");
    const svc = path.join(root, "bin", "svc");
    const env = { SVC_API_URL: server.url };
    const { stdout } = await runProgram([process.execPath, svc, "doctor"], { home, env });

    // A copy without its repository has no commit.
    const build = existsSync(path.join(root, ".git")) ? String.raw` \(commit [0-9a-f]{12}\)` : "";
    assert.match(stdout, new RegExp(String.raw`it runs version ${version}${build}\.$`, "m"));
    assert.match(stdout, new RegExp(String.raw`This is svc ${version}${build}\.$`, "m"));
  });

  it("answers HEAD without the content, and 304 to those who have it", async () => {
    const head = await get("/cli/svc.tgz", { method: "HEAD" });
    assert.equal(head.status, 200);
    assert.equal(head.headers.get("content-length"), String(packed.bytes.length));
    assert.equal((await head.arrayBuffer()).byteLength, 0);
    for (const name of ["svc.tgz", packed.name, "svc.tgz.sha256", "install.sh"]) {
      const etag = (await get(`/cli/${name}`, { method: "HEAD" })).headers.get("etag")!;
      const again = await get(`/cli/${name}`, { headers: { "if-none-match": etag } });
      assert.equal(again.status, 304, name);
    }
  });

  it("refuses other names and versions with a message", async () => {
    for (const name of [
      "svc-0.0.1.tgz",
      "svc-0.0.1.tgz.sha256",
      "install.sh.sha256",
      "..%2f..%2fpackage.json",
    ]) {
      const response = await get(`/cli/${name}`);
      const body = (await response.json()) as { error: string; code: string };
      assert.deepEqual([response.status, body.code], [404, "not_found"], name);
      if (name.startsWith("svc")) assert.match(body.error, new RegExp(`this service has svc ${version}`));
    }
  });

  it("puts its configured address into the installer, whatever host a caller names", async () => {
    const address = `${server.url}/cli/install.sh`;
    const forged = await runProgram(["curl", "-s", "-H", "Host: evil.example", address], { home: folder });

    assert.equal(forged.stdout, installer);
    assert.match(installer, new RegExp(`^ +base=${server.url}$`, "m"));
    assert.doesNotMatch(installer, /@[A-Z_]+@/);
  });

  it("is a source for npx, which needs no registry", async () => {
    const home = path.join(folder, "npx");
    const { stdout } = await runProgram(["npx", "--yes", `${server.url}/cli/svc.tgz`, "--version"], { home });

    assert.equal(stdout, `${version}\n`);
  });
});

describe("the installer", () => {
  it("is a valid script for each shell", () => {
    for (const shell of ["sh", "dash", "bash"]) {
      const { error, status, stderr } = spawnSync(shell, ["-n"], { input: installer, encoding: "utf8" });
      if (error === undefined) assert.deepEqual([status, stderr], [0, ""], shell);
    }
  });

  it("installs below the home folder if npm's prefix can't be written", async () => {
    const file = path.join(folder, "file");
    writeFileSync(file, "");
    const { home, stdout, stderr, code } = await runInstaller(installer, "user", { npm_config_prefix: file });

    assert.equal(code, 0, stderr);
    const bin = path.join(home, ".local", "bin");
    assert.equal(readlinkSync(path.join(bin, "svc")), path.join(home, ".svc", "client", "bin", "svc"));
    const ran = await runProgram([path.join(bin, "svc"), "--version"], { home });
    assert.equal(ran.stdout, `${version}\n`);
    assert.match(stdout, new RegExp(`Installed svc ${version} in ${home}/.svc/client`));
    assert.ok(stdout.includes(`export PATH="${bin}:$PATH"`));
    assert.ok(stdout.includes(`svc login ${server.url}\n`));
    assert.deepEqual(await readdir(path.join(home, ".svc")), ["client"]);
  });

  it("installs nothing if the package or its checksum is not the service's", async (t) => {
    const answers = [
      { [`/cli/${packed.name}`]: tampered(packed.bytes) },
      { [`/cli/${packed.name}`]: packed.bytes.subarray(0, 1000) },
      { "/cli/svc.tgz.sha256": `${"0".repeat(64)}  ${packed.name}\n` },
      { "/cli/svc.tgz.sha256": `${packed.sha256}  ../../x.tgz\n` },
      { "/cli/svc.tgz.sha256": `${packed.sha256}  svc-1;id.tgz\n` },
      { "/cli/svc.tgz.sha256": "<html>" },
      { "/cli/svc.tgz.sha256": "" },
    ];
    for (const [at, answer] of answers.entries()) {
      const address = await startImitation(t, server.url, answer);
      const prefix = path.join(folder, `refused-prefix-${at}`);
      const { stdout, stderr, code, home } = await runInstaller(
        installer.replaceAll(server.url, address),
        `refused-${at}`,
        { SVC_INSTALL_PREFIX: prefix },
      );
      assert.equal(code, 1, stderr);
      assert.equal(stdout, "");
      assert.match(stderr, /^error: .*(checksum of|is not a checksum)/);
      assert.ok(!existsSync(prefix));
      assert.deepEqual(await readdir(home), []);
    }
  });

  it("refuses an old Node, and plain HTTP to another machine", async () => {
    const required = installer.replace(/required=[\d.]+/, "required=99.1.0");
    const old = await runInstaller(required, "old-node");
    assert.deepEqual([old.code, old.stdout], [1, ""]);
    assert.match(old.stderr, /^error: svc needs Node 99\.1\.0 or later, and this is v/);
    const elsewhere = installer.replaceAll(server.url, "http://registry.example");
    const exposed = await runInstaller(elsewhere, "exposed");
    assert.deepEqual([exposed.code, exposed.stdout], [1, ""]);
    assert.match(exposed.stderr, /^error: http:\/\/registry\.example is plain HTTP/);
  });

  it("does nothing if its download was cut off anywhere", () => {
    const programs = path.join(folder, "programs");
    const marker = path.join(folder, "marker");
    mkdirSync(programs);
    for (const name of ["node", "npm", "curl", "wget", "mktemp", "mkdir", "ln", "rm", "cut"])
      writeFileSync(path.join(programs, name), `#!/bin/sh\n: >'${marker}'\nexit 1\n`, { mode: 0o755 });
    const end = installer.trimEnd().length;
    const cuts = Array.from(installer.matchAll(/\n/g), ({ index }) => index).filter((at) => at < end);
    for (let at = end - 14; at < end; at++) cuts.push(at);
    assert.ok(cuts.length > 100);

    for (const at of cuts) {
      spawnSync("/bin/sh", { input: installer.slice(0, at), env: { PATH: programs, HOME: folder } });
      assert.ok(!existsSync(marker), `cut at ${at}: ${installer.slice(at - 40, at)}`);
    }
    spawnSync("/bin/sh", { input: installer.slice(0, end), env: { PATH: programs, HOME: folder } });
    assert.ok(existsSync(marker), "the whole script");
  });
});

describe("the installed client", () => {
  const prefix = path.join(folder, "prefix");
  const installed = path.join(prefix, "lib", "node_modules", "svc");
  const home = path.join(folder, "home");

  before(async () => {
    const { code, stderr } = await runInstaller(installer, "home", { npm_config_prefix: prefix });
    assert.equal(code, 0, stderr);
  });

  const svc = (...args: string[]) => runProgram([path.join(prefix, "bin", "svc"), ...args], { home });

  it("runs by its name, with nothing but Node", async () => {
    assert.equal((await svc("--version")).stdout, `${version}\n`);
    assert.deepEqual(JSON.parse((await svc("profile", "list", "-o", "json")).stdout), [
      {
        name: "default",
        active: true,
        activeViaOverride: false,
        isDefault: true,
        authenticated: false,
        skillCount: 0,
      },
    ]);
    assert.deepEqual(await readdir(path.join(prefix, "lib", "node_modules")), ["svc"]);
  });

  it("contains the bundle, its licences and a manual, and no source, test or secret", async () => {
    const names = await readdir(installed);
    assert.deepEqual(names.toSorted(), [
      "LICENSE",
      "README.md",
      "THIRD-PARTY-NOTICES",
      "lib",
      "package.json",
    ]);
    const files = await readdir(path.join(installed, "lib"));
    assert.deepEqual(
      files.filter((name) => !name.endsWith(".cjs")),
      [],
    );
    await access(path.join(installed, "lib", "main.cjs"), constants.X_OK);
    const notices = await readFile(path.join(installed, "THIRD-PARTY-NOTICES"), "utf8");
    for (const name of ["citty", "@clack/prompts", "semver", "yauzl", "proper-lockfile"])
      assert.match(notices, new RegExp(`^${name} \\d`, "m"));
    for (const file of files)
      assert.doesNotMatch(
        await readFile(path.join(installed, "lib", file), "utf8"),
        new RegExp(`${root}|sourceMappingURL`),
        file,
      );
  });

  it("has a README whose links lead to its own headings or to the web", async () => {
    const readme = await readFile(path.join(installed, "README.md"), "utf8");
    const anchors = Array.from(
      readme.matchAll(/^#+ (.+)$/gm),
      ([, heading]) =>
        `#${heading!
          .toLowerCase()
          .replaceAll(/[^a-z0-9 _-]/g, "")
          .replaceAll(" ", "-")}`,
    );
    const links = Array.from(readme.matchAll(/\]\(([^)]+)\)/g), ([, link]) => link!);

    assert.ok(links.length >= 2, `${links.length} links`);
    assert.deepEqual(
      links.filter((link) => !link.startsWith("https://") && !anchors.includes(link)),
      [],
    );
    assert.match(readme, /\*targets\*/);
  });
});

describe("svc upgrade", () => {
  const prefix = path.join(folder, "old");
  const home = path.join(folder, "old-home");
  const older = "0.0.9";
  const svc = (args: readonly string[], env: Record<string, string> = {}) =>
    runProgram([path.join(prefix, "bin", "svc"), ...args], {
      home,
      env: { SVC_API_URL: server.url, ...env },
    });
  const installed = async () => (await svc(["--version"])).stdout.trim();
  const upgradeJson = async (args: readonly string[] = [], env: Record<string, string> = {}) => {
    const { stdout, stderr } = await svc(["upgrade", ...args, "-o", "json"], env);
    return stdout === ""
      ? keepFailure(JSON.parse(stderr), "upgrade")
      : keepContract("upgrade", JSON.parse(stdout));
  };

  before(async () => {
    const file = await packVersion(packed.bytes, older, folder);
    const done = await runProgram(["npm", "install", "--global", "--offline", "--prefix", prefix, file], {
      home,
    });
    assert.equal(done.code, 0, done.stderr);
    assert.equal(await installed(), older);
  });

  it("only reports the newer version with --check", async () => {
    const report = { fromVersion: older, toVersion: version, service: server.url };
    assert.deepEqual(await upgradeJson(["--check"]), {
      outcome: "available",
      ...report,
      installation: "npm",
      path: prefix,
    });
    assert.equal(await installed(), older);
  });

  it("keeps the installed version if the download is not the announced package", async (t) => {
    const address = await startImitation(t, server.url, { [`/cli/${packed.name}`]: tampered(packed.bytes) });
    const refused = await upgradeJson([], { SVC_API_URL: address });
    assert.match(JSON.stringify(refused), /"E_NETWORK".*The checksum of .* Nothing was installed/);
    assert.equal(await installed(), older);
    assert.deepEqual(await readdir(path.join(home, ".svc", "tmp")), []);
  });

  it("installs the service's version, and then has nothing to do", async () => {
    const { code, stdout, stderr } = await svc(["upgrade"]);

    assert.deepEqual([code, stderr], [0, ""]);
    assert.equal(stdout, `Upgraded svc from ${older} to ${version}, from ${server.url}.\n`);
    assert.equal(await installed(), version);
    assert.equal((await svc(["upgrade"])).stdout, `svc ${version} is the version of ${server.url}.\n`);
  });

  it("installs an older version only with --allow-downgrade", async (t) => {
    const bytes = readFileSync(path.join(folder, `svc-${older}.tgz`));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const address = await startImitation(t, server.url, {
      "/api/client": JSON.stringify({
        success: true,
        data: { version: older, package: { sha256, size: bytes.length } },
      }),
      [`/cli/svc-${older}.tgz`]: bytes,
    });
    const env = { SVC_API_URL: address };

    const kept = await svc(["upgrade"], env);
    assert.deepEqual([kept.code, kept.stderr], [0, ""]);
    assert.match(kept.stdout, /is newer than 0\.0\.9.*Nothing was installed/);
    assert.equal(await installed(), version);
    const done = (await upgradeJson(["--allow-downgrade"], env)) as { outcome: string };
    assert.equal(done.outcome, "downgraded");
    assert.equal(await installed(), older);
  });
});

describe("a new user on a clean machine", () => {
  it("gets from the installation's line to a restored project", async () => {
    const account = await newAccount(server.url, "ada", server.setupLink);
    await newOrganization(server.url, account, "acme");
    const skill = path.join(folder, "review");
    mkdirSync(skill);
    writeFileSync(
      path.join(skill, "SKILL.md"),
      "---\nname: review\ndescription: Reviews code\n---\n\n# Review\n",
    );
    const project = path.join(folder, "project");
    mkdirSync(project);
    const line = installCommand(server.url);
    const file = path.join(folder, "no-prefix");
    writeFileSync(file, "");
    /** A machine of its own, with a function that runs a line in its shell. */
    const machine = (name: string) => {
      const home = path.join(folder, name);
      const env = { npm_config_prefix: file, PATH: `${home}/.local/bin:${process.env["PATH"]}` };
      return async (command: string, input = "") => {
        const ran = await runProgram(["sh", "-c", command], { home, env, input });
        assert.equal(ran.code, 0, `${command}\n${ran.stdout}${ran.stderr}`);
        return ran;
      };
    };
    const [owner, newcomer] = [machine("owner"), machine("newcomer")];

    for (const run of [owner, newcomer]) {
      const { stdout } = await run(line);
      assert.ok(!stdout.includes("export PATH"), stdout);
      await run(`svc login ${server.url} --token-stdin`, account.token);
    }
    await owner(`svc publish '${skill}' --team acme`);
    await owner(`cd '${project}' && svc install acme/review --target claude --project --save`);
    await newcomer(`mkdir work && cp '${project}'/svc.* work && cd work && svc restore`);

    const restored = path.join(folder, "newcomer", "work", ".claude", "skills", "review", "SKILL.md");
    assert.equal(
      readFileSync(restored, "utf8"),
      readFileSync(path.join(project, ".claude", "skills", "review", "SKILL.md"), "utf8"),
    );
  });
});
