/**
 * Links, edits and content that no install may change: those of other projects, of other profiles, and of previous
 * installs.
 */
import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { dataOf, kit, makeFixture } from "../cli/fixture.ts";
import { temporaryFolder } from "../cli/harness.ts";
import { snapshot } from "../support/file-tree.ts";

interface Uninstalled {
  removed: { path: string }[];
  failed: { path: string; error: string }[];
}

describe("a project in which a link to another project has replaced a folder", () => {
  it("does not make uninstall remove files there", async (t) => {
    const made = await makeFixture(t);
    const { project } = made;
    const other = await temporaryFolder(t);
    await writeFile(join(other, "svc.json"), "{}\n");
    await made.run("install", "review", "-t", "claude", "-p", "--copy");
    cpSync(join(project, ".claude"), join(other, ".claude"), { recursive: true });
    await writeFile(join(other, ".claude/skills/.svc-0123456789ab-new"), "");
    await rm(join(project, ".claude"), { recursive: true });
    symlinkSync(join(other, ".claude"), join(project, ".claude"));
    const before = snapshot(other);

    for (const more of [["--dry-run"], [], ["--force"], ["--everywhere", "--force"]]) {
      const ran = await made.run("uninstall", "review", ...more);
      const { removed, failed } = ran.data as Uninstalled;
      assert.deepEqual([ran.code, removed], [1, []], more.join());
      assert.match(failed[0]!.error, /leads out of the project/);
      assert.deepEqual(snapshot(other), before);
    }

    await rm(join(other, ".claude/skills/review"), { recursive: true });
    assert.equal(dataOf<Uninstalled>(await made.run("uninstall", "review")).removed.length, 1);
    assert.ok(existsSync(join(other, ".claude/skills")));
  });
});

describe("cached content", () => {
  it("stays while a link leads to it, also if the record has another version", async (t) => {
    const made = await makeFixture(t);
    await made.run("profile", "create", "work");
    for (const profile of ["default", "work"])
      await made.run("install", "kit", "-t", "claude", "-p", "--profile", profile);
    const config = await made.config();
    // As a run leaves it that could not write the link.
    const [record] = config.profiles["work"]!.installed["kit"]!.installs;
    Object.assign(record!, { version: 2, semver: "2.0.0", hash: "f".repeat(64) });
    await writeFile(join(made.home, ".svc/config.json"), JSON.stringify(config));

    dataOf(await made.run("uninstall", "kit", "-p", "--profile", "default"));

    assert.match(await made.read(made.project, ".claude/skills/kit/SKILL.md"), /one/);
  });

  it("is not overwritten if it has edits of a previous install", async (t) => {
    const made = await makeFixture(t);
    for (const where of ["-p", "-g"]) {
      const install = (...more: string[]) => made.run("install", "kit", "-t", "claude", where, ...more);
      dataOf(await install());
      const link = join(where === "-p" ? made.project : made.home, ".claude/skills/kit");
      const edited = join(readlinkSync(link), "SKILL.md");
      await writeFile(edited, "mine\n");
      dataOf(await made.run("uninstall", "kit", where));

      const refused = await install();
      assert.equal(refused.error.code, "E_ALREADY_EXISTS", where);
      assert.match(refused.error.message, /was edited .* use --force/);
      assert.equal(readFileSync(edited, "utf8"), "mine\n");
      assert.ok(!existsSync(link));
      dataOf(await install("--force"));
      assert.match(readFileSync(edited, "utf8"), /one/);
      dataOf(await made.run("uninstall", "kit", where, "--purge"));
    }
  });

  it("keeps what the links of another profile at the user level lead to", async (t) => {
    const made = await makeFixture(t);
    await made.run("profile", "create", "work");
    await made.run("install", "review", "-t", "claude", "-g", "--profile", "default");
    made.skills[0]!.versions.push({ semver: "2.0.0", body: "two\n" });

    dataOf(await made.run("install", "review", "-t", "opencode", "-g", "--symlink", "--profile", "work"));

    assert.match(await made.read(made.home, ".claude/skills/review/SKILL.md"), /one/);
    dataOf(await made.run("uninstall", "review", "--profile", "default"));
    dataOf(await made.run("pull", "--force", "--profile", "work"));
    dataOf(await made.run("uninstall", "review", "--purge", "--profile", "work"));
    assert.deepEqual(readdirSync(join(made.home, ".svc/cache")), []);
  });

  it("is repaired if its meta.json is damaged", async (t) => {
    const made = await makeFixture(t);
    made.skills[2]!.versions.push({ semver: "2.0.0", files: kit("two") });
    await made.run("install", "kit", "-t", "claude", "-p");
    const [version] = readdirSync(join(made.home, ".svc/cache/kit/versions"));
    const path = join(made.home, ".svc/cache/kit/versions", version!, "meta.json");
    const whole = JSON.parse(readFileSync(path, "utf8")) as object;
    for (const damage of [{ digests: null }, { digests: { pkg: 1 } }, { pending: 1 }, { pending: null }]) {
      await writeFile(path, JSON.stringify({ ...whole, ...damage }));
      const pulled = dataOf<{ skills: { outcome: string }[] }>(await made.run("pull"));
      assert.equal(pulled.skills[0]!.outcome, "repaired", JSON.stringify(damage));
      assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), whole);
    }
  });
});

describe("a config with an edited digest", () => {
  it("is damaged: digests are names of folders", async (t) => {
    const made = await makeFixture(t);
    await made.run("install", "kit", "-t", "claude", "-p");
    const config = await made.config();
    config.profiles["default"]!.installed["kit"]!.installs[0]!.hash = "/../../../../..";
    await writeFile(join(made.home, ".svc/config.json"), JSON.stringify(config));

    const refused = await made.run("uninstall", "kit");

    assert.match(refused.error.message, /is damaged/);
    assert.ok(existsSync(join(made.project, ".claude/skills/kit/SKILL.md")));
  });
});
