import assert from "node:assert/strict";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, it } from "node:test";
import { type Fixture, dataOf, kit, makeFixture } from "./fixture.ts";
import { answer } from "./harness.ts";

interface Pulled {
  skills: { slug: string; outcome: string; toVersion?: number; warnings: string[] }[];
  summary: { updated: number; upToDate: number; failed: number };
}

describe("pull", () => {
  async function installed(t: TestContext): Promise<Fixture> {
    const made = await makeFixture(t);
    for (const skill of ["review", "kit"])
      await made.run("install", skill, "-t", "claude,cursor,codex", "-g");
    return made;
  }

  function publish({ skills }: Fixture): void {
    skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
    skills[2]!.versions.push({ semver: "2.0.0", files: { ...kit("two"), "new.txt": { data: "n" } } });
  }

  it("does nothing if nothing changed", async (t) => {
    const made = await installed(t);
    const before = await made.config();

    const { summary } = dataOf<Pulled>(await made.run("pull"));

    assert.deepEqual(summary, { updated: 0, upToDate: 2, failed: 0 });
    assert.deepEqual(await made.config(), before);
  });

  it("updates links, copies and sections to the new version", async (t) => {
    const made = await installed(t);
    publish(made);

    const { skills, summary } = dataOf<Pulled>(await made.run("pull"));

    assert.deepEqual(summary, { updated: 2, upToDate: 0, failed: 0 });
    assert.deepEqual(
      skills.map((skill) => skill.outcome),
      ["updated", "updated"],
    );
    for (const path of [
      ".claude/skills/review/SKILL.md",
      ".cursor/skills/review/SKILL.md",
      ".codex/AGENTS.md",
    ])
      assert.match(await made.read(made.home, path), /two/);
    for (const folder of [".claude/skills/kit", ".cursor/skills/kit", ".agents/skills/kit"])
      assert.equal(await made.read(made.home, folder, "new.txt"), "n");
  });

  it("respects the pin, and changes it on request, only after success", async (t) => {
    const made = await makeFixture(t);
    await made.run("install", "kit@^1", "-t", "claude", "-g");
    publish(made);
    const pin = async () => (await made.config()).profiles["default"]!.installed["kit"]!.installs[0]!.range;

    assert.deepEqual(dataOf<Pulled>(await made.run("pull")).summary.upToDate, 1);
    assert.equal((await made.run("pull", "kit", "--version", "9.9.9")).error.code, "E_NOT_FOUND");
    assert.equal(await pin(), "^1");
    assert.equal(dataOf<Pulled>(await made.run("pull", "kit", "--version", "2")).skills[0]!.toVersion, 2);
    assert.equal(await pin(), "2");
    assert.equal(dataOf<Pulled>(await made.run("pull", "kit", "--latest")).skills[0]!.outcome, "upToDate");
    assert.equal(await pin(), "latest");
  });

  it("changes nothing with --frozen", async (t) => {
    const made = await installed(t);
    assert.equal((await made.run("pull", "--frozen")).code, 0);
    publish(made);
    const before = await made.config();

    const { code, stdout, error } = await made.run("pull", "--frozen");

    assert.deepEqual([code, stdout, error.code], [1, "", "E_VERSION_CHANGED"]);
    const { skill, from, to } = error.details!;
    assert.deepEqual({ skill, from, to }, { skill: "review", from: "1.0.0", to: "1.1.0" });
    assert.deepEqual(await made.config(), before);
  });

  it("keeps edited copies, reports them with exit code 1, and overwrites them with --force", async (t) => {
    const made = await installed(t);
    const { home } = made;
    await writeFile(join(home, ".cursor/skills/review/SKILL.md"), "my own words");
    await writeFile(join(home, ".agents/skills/kit/notes.md"), "mine");
    const agents = await made.read(home, ".codex/AGENTS.md");
    await writeFile(join(home, ".codex/AGENTS.md"), agents.replace("one", "uno"));

    const still = await made.run("pull");
    assert.equal(still.code, 0);
    assert.deepEqual(
      dataOf<Pulled>(still).skills.map((skill) => skill.outcome),
      ["upToDate", "upToDate"],
    );
    assert.equal(dataOf<Pulled>(still).skills[0]!.warnings.length, 2);

    publish(made);
    const moved = await made.run("pull");
    assert.equal(moved.code, 1);
    const { skills, summary } = dataOf<Pulled>(moved);
    assert.deepEqual(
      skills.map((skill) => skill.outcome),
      ["partial", "partial"],
    );
    assert.deepEqual(summary, { updated: 0, upToDate: 0, failed: 2 });
    assert.equal(await made.read(home, ".cursor/skills/review/SKILL.md"), "my own words");
    assert.match(await made.read(home, ".codex/AGENTS.md"), /uno/);
    assert.equal(await made.read(home, ".agents/skills/kit/notes.md"), "mine");
    assert.match(await made.read(home, ".claude/skills/review/SKILL.md"), /two/);

    const forced = dataOf<Pulled>(await made.run("pull", "--force"));
    assert.deepEqual(forced.summary, { updated: 2, upToDate: 0, failed: 0 });
    assert.match(await made.read(home, ".cursor/skills/review/SKILL.md"), /two/);
    assert.match(await made.read(home, ".codex/AGENTS.md"), /two/);
    await assert.rejects(made.read(home, ".agents/skills/kit/notes.md"));
  });

  it("does not count files that tools leave behind as edits", async (t) => {
    const made = await installed(t);
    await mkdir(join(made.home, ".agents/skills/kit/scripts/__pycache__"));
    await writeFile(join(made.home, ".agents/skills/kit/scripts/__pycache__/x.pyc"), "x");
    publish(made);
    assert.equal(dataOf<Pulled>(await made.run("pull")).summary.updated, 2);
  });

  it("keeps edits that were made through a link", async (t) => {
    const made = await installed(t);
    await writeFile(join(made.home, ".claude/skills/review/SKILL.md"), "edited");
    publish(made);

    const { skills } = dataOf<Pulled>(await made.run("pull"));
    assert.equal(skills[0]!.outcome, "failed");
    assert.match(skills[0]!.warnings.join(), /edited through its link/);
    assert.equal(await made.read(made.home, ".claude/skills/review/SKILL.md"), "edited");

    assert.equal(dataOf<Pulled>(await made.run("pull", "--force")).skills[0]!.outcome, "updated");
    assert.match(await made.read(made.home, ".claude/skills/review/SKILL.md"), /two/);
  });

  for (const [what, damage] of [
    ["a removed link", (home: string) => rm(join(home, ".claude/skills/review"))],
    ["a removed copy", (home: string) => rm(join(home, ".cursor/skills/review"), { recursive: true })],
    ["a removed section", (home: string) => rm(join(home, ".codex/AGENTS.md"))],
    ["a removed cache", (home: string) => rm(join(home, ".svc/cache/review"), { recursive: true })],
    ["a removed file of the cache", (home: string) => rm(join(home, ".svc/cache/review/claude/SKILL.md"))],
  ] as const)
    it(`repairs ${what}`, async (t) => {
      const made = await installed(t);
      await damage(made.home);

      const { skills } = dataOf<Pulled>(await made.run("pull"));

      assert.equal(skills[0]!.outcome, "repaired");
      for (const path of [
        ".claude/skills/review/SKILL.md",
        ".cursor/skills/review/SKILL.md",
        ".codex/AGENTS.md",
      ])
        assert.match(await made.read(made.home, path), /one/);
      assert.equal(dataOf<Pulled>(await made.run("pull")).summary.upToDate, 2);
    });

  it("warns about a missing project and continues", async (t) => {
    const made = await makeFixture(t);
    await made.run("install", "review", "-t", "claude", "-p");
    await made.run("install", "review", "-t", "claude", "-g");
    await rm(made.project, { recursive: true });
    publish(made);

    const { skills } = dataOf<Pulled>(await made.run("pull"));

    assert.equal(skills[0]!.outcome, "updated");
    assert.match(skills[0]!.warnings.join(), /no longer there/);
    await assert.rejects(stat(made.project));
  });

  it("records a skill that is no longer available, and updates the others", async (t) => {
    const made = await installed(t);
    publish(made);
    made.skills.splice(2, 1);

    const ran = await made.run("pull");

    assert.equal(ran.code, 1);
    assert.deepEqual(
      dataOf<Pulled>(ran).skills.map((skill) => skill.outcome),
      ["updated", "failed"],
    );
    assert.equal((await made.run("pull", "kit")).error.code, "E_NOT_FOUND");
  });

  it("downloads a few skills at a time, installs them one after another, and reports in order", async (t) => {
    let [underWay, most] = [0, 0];
    const made = await makeFixture(t, (_request, response, url) => {
      if (!/^\/api\/skills\/s[0-9a-z]+\/content/.test(url.pathname)) return false;
      most = Math.max(most, ++underWay);
      const number = Number(url.pathname.split("/")[3]!.slice(1, 3));
      const stub = made.skills.find((skill) => url.pathname.includes(skill.publicId))!;
      const version = Number(url.searchParams.get("version"));
      setTimeout(
        () => {
          underWay--;
          answer(response, 200, {
            success: true,
            data: { content: stub.versions[version - 1]!.body, version, format: "markdown" },
          });
        },
        number % 3 === 0 ? 60 : 15,
      );
      return true;
    });
    const slugs = Array.from({ length: 12 }, (_, i) => `s${String(i).padStart(2, "0")}`);
    for (const slug of slugs) {
      made.skills.push({
        slug,
        publicId: `${slug}aaaaaaa`,
        name: slug,
        versions: [{ semver: "1.0.0", body: `${slug} one\n` }],
      });
      await made.run("install", slug, "-t", "claude,codex", "-g");
    }
    for (const skill of made.skills.slice(3))
      skill.versions.push({ semver: "1.1.0", body: `${skill.slug} two\n` });
    most = 0;

    const { skills, summary } = dataOf<Pulled>(await made.run("pull"));

    assert.deepEqual(summary, { updated: 12, upToDate: 0, failed: 0 });
    assert.deepEqual(
      skills.map(({ slug }) => slug),
      slugs,
    );
    assert.ok(most > 1 && most <= 4, `${most} at a time`);
    const agents = await made.read(made.home, ".codex/AGENTS.md");
    for (const slug of slugs) {
      assert.ok(agents.includes(`\n${slug} two\n`), slug);
      assert.match(await made.read(made.home, ".claude/skills", slug, "SKILL.md"), /two/);
    }
    assert.equal(dataOf<Pulled>(await made.run("pull")).summary.upToDate, 12);
  });

  it("continues with other skills if one download fails", async (t) => {
    const made = await makeFixture(t, (_request, response, url) => {
      if (!url.pathname.startsWith("/api/skills/aaaaaaaaaa/content") || !isCut) return false;
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write("{");
      setTimeout(() => response.destroy(), 5);
      return true;
    });
    let isCut = false;
    for (const slug of ["review", "house", "kit"])
      await made.run("install", slug, "-t", "claude,cline", "-p");
    publish(made);
    isCut = true;

    const ran = await made.run("pull");

    assert.deepEqual(
      [ran.code, ...(ran.data as Pulled).skills.map(({ outcome }) => outcome)],
      [1, "failed", "upToDate", "updated"],
    );
    assert.match(await made.read(made.project, ".clinerules/review.md"), /one/);
    isCut = false;
    assert.equal(dataOf<Pulled>(await made.run("pull")).summary.updated, 1);
  });
});
