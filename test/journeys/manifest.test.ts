/**
 * A project whose skills are managed like its dependencies: saved, committed, cloned by another person, restored,
 * verified and updated; with the built service and the built `svc`, two homes and a Git repository between two clones.
 */
import assert from "node:assert/strict";
import { readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { keepContract } from "../support/cli-contract.ts";
import { type Cli, openCli } from "../support/cli.ts";
import { sharedEngines } from "../support/engine.ts";
import { snapshot, writeTree } from "../support/file-tree.ts";
import { newAccount, newOrganization } from "../support/http-client.ts";
import { git } from "../support/native-git.ts";
import { assertNothingRuns, removeFolder, startServer, temporaryFolder } from "../support/server.ts";

const allTargets = "cursor,claude,codex,windsurf,cline,copilot,opencode,aider";
const bytes = (text: string) => Buffer.from(text);
const text = (body: string) => bytes(`---\nname: Review\ndescription: Reads diffs.\n---\n${body}\n`);

const folders: string[] = [];

/** A person at a machine of their own, with a clone of the project. */
interface Person {
  svc: Cli;
  clone: string;
}

const folder = (name: string) => {
  const made = realpathSync(temporaryFolder(name));
  folders.push(made);
  return made;
};

function newPerson(name: string): Person {
  const clone = path.join(folder(name), "app");
  git(work, "clone", "-q", hub, clone);
  git(clone, "config", "user.name", name);
  git(clone, "config", "user.email", `${name}@example.com`);
  const home = folder(`home-${name}`);
  return { clone, svc: openCli({ home, apiUrl: () => server.url, cwd: clone, isRepeatedInside: true }) };
}

function commit({ clone }: Person, message: string): void {
  git(clone, "add", "svc.json", "svc.lock");
  git(clone, "commit", "-q", "-m", message);
  git(clone, "push", "-q", "origin", "HEAD:main");
}

const read = ({ clone }: Person, name: string) => readFileSync(path.join(clone, name), "utf8");
const restore = async ({ svc }: Person, ...flags: string[]) =>
  keepContract("restore", await svc.json(["restore", ...flags]));
const verify = async ({ svc }: Person, ...flags: string[]) =>
  keepContract("verify", await svc.json(["verify", ...flags]));
const drift = async ({ svc }: Person, ...flags: string[]) =>
  keepContract("verify", await svc.partial(["verify", ...flags])).drift.map(({ kind }) => kind);

/** A killed process does not release the lock, and the next svc would wait until it is stale. */
const unlock = ({ svc }: Person) =>
  rmSync(path.join(svc.home, ".svc", "config.lock"), { recursive: true, force: true });

/** Everything that the tools read: links by their content, as their targets are in different homes. */
function installed({ clone, svc }: Person): Record<string, string> {
  const entries = Object.entries(snapshot(clone, [".git", "svc.json", "svc.lock"]));
  const contents = Object.entries(snapshot(path.join(svc.home, ".svc", "cache")));
  return Object.fromEntries([
    ...entries.map(([name, what]) => [name, what.replace(svc.home, "~")]),
    // The service may change what it reports about a skill without changing its versions.
    ...contents.flatMap(([name, what]) => (name.endsWith("/meta.json") ? [] : [[`cache/${name}`, what]])),
  ]);
}

async function publish(name: string, visibility: string): Promise<void> {
  const env = { SVC_TOKEN: account.token };
  await ada.svc.json(["publish", path.join(work, name), "--visibility", visibility], { env });
}

const dataDir = temporaryFolder("manifest");
folders.push(dataDir);
const server = await startServer({ dataDir, env: await sharedEngines() });
const account = await newAccount(server.url, "ada", server.setupLink);
await newOrganization(server.url, account, "acme");
const work = folder("work");
const hub = path.join(work, "hub.git");
git(work, "init", "-q", "--bare", "-b", "main", hub);
const ada = newPerson("ada");
writeFileSync(path.join(ada.clone, "README.md"), "# App\n");
git(ada.clone, "add", "README.md");
git(ada.clone, "commit", "-q", "-m", "Begin");
git(ada.clone, "push", "-q", "origin", "HEAD:main");
const ben = newPerson("ben");
writeTree(work, {
  "review.md": { bytes: text("Read the **diff**.") },
  "kit/SKILL.md": { bytes: bytes("---\nname: kit\ndescription: A kit.\n---\n# Kit\n") },
  "kit/run.sh": { bytes: bytes("#!/bin/sh\n"), executable: true },
});
await publish("review.md", "public");
await publish("kit", "public");

after(async () => {
  await server.stop();
  await assertNothingRuns(server.dataDir);
  for (const each of folders) removeFolder(each);
});

describe("a project with a manifest", () => {
  it("is started with --save and contains what its tools read from then on", async () => {
    await ada.svc.json(["install", "acme/review@^1", "-t", allTargets, "-p", "--save", "--trust", "acme"]);
    const kit = keepContract("install", await ada.svc.json(["install", "acme/kit", "-t", allTargets, "-p"]));
    assert.deepEqual(
      kit.skipped.map(({ platform }) => platform),
      ["aider"],
    );

    const manifest = JSON.parse(read(ada, "svc.json")) as {
      skills: Record<string, unknown>;
      targets: string[];
    };
    assert.equal(manifest.targets.length, 8);
    assert.equal(manifest.skills["acme/review"], "^1");
    assert.deepEqual(Object.keys(manifest.skills), ["acme/kit", "acme/review"]);
    assert.equal((await verify(ada)).checked.places, 15);
    commit(ada, "Add skills");
  });

  it("is restored byte for byte by a fresh clone in another home, without a login", async () => {
    git(ben.clone, "pull", "-q", "origin", "main");
    assert.ok((await drift(ben)).every((kind) => kind === "notInstalled"));

    const done = await restore(ben);

    assert.deepEqual(done.summary, { restored: 2, upToDate: 0, failed: 0 });
    assert.deepEqual(installed(ben), installed(ada));
    assert.deepEqual((await verify(ben)).drift, []);
    assert.deepEqual((await verify(ben, "-g")).drift, []);
    assert.deepEqual((await restore(ben)).summary, { restored: 0, upToDate: 2, failed: 0 });
  });

  it("reports an edit, and repairs it on request", async () => {
    const file = path.join(ben.clone, ".cursor/skills/kit/run.sh");
    writeFileSync(file, "#!/bin/sh\necho mine\n");

    assert.deepEqual(await drift(ben), ["edited"]);
    const people = await ben.svc.run(["verify"]);
    assert.deepEqual([people.code, people.stderr], [1, ""]);
    assert.match(people.stdout, /^edited {2}kit {2}.*\.cursor\/skills\/kit is not as svc left it$/m);
    const spared = keepContract("restore", await ben.svc.partial(["restore"]));
    assert.deepEqual(
      spared.skills.map(({ outcome }) => outcome),
      ["partial", "upToDate"],
    );

    await restore(ben, "--force");
    assert.deepEqual(installed(ben), installed(ada));
  });

  it("is updated by pull in one clone, and by restore in the other", async () => {
    writeTree(work, { "review.md": { bytes: text("Read **all** of it.") } });
    await publish("review.md", "public");
    const old = read(ben, "svc.lock");
    assert.deepEqual((await restore(ben)).summary, { restored: 0, upToDate: 2, failed: 0 });

    await ben.svc.json(["pull", "review", "--latest"]);

    assert.notEqual(read(ben, "svc.lock"), old);
    assert.match(read(ben, "svc.json"), /"acme\/review": "latest"/);
    assert.deepEqual((await verify(ben)).drift, []);
    const changed = git(ben.clone, "diff", "--stat");
    assert.match(changed, /svc\.json[^]*svc\.lock/);
    commit(ben, "Update review");

    git(ada.clone, "pull", "-q", "origin", "main");
    assert.deepEqual(await drift(ada), ["version"]);
    const done = await restore(ada);
    assert.deepEqual(
      done.skills.map(({ skill, outcome }) => [skill, outcome]),
      [
        ["acme/kit", "upToDate"],
        ["acme/review", "updated"],
      ],
    );
    assert.deepEqual(installed(ada), installed(ben));
    assert.deepEqual((await verify(ada)).drift, []);
  });

  it("fails with --frozen if the manifest is newer than the lock", async () => {
    const manifest = read(ada, "svc.json");
    writeFileSync(
      path.join(ada.clone, "svc.json"),
      manifest.replace('"acme/review": "latest"', '"acme/review": "^2"'),
    );

    const error = await ada.svc.failure(["restore"]);

    assert.equal(error.code, "E_VERSION_CHANGED");
    assert.match(error.message, /svc install acme\/review@\^2 -p -t /);
    assert.deepEqual(await drift(ada), ["manifest"]);
    writeFileSync(path.join(ada.clone, "svc.json"), manifest);
  });

  it("merges the changes of two people who add and update different skills", async () => {
    writeTree(work, { "a.md": { bytes: text("A.") }, "z.md": { bytes: text("Z.") } });
    for (const [name, person] of [
      ["a", ada],
      ["z", ben],
    ] as const) {
      const file = path.join(work, `${name}.md`);
      const env = { SVC_TOKEN: account.token };
      await ada.svc.json(["publish", file, "-n", name, "--visibility", "public"], { env });
      await person.svc.json(["install", `acme/${name}`, "-t", allTargets, "-p", "--trust", "acme"]);
    }
    commit(ada, "Add a");
    git(ben.clone, "add", "svc.json", "svc.lock");
    git(ben.clone, "commit", "-q", "-m", "Add z");
    git(ben.clone, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main");

    assert.equal((await restore(ben)).summary.restored, 1);
    assert.deepEqual((await verify(ben)).drift, []);
    git(ben.clone, "push", "-q", "origin", "HEAD:main");
    git(ada.clone, "pull", "-q", "origin", "main");
    await restore(ada);
    // Sections are in the order in which they were added.
    const isShared = (name: string) => name === "AGENTS.md" || name.endsWith("copilot-instructions.md");
    const own = (tree: Record<string, string>) =>
      Object.fromEntries(Object.entries(tree).filter(([name]) => !isShared(name)));
    assert.deepEqual(own(installed(ada)), own(installed(ben)));
    assert.deepEqual((await verify(ada)).drift, []);
  });

  it("requires a login for private skills, and reports that", async () => {
    writeTree(work, { "secret.md": { bytes: text("Secret.") } });
    const env = { SVC_TOKEN: account.token };
    await ada.svc.json(["publish", path.join(work, "secret.md"), "-n", "secret"], { env });
    await ada.svc.json(["install", "acme/secret", "-t", "claude", "-p"], { env });
    for (const name of ["svc.json", "svc.lock"]) writeFileSync(path.join(ben.clone, name), read(ada, name));

    const error = await ben.svc.failure(["restore"]);
    assert.deepEqual([error.code, error.details?.ref], ["E_NOT_AUTHENTICATED", "acme/secret"]);
    assert.match(error.message, /log in or set SVC_TOKEN/);
    const done = keepContract("restore", await ben.svc.json(["restore"], { env }));
    assert.equal(done.summary.restored, 1);
  });

  it("loses nothing when several svc run concurrently", async () => {
    const env = { SVC_TOKEN: account.token };
    const names = Array.from({ length: 6 }, (_, i) => `many-${i}`);
    for (const name of names) {
      writeTree(work, { [`${name}.md`]: { bytes: text(name) } });
      await ada.svc.json(["publish", path.join(work, `${name}.md`), "-n", name, "--visibility", "public"], {
        env,
      });
    }

    await Promise.all(
      names.map((name) =>
        ada.svc.json(["install", `acme/${name}`, "-t", "codex,claude", "-p"], { asProcess: true }),
      ),
    );

    const lock = JSON.parse(read(ada, "svc.lock")) as { skills: object };
    const manifest = JSON.parse(read(ada, "svc.json")) as { skills: object };
    for (const name of names) {
      assert.ok(Object.hasOwn(lock.skills, `acme/${name}`), name);
      assert.ok(Object.hasOwn(manifest.skills, `acme/${name}`), name);
    }
    assert.deepEqual((await verify(ada)).drift, []);
    await Promise.all(names.map((name) => ada.svc.json(["uninstall", name], { asProcess: true })));
    const left = JSON.parse(read(ada, "svc.lock")) as { skills: object };
    assert.deepEqual(
      Object.keys(left.skills).filter((ref) => ref.includes("many")),
      [],
    );
  });

  it("is complete again after kills at any moment", async () => {
    const env = { SVC_TOKEN: account.token };
    const healthy = await ada.svc.run(["install", "acme/many-0", "-t", "codex,claude", "-p", "-o", "json"], {
      env,
      asProcess: true,
    });
    assert.equal(healthy.code, 0, healthy.stderr);
    await ada.svc.json(["uninstall", "many-0"]);
    for (let round = 0; round < 5; round++) {
      const started = ada.svc.start(["install", "acme/many-0", "-t", "codex,claude", "-p", "-o", "json"], {
        env,
      });
      await sleep((healthy.tookMs * (round + 3)) / 11);
      started.kill();
      await started.ended;
      unlock(ada);

      // Both files are complete after any failure, and problems are reported.
      JSON.parse(read(ada, "svc.json"));
      const state = await ada.svc.run(["verify", "-o", "json"]);
      assert.equal(state.stderr, "");
      const report = keepContract("verify", JSON.parse(state.stdout));
      assert.equal(state.code, report.ok ? 0 : 1);
      await ada.svc.json(["pull"], { env });
      await ada.svc.json(["install", "acme/many-0", "-t", "codex,claude", "-p"], { env });
      assert.deepEqual((await verify(ada)).drift, [], `round ${round}`);
      await ada.svc.json(["uninstall", "many-0"]);
    }

    rmSync(path.join(ben.svc.home, ".svc"), { recursive: true });
    for (const name of [".claude", ".cursor"]) rmSync(path.join(ben.clone, name), { recursive: true });
    for (let round = 0; round < 3; round++) {
      const started = ben.svc.start(["restore", "--force", "-o", "json"], { env });
      await sleep((healthy.tookMs * (round + 3)) / 9);
      started.kill();
      await started.ended;
      unlock(ben);
    }
    await ben.svc.run(["restore", "--force", "-o", "json"], { env });
    assert.deepEqual((await verify(ben)).drift, []);
  });
});
