/** Packages, end to end: every kind of file that one may contain, the most files, and the most bytes. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { keepContract } from "../support/cli-contract.ts";
import { type FileTree, assertTree, snapshot, writeTree } from "../support/file-tree.ts";
import { callApi } from "../support/http-client.ts";
import { assertSound, git, gitBytes, repositoryOf, waitForTags } from "../support/native-git.ts";
import { removeFolder } from "../support/server.ts";
import { until } from "../support/until.ts";
import { setUpJourney } from "./set-up.ts";

const MiB = 1024 * 1024;
const bytes = (text: string) => Buffer.from(text);
const skillFile = (name: string) => ({
  bytes: bytes(`---\nname: ${name}\ndescription: A package of tests\n---\n\n# ${name}\n`),
});

/** Bytes of an image: not valid text, every byte value, and an incomplete line end. */
const picture = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  Buffer.from(Array.from({ length: 256 }, (_, value) => value)),
  randomBytes(40_000),
  Buffer.from([0x0d]),
]);

const kit: FileTree = {
  "SKILL.md": {
    bytes: bytes(
      "---\nname: demo-kit\ndescription: Shows what a package may hold\n---\n\n# Kit\r\n\r\nRun it.\n",
    ),
  },
  "scripts/run.sh": { bytes: bytes('#!/bin/sh\nexec echo "it runs"\n'), executable: true },
  "scripts/check.py": { bytes: bytes("print('plain')\n") },
  "images/logo.png": { bytes: picture },
  "empty.txt": { bytes: Buffer.alloc(0) },
  "no-newline.txt": { bytes: bytes("ends here") },
  "docs/Übersicht – 説明.md": { bytes: bytes("Grüße\n") },
  "docs/emoji 🚀/ﬁle with spaces & 'quotes'.txt": { bytes: bytes("🚀\n") },
  ".config/settings.json": { bytes: bytes("{}\n") },
  "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/deep.txt": { bytes: bytes("deep\n") },
};

/** Folders in which the tools find a package, by scope. */
const places = (base: string, name: string) =>
  [".claude", ".cursor", ".agents"].map((tool) => path.join(base, tool, "skills", name));

const { server, dataDir, account, home, project, work, svc } = await setUpJourney("grace", true);

/** A memory value of the server process on Linux: VmRSS is the current one, VmHWM the maximum. */
function residentMiB(name: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
  return Math.round(Number(new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(status)?.[1]) / 1024);
}

async function publish(folder: string, ...flags: string[]) {
  return keepContract("publish", await svc.json(["publish", folder, ...flags]));
}

async function install(ref: string, ...flags: string[]) {
  return keepContract("install", await svc.json(["install", ref, "-t", "claude,cursor,codex", ...flags]));
}

/** Results of a catalog search, which includes a skill shortly after its publish. */
function untilFound(search: string) {
  return until(
    `a search result for "${search}"`,
    async () => {
      const found = keepContract("listPublic", await svc.json(["list", "--public", "--search", search]));
      return found.length > 0 && found;
    },
    { intervalMs: 200 },
  );
}

describe("a package", () => {
  let publicId: string;
  let skillId: string;
  const second: FileTree = {
    ...kit,
    "scripts/check.py": { bytes: bytes("print('now it runs')\n"), executable: true },
    "added/new.txt": { bytes: bytes("new\n") },
  };
  delete second["empty.txt"];

  it("is published with all its files", async () => {
    writeTree(path.join(work, "demo-kit"), kit);
    // Never part of a skill.
    writeTree(path.join(work, "demo-kit"), {
      ".git/HEAD": { bytes: bytes("ref: refs/heads/main\n") },
      "node_modules/x/index.js": { bytes: bytes("x") },
    });

    const done = await publish("demo-kit", "--visibility", "public", "-m", "The kit");

    assert.equal(done.action, "created");
    assert.equal(done.format, "package");
    assert.equal(done.fileCount, Object.keys(kit).length);
    ({ publicId } = done.skill);
    const [item] = await untilFound("demo kit");
    assert.equal(item?.publicId, publicId);
    assert.deepEqual(item.author, { name: "Name of grace", username: "grace" });
  });

  it("is installed byte by byte and mode by mode, in both scopes", async () => {
    const empty = { home: snapshot(home, [".svc"]), project: snapshot(project) };
    assert.deepEqual(empty, { home: {}, project: {} });
    for (const [flags, base] of [
      [["-p", project], project],
      [["-g"], home],
    ] as const) {
      const done = await install("demo-kit", ...flags);
      assert.deepEqual(done.installed.map(({ platform, method }) => `${platform} ${method}`).sort(), [
        "claude symlink",
        "codex copy",
        "cursor copy",
      ]);
      for (const place of places(base, "demo-kit")) {
        assertTree(place, kit);
        assert.equal(execFileSync(path.join(place, "scripts", "run.sh"), { encoding: "utf8" }), "it runs\n");
      }
    }
  });

  it("adds, changes and removes files with the next version, and restores them", async () => {
    removeFolder(path.join(work, "demo-kit"));
    writeTree(path.join(work, "demo-kit"), second);
    const pushed = keepContract("push", await svc.json(["push", "demo-kit", "-s", "demo-kit", "--major"]));
    assert.equal(pushed.version.semver, "2.0.0");
    assert.equal(pushed.version.fileCount, Object.keys(second).length);
    ({ skillId } = pushed.version);

    assert.equal(keepContract("pull", await svc.json(["pull"])).skills[0]?.outcome, "updated");
    for (const place of [...places(project, "demo-kit"), ...places(home, "demo-kit")])
      assertTree(place, second);

    await callApi(server.url, "POST", `/api/skills/${publicId}/revert`, {
      token: account.token,
      body: { version: 1 },
    });
    assert.equal(keepContract("pull", await svc.json(["pull"])).skills[0]?.outcome, "updated");
    for (const place of [...places(project, "demo-kit"), ...places(home, "demo-kit")]) assertTree(place, kit);
  });

  it("is updated around an edited copy, which is reported and kept", async () => {
    const edited = path.join(places(project, "demo-kit")[1]!, "scripts", "check.py");
    writeFileSync(edited, "mine\n");
    await callApi(server.url, "POST", `/api/skills/${publicId}/revert`, {
      token: account.token,
      body: { version: 2 },
    });

    const pulled = keepContract("pull", await svc.partial(["pull"]));

    assert.equal(pulled.skills[0]?.outcome, "partial");
    assert.equal(pulled.skills[0].warnings.length, 1);
    assert.equal(readFileSync(edited, "utf8"), "mine\n");
    assertTree(places(home, "demo-kit")[1]!, second);
    const left = keepContract("uninstall", await svc.partial(["uninstall", "demo-kit"]));
    assert.deepEqual(
      left.failed.map(({ platform }) => platform),
      ["cursor"],
    );
    const gone = keepContract("uninstall", await svc.json(["uninstall", "demo-kit", "--force", "--purge"]));
    assert.equal(gone.removed.length, 1);
    const files = [...Object.values(snapshot(home, [".svc"])), ...Object.values(snapshot(project))];
    assert.deepEqual(
      files.filter((what) => !what.startsWith("folder")),
      [],
    );
  });

  it("is stored in the repository as it was published", async () => {
    const repository = repositoryOf(path.join(dataDir, "git"), skillId);
    await waitForTags(repository, ["v1.0.0", "v2.0.0"]);
    assertSound(repository);
    for (const [tag, tree] of [
      ["v1.0.0", kit],
      ["v2.0.0", second],
    ] as const) {
      const clone = path.join(work, `clone-${tag}`);
      git(work, "clone", "--quiet", "--branch", tag, repository, clone);
      removeFolder(path.join(clone, ".git"));
      assertTree(clone, tree);
    }
    const modes = git(repository, "ls-tree", "-r", "v1.0.0").trim().split("\n");
    assert.deepEqual(
      modes.filter((line) => line.startsWith("100755")).map((line) => line.split("\t")[1]),
      ["scripts/run.sh"],
    );
    assert.deepEqual(gitBytes(repository, "show", "v2.0.0:images/logo.png"), picture);
  });

  it("is rejected with the rule that it violates", async () => {
    mkdirSync(path.join(work, "bare"));
    writeFileSync(path.join(work, "bare", "readme.txt"), "no skill\n");
    const bare = await svc.failure(["publish", "bare"]);
    assert.equal(bare.code, "E_PACK_FAILED");
    writeTree(path.join(work, "many"), {
      "SKILL.md": skillFile("many"),
      ...Object.fromEntries(
        Array.from({ length: 500 }, (_, at) => [`files/${at}.txt`, { bytes: bytes(`${at}`) }]),
      ),
    });
    assert.equal((await svc.failure(["publish", "many"])).code, "E_PACK_FAILED");
    assert.equal((await svc.failure(["install", "many", "-t", "claude", "-g"])).code, "E_NOT_FOUND");
  });
});

describe("a large package", () => {
  it("may have 500 files", async () => {
    const tree: FileTree = { "SKILL.md": skillFile("five-hundred") };
    for (let at = 1; at < 500; at++)
      tree[`group-${at % 7}/part-${at % 31}/file-${at}`] = {
        bytes: bytes(`${at}\n`.repeat(at % 50)),
        executable: at % 10 === 0,
      };
    writeTree(path.join(work, "five-hundred"), tree);

    const done = await publish("five-hundred");
    assert.equal(done.fileCount, 500);
    await install("five-hundred", "-p", project);

    for (const place of places(project, "five-hundred")) assertTree(place, tree);
  });

  it("may have close to 100 MB of incompressible data", async (context) => {
    const tree: FileTree = {
      "SKILL.md": skillFile("heavy"),
      "data/first.bin": { bytes: randomBytes(60 * MiB) },
      "data/second.bin": { bytes: randomBytes(39 * MiB) },
    };
    writeTree(path.join(work, "heavy"), tree);
    const residentBefore = residentMiB("VmRSS");

    let startedAt = performance.now();
    const since = () => `${Math.round(performance.now() - startedAt)} ms`;
    const { skill } = await publish("heavy");
    context.diagnostic(`99 MiB published in ${since()}`);
    startedAt = performance.now();
    await install("heavy", "-p", project);
    context.diagnostic(`and installed into three tools in ${since()}`);
    const rise = residentMiB("VmHWM") - residentBefore;
    context.diagnostic(`the server's memory rose by ${rise} MiB at most`);
    // The benchmark checks the target of 200 MB; this only detects a whole package in memory twice.
    assert.ok(rise < 350, `the server's memory rose by ${rise} MiB`);

    for (const place of places(project, "heavy")) assertTree(place, tree);
    const file = await fetch(`${server.url}/api/skills/${skill.publicId}/files/data/first.bin`, {
      headers: { authorization: `Bearer ${account.token}` },
    });
    const hash = createHash("sha256");
    for await (const chunk of file.body!) hash.update(chunk);
    const wanted = createHash("sha256").update(tree["data/first.bin"]!.bytes).digest("hex");
    assert.equal(hash.digest("hex"), wanted);
  });
});
