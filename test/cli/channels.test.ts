/** `svc channel`, and pins to channels, against the real service. */
import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { newOrganization, setUpService } from "../support/set-up.ts";
import { newVersionedSkill } from "../support/versioned-skill.ts";
import { dataOf } from "./fixture.ts";
import { svc, temporaryFolder } from "./harness.ts";

const { service } = await setUpService();

/** A signed-in user with a skill of the versions 1.0.0, 1.0.1 and 1.1.0, and an empty project. */
async function setUp(t: TestContext) {
  const { owner: user, org } = await newOrganization(service);
  const home = await temporaryFolder(t);
  const project = join(home, "project");
  await mkdir(project);
  const skill = await newVersionedSkill({ service, user, org, name: "Code review" });
  await skill.push();
  await skill.push({ bump: "minor" });
  const env = { SVC_API_URL: service.url, SVC_TOKEN: user.token };
  return {
    skill,
    project,
    json: (...argv: string[]) => svc([...argv, "-o", "json"], { home, env, cwd: project }),
    text: (...argv: string[]) => svc(argv, { home, env, cwd: project }),
  };
}

interface Set {
  version: { semver: string };
  previous: { semver: string } | null;
  changed: boolean;
}

describe("svc channel", () => {
  it("creates, moves, lists and deletes channels", async (t) => {
    const { json, text } = await setUp(t);

    const created = dataOf<Set>(await json("channel", "set", "code-review", "stable", "1.0.0"));
    const moved = dataOf<Set>(await json("channel", "set", "code-review", "stable", "2"));
    const same = dataOf<Set>(await json("channel", "set", "code-review", "stable", "1.0.1"));

    assert.deepEqual([created.version.semver, created.previous, created.changed], ["1.0.0", null, true]);
    assert.deepEqual([moved.version.semver, moved.previous?.semver, moved.changed], ["1.0.1", "1.0.0", true]);
    assert.equal(same.changed, false);
    assert.match(
      (await text("channel", "set", "code-review", "beta", "latest")).stdout,
      /code-review@beta is now 1\.1\.0\./,
    );
    const { channels } = dataOf<{ channels: { name: string; semver: string }[] }>(
      await json("channel", "list", "code-review"),
    );
    assert.deepEqual(
      channels.map(({ name, semver }) => [name, semver]),
      [
        ["beta", "1.1.0"],
        ["stable", "1.0.1"],
      ],
    );
    assert.match((await text("channel", "list", "code-review")).stdout, /beta +1\.1\.0 .*\nstable +1\.0\.1 /);
    assert.match((await text("info", "code-review")).stdout, /Channels: +beta 1\.1\.0, stable 1\.0\.1/);
    assert.match((await text("versions", "code-review")).stdout, /1\.1\.0 \(current, beta\)/);
    assert.match((await text("versions", "code-review", "--spec", "stable")).stdout, /1\.0\.1 \(stable\)/);
    const planned = dataOf<{ dryRun: true; reach: { semver: string } }>(
      await json("channel", "delete", "code-review", "beta", "--dry-run"),
    );
    assert.deepEqual([planned.dryRun, planned.reach.semver], [true, "1.1.0"]);
    assert.match(
      (await text("channel", "delete", "code-review", "beta", "--dry-run")).stdout,
      /^Would delete the channel beta of \S+\. [^]*Nothing was changed\.$/m,
    );
    const deleted = dataOf<{ deleted: boolean }>(await json("channel", "delete", "code-review", "beta"));
    assert.equal(deleted.deleted, true);
  });

  it("refuses names and versions that can't be used, before anything is sent where it can", async (t) => {
    const { json, skill } = await setUp(t);

    for (const [argv, flag] of [
      [["set", "code-review", "v2", "1.0.0"], "<channel>"],
      [["set", "code-review", "Stable", "1.0.0"], "<channel>"],
      [["set", "code-review", "stable", "!"], "<version>"],
      [["delete", "code-review", "latest"], "<channel>"],
      [["set", "code-review@1.0.0", "stable", "1.0.0"], "<skill>"],
    ] as const) {
      const { error } = await json("channel", ...argv);
      assert.deepEqual([error.code, error.details?.["flag"]], ["E_INVALID_ARGUMENT", flag], argv.join(" "));
    }
    const missing = await json("channel", "delete", "code-review", "stable");
    assert.equal(missing.error.code, "E_NOT_FOUND");
    dataOf(await json("yank", "code-review@1.0.0", "--reason", "Old"));
    const yanked = await json("channel", "set", "code-review", "stable", "1.0.0");
    assert.equal(yanked.error.code, "E_API");
    assert.match(yanked.error.message, /1\.0\.0 is yanked, so no channel can point to it/);
    assert.equal(await skill.pin("stable"), "not_found");
  });
});

describe("a pin to a channel", () => {
  it("is stored, and pull follows where the channel is moved, also downwards", async (t) => {
    const { json, project } = await setUp(t);
    await json("channel", "set", "code-review", "stable", "1.0.1");
    const semverOf = async () =>
      JSON.parse(await readFile(join(project, "svc.lock"), "utf8")) as { skills: Record<string, object> };

    const installed = dataOf<{ semver: string; requestedRange: string }>(
      await json("install", "code-review@stable", "-t", "claude", "-p", "--save"),
    );
    await json("channel", "set", "code-review", "stable", "1.1.0");
    const behind = dataOf<{ skills: { pin: string; wanted: { semver: string } }[] }>(await json("outdated"));
    dataOf(await json("pull"));

    assert.deepEqual([installed.semver, installed.requestedRange], ["1.0.1", "stable"]);
    assert.deepEqual([behind.skills[0]?.pin, behind.skills[0]?.wanted.semver], ["stable", "1.1.0"]);
    assert.match(await readFile(join(project, "svc.json"), "utf8"), /"stable"/);
    assert.match(JSON.stringify(await semverOf()), /"requested":"stable".*"semver":"1\.1\.0"/);
    assert.equal((await json("verify")).code, 0);
    await json("channel", "set", "code-review", "stable", "1.0.0");
    dataOf(await json("pull"));
    assert.match(JSON.stringify(await semverOf()), /"semver":"1\.0\.0"/);
  });

  it("to a channel that does not exist names those that do, and keeps what is installed", async (t) => {
    const { json } = await setUp(t);
    await json("channel", "set", "code-review", "stable", "1.0.1");
    dataOf(await json("install", "code-review@stable", "-t", "claude", "-g"));

    const missing = await json("install", "code-review@stabel", "-t", "claude", "-g");

    assert.equal(missing.error.code, "E_NOT_FOUND");
    assert.match(missing.error.message, /has no channel stabel\. Its channels are stable\./);
    assert.deepEqual(missing.error.details?.["channels"], ["stable"]);
    await json("channel", "delete", "code-review", "stable");
    const pulled = await json("pull");
    assert.equal(pulled.code, 1);
    assert.match(pulled.stdout + pulled.stderr, /has no channel stable/);
    assert.match((await json("list", "--installed")).stdout, /"semver": ?"1\.0\.1"/);
  });

  it("prevents a yank, unless the channel is deleted with it", async (t) => {
    const { json, text } = await setUp(t);
    await json("channel", "set", "code-review", "stable", "1.0.1");

    const refused = await json("yank", "code-review@1.0.1", "--reason", "It deletes files");
    const forced = await text("yank", "code-review@1.0.1", "--reason", "It deletes files", "--force");

    assert.equal(refused.error.code, "E_API");
    assert.match(refused.error.message, /The channel stable of "code-review" points to 1\.0\.1/);
    assert.deepEqual(refused.error.details?.["channels"], ["stable"]);
    assert.match(forced.stdout, /is yanked\. Its channel stable is deleted\. Installs get 1\.1\.0\./);
  });
});
