import assert from "node:assert/strict";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { targets } from "../../contract/vocabulary.ts";
import { snapshot } from "../support/file-tree.ts";
import { dataOf, makeFixture } from "./fixture.ts";
import { startRegistry, svc, temporaryFolder } from "./harness.ts";
import { bundleClient, runKilled } from "./killed.ts";

const kit = (text: string) => ({
  "SKILL.md": { data: `---\nname: kit\ndescription: d\n---\n${text}` },
  "part.txt": { data: text },
});

bundleClient();

describe("an update that is killed", () => {
  it("leaves every location consistent, and the next pull brings all of them to one version", async (t) => {
    const home = await temporaryFolder(t);
    const skills = [
      {
        slug: "review",
        publicId: "aaaaaaaaaa",
        name: "Review",
        versions: [
          { semver: "1.0.0", body: "old review\n" },
          { semver: "2.0.0", body: "new review\n" },
        ],
      },
      {
        slug: "house",
        publicId: "bbbbbbbbbb",
        name: "House",
        type: "rule" as const,
        versions: [
          { semver: "1.0.0", body: "old house\n" },
          { semver: "2.0.0", body: "new house\n" },
        ],
      },
      {
        slug: "kit",
        publicId: "cccccccccc",
        name: "Kit",
        versions: [
          { semver: "1.0.0", files: kit("old") },
          { semver: "2.0.0", files: kit("new") },
        ],
      },
    ];
    const env = { SVC_API_URL: await startRegistry(t, skills) };
    const run = (...argv: string[]) => svc([...argv, "-o", "json"], { home, env });
    const project = await temporaryFolder(t);
    await writeFile(join(project, "AGENTS.md"), "# Ours");
    await mkdir(join(home, ".codex"));
    await writeFile(join(home, ".codex/AGENTS.md"), "# Mine");
    for (const ref of ["review@1.0.0", "house@1.0.0", "kit@1.0.0"]) {
      assert.equal((await run("install", ref, "-t", "claude,cursor,codex,windsurf", "-g")).code, 0);
      assert.equal((await run("install", ref, "-t", targets.join(","), "-p", project)).code, 0);
    }

    const read = (...path: string[]) => readFile(join(...path), "utf8").catch(() => undefined);
    /** Every file that contains the text, and how the text is recognized there. */
    const texts = (slug: string) => [
      ...(slug === "review"
        ? [[home, `.claude/skills/${slug}/SKILL.md`]]
        : [[home, `.claude/rules/${slug}.md`]]),
      ...(slug === "review" ? [[home, `.cursor/skills/${slug}/SKILL.md`]] : []),
      ...(slug === "review" ? [[project, `.opencode/skills/${slug}/SKILL.md`]] : []),
      [project, `.cursor/rules/${slug}.mdc`],
      [project, `.windsurf/rules/${slug}.md`],
      [project, `.clinerules/${slug}.md`],
      [project, `.aider/skills/${slug}.md`],
      [home, ".codex/AGENTS.md"],
      [home, ".codeium/windsurf/memories/global_rules.md"],
      [project, "AGENTS.md"],
      [project, ".github/copilot-instructions.md"],
    ];
    const packages = [
      ...[".claude", ".cursor", ".agents", ".codeium/windsurf"].map((tool) => join(home, tool, "skills/kit")),
      ...[".claude", ".cursor", ".agents", ".windsurf", ".cline", ".github", ".opencode"].map((tool) =>
        join(project, tool, "skills/kit"),
      ),
    ];
    /** Old, new, or for folders missing: between two renames a folder has a temporary name. */
    const check = async (allowed: readonly (string | undefined)[], context: string) => {
      assert.ok(
        (await read(home, ".codex/AGENTS.md"))?.startsWith("# Mine\n\n<!-- svc:start:review -->"),
        context,
      );
      assert.ok(
        (await read(project, "AGENTS.md"))?.startsWith("# Ours\n\n<!-- svc:start:review -->"),
        context,
      );
      for (const slug of ["review", "house"])
        for (const path of texts(slug)) {
          const text = await read(...path);
          const word = new RegExp(`(old|new) ${slug}\n`).exec(text ?? "")?.[1];
          assert.ok(allowed.includes(word), `${context}: ${path.join("/")}: ${text}`);
        }
      for (const folder of packages) {
        const [skillFile, part] = [await read(folder, "SKILL.md"), await read(folder, "part.txt")];
        assert.equal(skillFile?.slice(-3), part, `${context}: ${folder}`);
        assert.ok(allowed.includes(part), `${context}: ${folder} ${part}`);
      }
    };

    // One of several changes, with a different start in each run: several runs cover all of them in less time.
    const stride = 13;
    const first = 1 + Math.floor(Math.random() * stride);
    let ended = 0;
    let at = 0;
    for (const slug of ["review", "house", "kit"])
      for (let killBefore = first; ; killBefore += stride) {
        const code = await runKilled(["pull", slug, "--latest"], killBefore, { home, env });
        const context = `${slug}, before change ${killBefore}`;
        await check(["old", "new", undefined], context);
        if (code !== undefined) {
          assert.equal(code, 0, context);
          ended++;
          break;
        }
        at++;

        const repaired = await run("pull", slug, "--latest");
        assert.deepEqual([repaired.code, repaired.stderr], [0, ""], `${context}: ${repaired.stdout}`);
        const again = (await run("pull")).data as {
          summary: { upToDate: number };
          skills: { warnings: string[] }[];
        };
        assert.equal(again.summary.upToDate, 3, context);
        assert.deepEqual(
          again.skills.flatMap((skill) => skill.warnings),
          [],
          context,
        );
        await run("pull", slug, "--version", "1.0.0");
        await check(["old", "new"], context);
      }

    assert.equal(ended, 3);
    assert.ok(at > 15, `only ${at} places to die at`);
    await check(["new"], "in the end");
    for (const root of [home, project])
      assert.deepEqual(
        (await readdir(root, { recursive: true })).filter((name) => name.includes(".svc-")),
        [],
      );
  });
});

describe("an install or uninstall that is killed", () => {
  it("is completed by the next one, and leaves nothing of its own and everything of others", async (t) => {
    const made = await makeFixture(t);
    const { home, project } = made;
    await writeFile(join(project, "AGENTS.md"), "# Ours\r\n");
    await mkdir(join(project, ".windsurf"));
    const untouched = snapshot(project);
    const run = (killBefore: number, ...argv: string[]) =>
      runKilled(argv, killBefore, { home, env: { SVC_API_URL: made.apiUrl } });
    const stride = 31;
    const first = 1 + Math.floor(Math.random() * stride);

    let killed = 0;
    for (const slug of ["review", "house", "kit"])
      for (let killBefore = first, ended = false; !ended; killBefore += stride) {
        const install = ["install", slug, "-t", targets.join(","), "-p", project];
        const context = `${slug}, before change ${killBefore}`;
        const installed = await run(killBefore, ...install);
        if (installed === undefined) killed++;
        const again = dataOf<{ installed: unknown[] }>(await made.run(...install));
        assert.equal(again.installed.length, slug === "kit" ? 7 : 8, context);
        const uninstalled = await run(killBefore, "uninstall", slug);
        if (uninstalled === undefined) {
          killed++;
          const rest = await made.run("uninstall", slug);
          if (rest.code !== 0) assert.equal(rest.error.code, "E_NOT_FOUND", context);
        }
        assert.deepEqual(snapshot(project), untouched, context);
        ended = installed !== undefined && uninstalled !== undefined;
      }
    assert.ok(killed > 5, `only ${killed} places to die at`);
  });
});
