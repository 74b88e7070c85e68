import assert from "node:assert/strict";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Fixture, dataOf, makeFixture } from "../cli/fixture.ts";
import { snapshot } from "../support/file-tree.ts";

interface Installed {
  installed: { platform: string; method: string; path: string; also?: string }[];
  skipped: { platform: string; reason: string }[];
}

const placed = ({ installed }: Installed) =>
  installed.map(({ platform, also, method }) =>
    [platform, ...(also === undefined ? [] : [also]), method].join(" "),
  );
const install = async (made: Fixture, ...argv: string[]) =>
  dataOf<Installed>(await made.run("install", ...argv));

const globs = '---\nname: house\ndescription: d\nglobs: "*.ts"\n---\n';

describe("svc install --also", () => {
  it("has further locations of the user, updates them, and removes them with the folders", async (t) => {
    const made = await makeFixture(t);
    const before = snapshot(made.home, [".svc"]);
    const also = "cline-rules,cline-skills,copilot-cli,copilot-instructions";

    const skill = await install(made, "review", "-t", "cline,copilot", "-g", "--also", also);
    const rule = await install(made, "house", "-t", "cline,copilot", "-g", "--also", also);

    assert.deepEqual(placed(skill), [
      "cline cline-rules copy",
      "cline cline-skills copy",
      "copilot copilot-instructions copy",
      "copilot copilot-cli section",
    ]);
    assert.deepEqual(skill.skipped, [], "a tool that has the skill is not skipped");
    assert.deepEqual(placed(rule), [
      "cline cline-rules copy",
      "copilot copilot-instructions copy",
      "copilot copilot-cli section",
    ]);
    assert.equal(await made.read(made.home, ".cline/rules/review.md"), "# Review\n\none\n");
    assert.match(await made.read(made.home, ".cline/skills/review/SKILL.md"), /^---\nname: review\n/);
    assert.match(await made.read(made.home, ".copilot/copilot-instructions.md"), /svc:start:review/);
    const instructions = (slug: string) =>
      made.read(made.home, `.copilot/instructions/${slug}.instructions.md`);
    assert.equal(await instructions("review"), '---\ndescription: "What it does"\n---\n\none\n');
    assert.equal(
      await instructions("house"),
      '---\ndescription: "What it does"\napplyTo: "**"\n---\n\nrule\n',
    );
    assert.equal((await made.run("verify", "-g")).code, 0);
    const listed = dataOf<{ slug: string; targetCount: number }[]>(await made.run("list", "--installed"));
    assert.deepEqual(
      listed.map(({ targetCount }) => targetCount),
      [2, 2],
    );

    made.skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
    assert.equal((await made.run("pull")).code, 0);
    assert.match(await made.read(made.home, ".copilot/copilot-instructions.md"), /two/);
    assert.equal(await instructions("review"), '---\ndescription: "What it does"\n---\n\ntwo\n');

    for (const slug of ["review", "house"]) assert.equal((await made.run("uninstall", slug)).code, 0);
    assert.deepEqual(snapshot(made.home, [".svc"]), before);
  });

  it("keeps the patterns of a rule in Copilot's instructions", async (t) => {
    const made = await makeFixture(t);
    made.skills[1]!.versions.push({ semver: "1.1.0", body: "rule\n", frontmatter: globs });

    const done = await install(made, "house", "-t", "copilot", "-p", "--also", "copilot-instructions");

    assert.deepEqual(placed(done), ["copilot section", "copilot copilot-instructions copy"]);
    assert.match(
      await made.read(made.project, ".github/instructions/house.instructions.md"),
      /^applyTo: "\*\.ts"$/m,
    );
  });

  it("is recorded in svc.json and svc.lock, and restored", async (t) => {
    const made = await makeFixture(t);
    const other = await makeFixture(t);
    const args = ["-t", "claude", "-p", "--save", "--also", "cline-skills"];
    await install(made, "review", ...args);
    const manifest = {
      targets: ["claude"],
      skills: { "acme/review": { version: "latest", also: ["cline-skills"] } },
    };
    assert.deepEqual(JSON.parse(await made.read(made.project, "svc.json")), manifest);
    const lock = await made.read(made.project, "svc.lock");
    assert.match(lock, /"also": \{\n {8}"cline-skills": "copy"\n {6}\}/);
    assert.equal((await made.run("verify")).code, 0);

    for (const file of ["svc.json", "svc.lock"])
      await writeFile(join(other.project, file), await made.read(made.project, file));
    const missing = await other.run("verify");
    assert.match(missing.stdout, /acme\/review is not installed in cline-skills: svc restore/);
    assert.equal((await other.run("restore")).code, 0);
    assert.match(await other.read(other.project, ".cline/skills/review/SKILL.md"), /one/);
    assert.equal((await other.run("verify")).code, 0);

    made.skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
    assert.equal((await made.run("pull")).code, 0);
    assert.match(await made.read(made.project, ".cline/skills/review/SKILL.md"), /two/);
    assert.deepEqual(JSON.parse(await made.read(made.project, "svc.json")), manifest);
    assert.match(await made.read(made.project, "svc.lock"), /"cline-skills": "copy"/);
    assert.equal((await made.run("verify")).code, 0);
    assert.equal((await made.run("uninstall", "review")).code, 0);
    await assert.rejects(stat(join(made.project, ".cline")), { code: "ENOENT" });
  });

  it("refuses what a location can't have, and unknown names", async (t) => {
    const made = await makeFixture(t);
    const refused = await made.run(
      "install",
      "kit",
      "-t",
      "cline",
      "-g",
      "--also",
      "cline-rules,copilot-cli",
    );
    assert.deepEqual(
      (refused.data as Installed).skipped,
      [
        { platform: "copilot", reason: "copilot-cli takes texts only" },
        { platform: "cline", reason: "cline-rules takes texts only" },
      ].toSorted((a, b) => (a.platform < b.platform ? -1 : 1)),
    );
    const inProject = await made.run("install", "review", "-t", "claude", "-p", "--also", "copilot-cli");
    assert.deepEqual((inProject.data as Installed).skipped, [
      { platform: "copilot", reason: "copilot-cli is a file of the user; use --global" },
    ]);
    const unknown = await made.run("install", "kit", "-t", "cline", "-g", "--also", "clin-rules");
    assert.match(unknown.error.message, /"clin-rules" is not a further location.*Did you mean cline-rules\?/);
  });
});

describe("svc install where Devin Desktop is set up", () => {
  it("also writes the user's texts into its file, and those of a project to the usual place only", async (t) => {
    const made = await makeFixture(t);
    const devin = ".config/devin/AGENTS.md";
    const before = await install(made, "review", "-t", "windsurf", "-g");
    assert.deepEqual(placed(before), ["windsurf section"], "it is not set up");

    await mkdir(join(made.home, ".config/devin"), { recursive: true });
    await writeFile(join(made.home, devin), "# Mine\n");
    const user = await install(made, "review", "-t", "windsurf", "-g");
    const rule = await install(made, "house", "-t", "windsurf", "-g");
    const bundle = await install(made, "kit", "-t", "windsurf", "-g");
    const project = await install(made, "review", "-t", "windsurf", "-p");

    assert.deepEqual(placed(user), ["windsurf section", "windsurf devin section"]);
    assert.deepEqual(placed(rule), ["windsurf section", "windsurf devin section"]);
    assert.deepEqual([placed(bundle), bundle.skipped], [["windsurf copy"], []]);
    assert.deepEqual(placed(project), ["windsurf symlink"]);
    assert.match(await made.read(made.home, devin), /^# Mine\n\n<!-- svc:start:review -->/);
    assert.match(
      await made.read(made.home, ".codeium/windsurf/memories/global_rules.md"),
      /svc:start:review/,
    );

    made.skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
    assert.equal((await made.run("pull")).code, 0);
    assert.match(await made.read(made.home, devin), /two/);
    for (const slug of ["review", "house", "kit"]) assert.equal((await made.run("uninstall", slug)).code, 0);
    assert.equal(await made.read(made.home, devin), "# Mine\n");
  });

  it("is found in %APPDATA% on Windows", async (t) => {
    const made = await makeFixture(t);
    made.machine.platform = "win32";
    made.machine.env = { APPDATA: join(made.home, "AppData/Roaming") };
    await mkdir(join(made.home, "AppData/Roaming/devin"), { recursive: true });
    await install(made, "review", "-t", "windsurf", "-g");
    assert.match(await made.read(made.home, "AppData/Roaming/devin/AGENTS.md"), /svc:start:review/);
  });
});
