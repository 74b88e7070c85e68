/** Files that several records refer to: each stays as long as one of them needs it. */
import assert from "node:assert/strict";
import { existsSync, lstatSync, readFileSync, symlinkSync } from "node:fs";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, it } from "node:test";
import type { Config } from "../../cli/state/config.ts";
import { snapshot } from "../support/file-tree.ts";
import { type Fixture, dataOf, kit, makeFixture } from "./fixture.ts";

interface Installed {
  installed: { platform: string; path: string }[];
  skipped: { platform: string; reason: string }[];
  warnings: string[];
}

const recordsOf = async (made: Fixture, profile = "default") =>
  Object.values((await made.config()).profiles[profile]!.installed).flatMap((skill) => skill.installs);

/** Removes one record, as if an uninstall had crashed after it. */
async function forget(made: Fixture, platform: string): Promise<void> {
  const config: Config = await made.config();
  for (const skill of Object.values(config.profiles["default"]!.installed))
    skill.installs = skill.installs.filter((record) => record.platform !== platform);
  await writeFile(join(made.home, ".svc/config.json"), JSON.stringify(config));
}

describe("an AGENTS.md that codex and opencode read", () => {
  it("contains one block for both, and none after it is uninstalled", async (t) => {
    const made = await makeFixture(t);
    const agents = () => made.read(made.project, "AGENTS.md");
    await made.run("install", "house", "-t", "codex", "-p");
    const once = await agents();

    const both = dataOf<Installed>(await made.run("install", "house", "-t", "opencode", "-p"));
    assert.equal(both.installed[0]!.path, join(made.project, "AGENTS.md"));
    assert.equal(await agents(), once);
    assert.equal(once.match(/svc:start/g)!.length, 1);

    const done = dataOf<{ removed: unknown[] }>(await made.run("uninstall", "house"));
    assert.equal(done.removed.length, 2);
    assert.deepEqual(snapshot(made.project), {});
  });

  it("keeps the block for the tool that still needs it, and is removed with the last", async (t) => {
    for (const first of ["codex", "opencode"]) {
      const made = await makeFixture(t);
      await made.run("install", "house", "-t", "codex,opencode", "-p");
      await forget(made, first);
      assert.match(await made.read(made.project, "AGENTS.md"), /svc:start:house/);

      await made.run("uninstall", "house");

      assert.deepEqual(snapshot(made.project), {}, `without ${first}`);
    }
  });

  it("is kept for codex when a text that opencode had as a rule becomes a skill", async (t) => {
    const made = await makeFixture(t);
    await made.run("install", "house", "-t", "codex,opencode,claude", "-p");
    made.skills[1]!.type = "skill";
    made.skills[1]!.versions.push({ semver: "2.0.0", body: "now a skill\n" });

    const pulled = dataOf<{ skills: { outcome: string }[] }>(await made.run("pull"));

    assert.equal(pulled.skills[0]!.outcome, "updated");
    assert.match(await made.read(made.project, "AGENTS.md"), /now a skill/);
    assert.match(await made.read(made.project, ".opencode/skills/house/SKILL.md"), /now a skill/);
    assert.match(await made.read(made.project, ".claude/skills/house/SKILL.md"), /now a skill/);
    assert.ok(!existsSync(join(made.project, ".claude/rules")));
    await made.run("uninstall", "house");
    assert.deepEqual(snapshot(made.project), {});
  });

  it("is not overwritten by the second tool if it was edited after the first", async (t) => {
    const made = await makeFixture(t);
    await made.run("install", "house", "-t", "codex", "-p");
    const file = join(made.project, "AGENTS.md");
    await writeFile(file, readFileSync(file, "utf8").replace("rule", "my rule"));

    const { error } = await made.run("install", "house", "-t", "opencode", "-p");

    assert.match(JSON.stringify(error.details), /was edited after svc installed it/);
    assert.match(readFileSync(file, "utf8"), /my rule/);
  });
});

describe("a skill in two profiles", () => {
  async function inBoth(t: TestContext): Promise<Fixture> {
    const made = await makeFixture(t);
    await made.run("profile", "create", "work");
    for (const slug of ["review", "kit"])
      for (const profile of ["default", "work"])
        dataOf<Installed>(
          await made.run("install", slug, "-t", "claude,cursor,codex", "-g", "--profile", profile),
        );
    return made;
  }

  it("is installed once, until neither has it any more", async (t) => {
    const made = await inBoth(t);
    const before = snapshot(made.home, [".svc"]);

    for (const slug of ["review", "kit"]) await made.run("uninstall", slug, "--purge");
    assert.deepEqual(snapshot(made.home, [".svc"]), before);
    assert.deepEqual(dataOf<{ summary: object }>(await made.run("pull", "--profile", "work")).summary, {
      updated: 0,
      upToDate: 2,
      failed: 0,
    });

    for (const slug of ["review", "kit"]) await made.run("uninstall", slug, "--purge", "--profile", "work");
    assert.deepEqual(snapshot(made.home, [".svc"]), {});
    assert.deepEqual(snapshot(join(made.home, ".svc/cache")), {});
  });

  it("does not count as edited in one when the other has updated it", async (t) => {
    const made = await inBoth(t);
    made.skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
    made.skills[2]!.versions.push({ semver: "1.1.0", files: kit("two") });

    const pull = async (profile: string) =>
      dataOf<{ skills: { outcome: string; warnings: string[] }[] }>(
        await made.run("pull", "--profile", profile),
      );
    const [first, second] = [await pull("default"), await pull("work")];

    for (const [expected, { skills }] of [
      ["updated", first],
      ["upToDate", second],
    ] as const)
      assert.deepEqual(
        skills.map(({ outcome, warnings }) => [outcome, warnings.length]),
        [
          [expected, 0],
          [expected, 0],
        ],
      );
    assert.equal((await recordsOf(made, "work")).length, 6);
  });

  it("keeps edits, whichever profile updates", async (t) => {
    const made = await inBoth(t);
    const file = join(made.home, ".cursor/skills/review/SKILL.md");
    await writeFile(file, "mine");
    made.skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
    const pull = (profile: string) => made.run("pull", "review", "--profile", profile);
    assert.equal((await pull("work")).code, 1);
    const second = dataOf<{ skills: { outcome: string; warnings: string[] }[] }>(await pull("default"));
    assert.match(second.skills[0]!.warnings.join(), /was edited/);
    assert.equal(readFileSync(file, "utf8"), "mine");
  });

  it("of another organization is installed to a path of its own", async (t) => {
    const made = await makeFixture(t);
    await made.run("profile", "create", "work");
    await made.run("install", "review", "-t", "cursor", "-g");
    made.skills[0]!.publicId = "zzzzzzzzzz";

    const other = dataOf<Installed>(
      await made.run("install", "review", "-t", "cursor", "-g", "--profile", "work"),
    );

    assert.equal(other.installed[0]!.path, join(made.home, ".cursor/skills/acme-review"));
  });
});

describe("a folder that two tools read", () => {
  it("gets a skill once, and the second tool's result refers to it", async (t) => {
    const made = await makeFixture(t);
    await mkdir(join(made.project, ".agents/skills"), { recursive: true });
    await mkdir(join(made.project, ".claude"));
    symlinkSync("../.agents/skills", join(made.project, ".claude/skills"));
    const before = snapshot(made.project);
    const assertReason = (reason: string) =>
      assert.match(reason, /is the same place as .*\.agents\/skills\/kit, where codex/);

    const together = dataOf<Installed>(await made.run("install", "kit", "-t", "codex,claude", "-p"));
    assertReason(together.skipped[0]!.reason);
    const later = await made.run("install", "kit", "-t", "claude", "-p");
    assertReason((later.error.details!["skipped"] as Installed["skipped"])[0]!.reason);
    assert.ok(lstatSync(join(made.project, ".agents/skills/kit")).isDirectory());

    await made.run("uninstall", "kit");
    assert.deepEqual(snapshot(made.project), before);
  });

  it("is one project under two names", async (t) => {
    const made = await makeFixture(t);
    const other = join(made.home, "link");
    await symlink(made.project, other);
    await made.run("install", "review", "-t", "codex,cursor", "-p");

    const again = dataOf<Installed>(await made.run("install", "review", "-t", "codex,cursor", "-p", other));

    assert.deepEqual(
      again.installed.map(({ path }) => path),
      [join(made.project, "AGENTS.md"), join(made.project, ".cursor/rules/review.mdc")],
    );
    assert.equal((await recordsOf(made)).length, 2);
  });
});

describe("folders that svc created", () => {
  it("are removed with their last skill, and kept if they contain anything else", async (t) => {
    const made = await makeFixture(t);
    for (const slug of ["review", "house"]) await made.run("install", slug, "-t", "windsurf,copilot", "-p");
    await writeFile(join(made.project, ".windsurf/mine.txt"), "mine");

    await made.run("uninstall", "review");
    assert.ok(existsSync(join(made.project, ".windsurf/rules/house.md")));
    await made.run("uninstall", "house");

    assert.deepEqual(Object.keys(snapshot(made.project)), [".windsurf/", ".windsurf/mine.txt"]);
  });
});

describe("a version with another path", () => {
  it("does not overwrite existing files there", async (t) => {
    const made = await makeFixture(t);
    await made.run("install", "kit", "-t", "cursor,windsurf", "-p");
    const mine = join(made.project, ".cursor/skills/kit-two");
    await mkdir(mine);
    await writeFile(join(mine, "SKILL.md"), "mine");
    const files = { "SKILL.md": { data: "---\nname: kit-two\ndescription: d\n---\nrenamed" } };
    made.skills[2]!.versions.push({ semver: "2.0.0", files });

    const pulled = dataOf<{ skills: { outcome: string }[] }>(await made.run("pull"));

    assert.equal(pulled.skills[0]!.outcome, "updated");
    assert.equal(readFileSync(join(mine, "SKILL.md"), "utf8"), "mine");
    assert.match(await made.read(made.project, ".cursor/skills/kit/SKILL.md"), /renamed/);
  });

  it("keeps the old path if the new one is taken, and retries", async (t) => {
    const made = await makeFixture(t);
    await made.run("install", "kit", "-t", "cursor", "-p");
    await made.run("install", "kit", "-t", "claude", "-g");
    const rule = join(made.project, ".cursor/rules/kit.mdc");
    await mkdir(join(made.project, ".cursor/rules"));
    await writeFile(rule, "mine");
    made.skills[2]!.versions.push({ semver: "2.0.0", body: "a text now\n" });
    const outcome = async () =>
      ((await made.run("pull", "-p")).data as { skills: { outcome: string }[] }).skills[0]!.outcome;

    assert.equal(await outcome(), "failed");
    assert.equal(readFileSync(rule, "utf8"), "mine");
    assert.match(await made.read(made.project, ".cursor/skills/kit/SKILL.md"), /one/);
    assert.equal(await outcome(), "failed");

    await rm(rule);
    assert.equal(await outcome(), "updated");
    assert.match(readFileSync(rule, "utf8"), /a text now/);
    assert.ok(!existsSync(join(made.project, ".cursor/skills")));
  });
});
