/** A project by another author: none of its content makes svc write or read outside it. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { dataOf, makeFixture } from "../cli/fixture.ts";

interface Skipped {
  skipped: { platform: string; reason: string }[];
}

describe("a project whose links lead out of it", () => {
  it("does not make svc write to the file behind AGENTS.md, or to the folder behind .claude", async (t) => {
    const made = await makeFixture(t);
    const profile = join(made.home, ".bashrc");
    await writeFile(profile, "export A=1\n");
    symlinkSync(profile, join(made.project, "AGENTS.md"));
    symlinkSync(made.home, join(made.project, ".claude"));
    await mkdir(join(made.home, "rules"));
    symlinkSync(join(made.home, "rules"), join(made.project, ".clinerules"));

    const done = dataOf<Skipped>(
      await made.run("install", "review", "-t", "codex,claude,cline,cursor", "-p"),
    );

    assert.deepEqual(
      done.skipped.map(({ platform }) => platform),
      ["codex", "claude", "cline"],
    );
    for (const { reason } of done.skipped) assert.match(reason, /leads out of the project, to /);
    assert.equal(readFileSync(profile, "utf8"), "export A=1\n");
    assert.equal(existsSync(join(made.home, "skills")), false);
    assert.equal(existsSync(join(made.home, "rules/review.md")), false);
  });

  it("does not make an update write there either, if a link replaced the file", async (t) => {
    const made = await makeFixture(t);
    dataOf(await made.run("install", "review", "-t", "codex", "-p"));
    const profile = join(made.home, ".bashrc");
    await writeFile(profile, "export A=1\n");
    await rm(join(made.project, "AGENTS.md"));
    symlinkSync(profile, join(made.project, "AGENTS.md"));
    made.skills[0]!.versions.push({ semver: "2.0.0", body: "two\n" });

    const pulled = await made.run("pull", "review", "--force");

    assert.equal(pulled.code, 1);
    assert.equal(readFileSync(profile, "utf8"), "export A=1\n");
  });

  it("does not make svc write to Git's folder", async (t) => {
    const made = await makeFixture(t);
    await mkdir(join(made.project, ".git"));
    await writeFile(join(made.project, ".git/config"), "[core]\n");
    symlinkSync(".git/config", join(made.project, "AGENTS.md"));

    const refused = await made.run("install", "review", "-t", "codex", "-p");

    assert.equal(refused.error.code, "E_NO_TARGETS");
    assert.equal(readFileSync(join(made.project, ".git/config"), "utf8"), "[core]\n");
  });

  it("may link to another path inside itself", async (t) => {
    const made = await makeFixture(t);
    await writeFile(join(made.project, "CLAUDE.md"), "# Mine\n");
    symlinkSync("CLAUDE.md", join(made.project, "AGENTS.md"));

    dataOf(await made.run("install", "review", "-t", "codex", "-p"));

    assert.match(
      readFileSync(join(made.project, "CLAUDE.md"), "utf8"),
      /^# Mine\n\n<!-- svc:start:review -->/,
    );
  });

  it("does not slow svc down with settings of many lines", { timeout: 120_000 }, async (t) => {
    const made = await makeFixture(t);
    await writeFile(join(made.project, ".aider.conf.yml"), "read: \n".repeat(300_000));

    dataOf(await made.run("install", "review", "-t", "aider", "-p"));
  });

  it("does not make svc read endlessly if a link refers to a device", { timeout: 120_000 }, async (t) => {
    const made = await makeFixture(t);
    dataOf(await made.run("install", "review", "-t", "codex", "-p"));
    await rm(join(made.project, "AGENTS.md"));
    symlinkSync("/dev/zero", join(made.project, "AGENTS.md"));

    const checked = await made.run("verify");
    const again = await made.run("install", "house", "-t", "codex", "-p");

    assert.equal(checked.code, 1);
    assert.equal(again.error.code, "E_NO_TARGETS");
  });
});
