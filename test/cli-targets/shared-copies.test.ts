import assert from "node:assert/strict";
import { existsSync, lstatSync } from "node:fs";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { targets } from "../../contract/vocabulary.ts";
import { type Fixture, dataOf, kit, makeFixture } from "../cli/fixture.ts";
import { snapshot } from "../support/file-tree.ts";

interface Installed {
  installed: { platform: string; method: string; path: string; shared?: true }[];
  skipped: { platform: string; reason: string }[];
  warnings: string[];
}

const readers = ["cursor", "codex", "windsurf", "cline", "copilot", "opencode"];
const folder = ".agents/skills";
const shared = ({ installed }: Installed) =>
  installed.flatMap((one) => (one.shared === true ? [one.platform] : []));
const install = async (made: Fixture, ...argv: string[]) =>
  dataOf<Installed>(await made.run("install", ...argv));

describe("svc install --shared", () => {
  for (const scope of ["-g", "-p"] as const)
    it(`has one copy for the tools that read it, recorded for each, and removed with the last (${scope})`, async (t) => {
      const made = await makeFixture(t);
      const root = scope === "-g" ? made.home : made.project;
      const before = snapshot(root, [".svc"]);

      for (const [slug, file] of [
        ["review", "SKILL.md"],
        ["kit", "assets/ü.txt"],
      ] as const) {
        const done = await install(made, slug, "-t", targets.join(","), scope, "--shared");
        assert.deepEqual(shared(done), readers);
        const paths = done.installed.flatMap((one) => (one.shared === true ? [one.path] : []));
        assert.deepEqual(new Set(paths), new Set([join(root, folder, slug)]));
        assert.ok(lstatSync(join(root, folder, slug)).isDirectory());
        assert.match(await made.read(root, folder, slug, file), /one/);
        assert.equal((await made.run("verify", ...(scope === "-g" ? ["-g"] : []))).code, 0);
      }
      const rule = await install(made, "house", "-t", "cursor,claude", "-p", "--shared");
      assert.deepEqual(shared(rule), [], "a rule is not loaded from there");

      made.skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
      made.skills[2]!.versions.push({ semver: "1.1.0", files: kit("two") });
      const { skills } = dataOf<{ skills: { slug: string; outdated: boolean }[] }>(
        await made.run("outdated"),
      );
      const behind = skills.filter((one) => one.outdated).map(({ slug }) => slug);
      assert.deepEqual(behind.toSorted(), ["kit", "review"]);
      assert.equal((await made.run("pull")).code, 0);
      assert.match(await made.read(root, folder, "review/SKILL.md"), /two/);
      assert.equal(await made.read(root, folder, "kit/assets/ü.txt"), "two");

      for (const slug of ["review", "kit", "house"])
        assert.equal((await made.run("uninstall", slug)).code, 0);
      assert.deepEqual(snapshot(root, [".svc"]), before);
    });

  it("moves a skill into the shared folder and back, also one of Codex that is a link", async (t) => {
    const made = await makeFixture(t);
    const own = [".cursor/skills/kit", ".cline/skills/kit"].map((path) => join(made.project, path));
    const common = join(made.project, folder, "kit");
    await install(made, "kit", "-t", "cursor,cline", "-p");
    await install(made, "kit", "-t", "codex", "-p", "--symlink");
    assert.ok(lstatSync(common).isSymbolicLink());

    const done = await install(made, "kit", "-t", "cursor", "-p", "--shared");

    assert.deepEqual(shared(done), ["cursor"]);
    assert.deepEqual(own.map(existsSync), [false, false], "the other targets of the project follow");
    assert.ok(lstatSync(common).isDirectory());
    const { profiles } = await made.config();
    const records = profiles["default"]!.installed["kit"]!.installs;
    assert.deepEqual(
      records.map(({ platform, path, method, shared: isShared }) => [platform, path, method, isShared]),
      ["cursor", "codex", "cline"].map((name) => [name, common, "copy", true]),
    );

    const again = await install(made, "kit", "-t", "windsurf", "-p");
    assert.deepEqual(shared(again), ["windsurf"], "later installs keep the choice");

    const back = await install(made, "kit", "-t", "cursor,cline", "-p", "--no-shared");
    assert.deepEqual(shared(back), []);
    assert.deepEqual(own.map(existsSync), [true, true]);
    assert.ok(lstatSync(common).isDirectory(), "codex has it there");
    assert.equal((await made.run("uninstall", "kit")).code, 0);
    assert.deepEqual(await readdir(made.project), []);
  });

  it("leaves an edited copy, and a folder that svc did not create", async (t) => {
    const made = await makeFixture(t);
    await install(made, "kit", "-t", "cursor,codex", "-p", "--shared");
    const file = join(made.project, folder, "kit/SKILL.md");
    await writeFile(file, "mine");
    made.skills[2]!.versions.push({ semver: "1.1.0", files: kit("two") });

    assert.equal((await made.run("pull")).code, 1);
    assert.equal(await readFile(file, "utf8"), "mine");
    const more = await made.run("install", "kit", "-t", "cline", "-p");
    assert.equal(more.error.code, "E_NO_TARGETS");
    assert.equal((await made.run("pull", "--force")).code, 0);
    assert.match(await readFile(file, "utf8"), /two/);

    await mkdir(join(made.project, folder, "review"));
    const foreign = await made.run("install", "review", "-t", "cursor", "-p", "--shared");
    assert.match(JSON.stringify(foreign.error.details), /already exists and was not created by svc/);
  });
});

describe("svc.json", () => {
  it("records the shared folder, and a restore on another machine has it as well", async (t) => {
    const made = await makeFixture(t);
    const other = await makeFixture(t);
    other.skills.splice(0, 3, ...made.skills);
    await install(made, "kit", "-t", "codex,cursor", "-p", "--save", "--shared");
    await install(made, "house", "-t", "codex", "-p");
    assert.deepEqual(JSON.parse(await made.read(made.project, "svc.json")), {
      targets: ["cursor", "codex"],
      shared: true,
      skills: { "acme/house": { version: "latest", targets: ["codex"] }, "acme/kit": "latest" },
    });
    assert.equal((await made.run("verify")).code, 0);

    for (const file of ["svc.json", "svc.lock"])
      await writeFile(join(other.project, file), await made.read(made.project, file));
    assert.equal((await other.run("restore")).code, 0);
    assert.deepEqual(await readdir(join(other.project, folder)), ["kit"]);
    assert.equal(existsSync(join(other.project, ".cursor")), false);
    assert.equal((await other.run("verify")).code, 0);
    const again = dataOf<{ summary: { upToDate: number } }>(await other.run("restore"));
    assert.equal(again.summary.upToDate, 2);

    await install(made, "review", "-t", "cursor", "-p");
    assert.equal(
      existsSync(join(made.project, folder, "review/SKILL.md")),
      true,
      "the default of the project",
    );
    await install(made, "kit", "-t", "cursor,codex", "-p", "--no-shared");
    const { skills } = JSON.parse(await made.read(made.project, "svc.json")) as {
      skills: Record<string, unknown>;
    };
    assert.deepEqual(skills["acme/kit"], { version: "latest", shared: false });

    for (const file of ["svc.json", "svc.lock"])
      await writeFile(join(other.project, file), await made.read(made.project, file));
    const drift = await other.run("verify");
    assert.match(drift.stdout, /acme\/kit is in another folder for cursor than svc.lock has: svc restore/);
    assert.equal((await other.run("restore")).code, 0);
    assert.ok(existsSync(join(other.project, ".cursor/skills/kit/SKILL.md")));
    assert.equal((await other.run("verify")).code, 0);
  });

  it("differs from its lock after an edit by hand, and names the command that applies it", async (t) => {
    const made = await makeFixture(t);
    await install(made, "kit", "-t", "cursor,codex", "-p", "--save");
    const path = join(made.project, "svc.json");
    const manifest = JSON.parse(await readFile(path, "utf8")) as object;
    await writeFile(path, JSON.stringify({ ...manifest, shared: true, also: ["cline-skills"] }));

    const refused = await made.run("restore");

    assert.equal(refused.error.code, "E_VERSION_CHANGED");
    const fix = "svc install acme/kit -p -t cursor,codex --shared --also cline-skills";
    assert.equal(refused.error.details!["fix"], fix);
    await writeFile(path, JSON.stringify({ ...manifest, shared: true }));
    assert.equal((await made.run("install", "acme/kit", "-p", "-t", "cursor,codex")).code, 0);
    assert.equal((await made.run("restore")).code, 0);
    assert.equal(existsSync(join(made.project, ".cursor")), false);
    await rm(join(made.project, folder), { recursive: true });
    assert.equal((await made.run("restore")).code, 0);
    assert.ok(existsSync(join(made.project, folder, "kit/SKILL.md")));
  });

  for (const [field, value] of [
    ["shared", "yes"],
    ["also", ["nowhere"]],
  ] as const)
    it(`is refused if its "${field}" has no meaning`, async (t) => {
      const made = await makeFixture(t);
      await writeFile(join(made.project, "svc.json"), JSON.stringify({ [field]: value, skills: {} }));
      const done = await made.run("install", "kit", "-t", "cursor", "-p");
      assert.equal(done.error.code, "E_INVALID_ARGUMENT");
      assert.match(done.error.message, new RegExp(`has "${field}" that`));
    });
});
