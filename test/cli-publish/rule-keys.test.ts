/** Rules and their scope, as tools write them: it reaches every tool in its own form, and is never widened. */
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { svc, temporaryFolder } from "../cli/harness.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

/** Publishes a file, and installs the rule for all tools of a project. */
async function publishAndInstall(t: TestContext, file: string, text: string) {
  const [home, project] = [await temporaryFolder(t), await temporaryFolder(t)];
  await mkdir(dirname(join(home, file)), { recursive: true });
  await writeFile(join(home, file), text);
  const env = { SVC_API_URL: service.url, SVC_TOKEN: owner.token };
  const run = (...argv: string[]) => svc([...argv, "-o", "json"], { home, env });
  const published = await run("publish", file, "-t", org.slug);
  assert.equal(published.code, 0, published.stderr);
  const { skill, warnings } = published.data as {
    skill: { type: string; slug: string; tenantSlug: string };
    warnings: string[];
  };
  const all = "cursor,claude,codex,windsurf,cline,copilot,opencode,aider";
  const ref = `${skill.tenantSlug}/${skill.slug}`;
  const also = ["--also", "copilot-instructions"];
  const installed = await run("install", ref, "-t", all, ...also, "-p", project, "--copy");
  const forUser = await run("install", ref, "-t", "claude,codex,windsurf", "-g");
  assert.deepEqual([installed.code, forUser.code], [0, 0], installed.stderr + forUser.stderr);
  const read = (path: string) => readFile(join(project, path.replace("*", skill.slug)), "utf8");
  const readOfUser = (path: string) => readFile(join(home, path.replace("*", skill.slug)), "utf8");
  return { skill, warnings, read, readOfUser, installed: installed.data as { warnings: string[] } };
}

const sentence = /Applies only to files that match `\*\*\/\*\.py`\./;

describe("a rule for certain files", () => {
  for (const [what, file, text] of [
    ["Copilot's, without quotation marks", "a1.instructions.md", "---\napplyTo: **/*.py\n---\n"],
    ["Copilot's", "work/.github/instructions/a2.instructions.md", "---\napplyTo: '**/*.py'\n---\n"],
    ["Cursor's", "work/.cursor/rules/a3.mdc", "---\ndescription:\nglobs: **/*.py\nalwaysApply: false\n---\n"],
    ["Windsurf's", "work/.windsurf/rules/a4.md", "---\ntrigger: glob\nglobs: **/*.py\n---\n"],
    ["Windsurf's, elsewhere", "rules/a5.md", "---\ntrigger: glob\nglobs: **/*.py\n---\n"],
    ["Claude Code's", "work/.claude/rules/a6.md", '---\npaths:\n  - "**/*.py"\n---\n'],
    ["Cline's", "work/.clinerules/a7.md", '---\npaths: [\n  "**/*.py",\n]\n---\n'],
    ["ours", "a8/RULE.md", "---\nglobs: '**/*.py'\nowner: me\n---\n"],
  ] as const)
    it(`keeps its scope in every tool: ${what}`, async (t) => {
      const made = await publishAndInstall(t, file, `${text}\nUse type hints.\n`);

      assert.equal(made.skill.type, "rule");
      assert.deepEqual(made.warnings, []);
      assert.doesNotMatch(made.installed.warnings.join(), / uses | load /);
      assert.match(await made.read(".cursor/rules/*.mdc"), /^globs: \*\*\/\*\.py\nalwaysApply: false$/m);
      assert.match(
        await made.read(".windsurf/rules/*.md"),
        /^trigger: glob\n.*\nglobs: \["\*\*\/\*\.py"\]$/m,
      );
      assert.match(
        await made.read(".github/instructions/*.instructions.md"),
        /^---\ndescription: ".*"\napplyTo: "\*\*\/\*\.py"\n---\n\nUse/,
      );
      for (const path of [".claude/rules/*.md", ".clinerules/*.md"])
        assert.match(await made.read(path), /^---\npaths: \["\*\*\/\*\.py"\]\n---\n/, path);
      for (const path of ["AGENTS.md", ".aider/skills/*.md", ".github/copilot-instructions.md"])
        assert.match(await made.read(path), sentence, path);
      for (const path of [
        ".claude/rules/*.md",
        ".codex/AGENTS.md",
        ".codeium/windsurf/memories/global_rules.md",
      ])
        assert.match(await made.readOfUser(path), sentence, path);
    });

  it("has the keys of its tool where it has those of several", async (t) => {
    const text = '---\nglobs: ["src/**/*.{ts,tsx}", "*.md"]\npaths:\n  - src/**\n---\n\nBe brief.\n';
    const { read } = await publishAndInstall(t, "b1/RULE.md", text);

    assert.match(await read(".cursor/rules/*.mdc"), /^globs: src\/\*\*\/\*\.\{ts,tsx\},\*\.md$/m);
    assert.match(await read(".claude/rules/*.md"), /^paths: \["src\/\*\*"\]$/m);
  });
});

describe("a rule that does not always apply", () => {
  it("is no rule for everything where its tool asks the model", async (t) => {
    const text = "---\ndescription: Python style\nalwaysApply: false\n---\n\nUse type hints.\n";
    const { read } = await publishAndInstall(t, "c1.mdc", text);

    assert.match(
      await read(".cursor/rules/*.mdc"),
      /^description: "Python style"\nglobs:\nalwaysApply: false$/m,
    );
    assert.match(await read(".windsurf/rules/*.md"), /^trigger: model_decision$/m);
    for (const path of [".claude/rules/*.md", "AGENTS.md", ".github/copilot-instructions.md"])
      assert.match(await read(path), /Applies only where it is relevant: Python style\n/);
  });

  it("is no rule for everything where its tool applies it on request", async (t) => {
    const { read } = await publishAndInstall(t, "c2.instructions.md", "Use type hints.\n");

    assert.match(await read(".cursor/rules/*.mdc"), /^description:\nglobs:\nalwaysApply: false$/m);
    assert.match(await read(".windsurf/rules/*.md"), /^trigger: manual$/m);
    assert.match(await read("AGENTS.md"), /Applies only when the user asks for it\./);
  });

  for (const [name, what, head] of [
    ["c4", "with Cursor's key for every file", 'applyTo: "**/*.py"\nalwaysApply: true'],
    ["c5", "with Windsurf's key for every file", 'trigger: always_on\napplyTo: "**/*.py"'],
    ["c6", "with its key in quotation marks", '"applyTo" : "**/*.py"'],
    ["c7", "with the value on the next line", 'applyTo:\n  "**/*.py"'],
    ["c8", "with the value as a block", "applyTo: >-\n  **/*.py"],
  ] as const)
    it(`keeps the scope that it has for Copilot, ${what}`, async (t) => {
      const { read } = await publishAndInstall(
        t,
        `${name}.instructions.md`,
        `---\n${head}\n---\nUse hints.\n`,
      );

      assert.match(await read(".claude/rules/*.md"), /\*\*\/\*\.py/);
      for (const path of ["AGENTS.md", ".github/copilot-instructions.md"])
        assert.match(await read(path), /Applies only to files that match `\*\*\/\*\.py`/);
    });

  it("applies always if its tool does that", async (t) => {
    const { read } = await publishAndInstall(
      t,
      "c3.instructions.md",
      '---\napplyTo: "**"\n---\nUse hints.\n',
    );

    assert.match(await read(".cursor/rules/*.mdc"), /^alwaysApply: true$/m);
    assert.doesNotMatch(await read(".claude/rules/*.md"), /paths|Applies/);
    assert.doesNotMatch(await read(".github/copilot-instructions.md"), /Applies/);
  });
});

describe("a key of a text skill", () => {
  it("is named at install by each tool that would use it and does not get it", async (t) => {
    const text =
      "---\nname: d1\ndescription: Does it.\ndisable-model-invocation: true\nmodel: x\nowner: me\n---\nDo it.\n";
    const { warnings, installed } = await publishAndInstall(t, "d1.md", text);

    assert.deepEqual(warnings, []);
    assert.deepEqual(
      installed.warnings.filter((one) => one.includes(" uses ")),
      [
        "cursor uses disable-model-invocation of a skill, but gets this one as a rule, without it: " +
          "publish a folder with this SKILL.md to keep it",
        "copilot uses disable-model-invocation of a skill, but gets this one as a section of a file, without it: " +
          "publish a folder with this SKILL.md to keep it",
      ],
    );
  });
});

describe("a package without name, description or frontmatter", () => {
  for (const [name, text, missing] of [
    ["e1", "---\ndescription: Counts lines.\n---\nCount the lines.\n", "name"],
    ["e2", "---\nname: e2\n---\n\n# Title\n\nCount the lines.\n", "description"],
    ["e3", "# Count\n\nCount the lines.\n", "name and description"],
  ] as const)
    it(`is published with the name of its folder and its first paragraph: ${missing}`, async (t) => {
      const home = await temporaryFolder(t);
      await mkdir(join(home, name));
      await writeFile(join(home, name, "SKILL.md"), text);
      await writeFile(join(home, name, "other.txt"), "x");
      const env = { SVC_API_URL: service.url, SVC_TOKEN: owner.token };
      const run = (...argv: string[]) => svc([...argv, "-o", "json"], { home, env });

      const published = await run("publish", name, "-t", org.slug);
      const installed = await run("install", `${org.slug}/${name}`, "-t", "claude,codex", "-g");
      const listed = await service.call("GET", `/api/skills/${org.slug}~${name}`, { token: owner.token });
      const again = await run("publish", `.agents/skills/${name}`, "-t", org.slug);

      assert.deepEqual([published.code, installed.code], [0, 0], published.stderr + installed.stderr);
      const { warnings } = published.data as { warnings: string[] };
      assert.match(
        warnings.join(),
        /^SKILL\.md: It.* has no .*, which all tools but Claude Code require\. \w+ /,
      );
      const { description } = listed.data as { description: string };
      assert.equal(description, name === "e1" ? "Counts lines." : "Count the lines.");
      for (const folder of [".claude", ".agents"])
        assert.equal(await readFile(join(home, folder, "skills", name, "SKILL.md"), "utf8"), text);
      assert.deepEqual(
        (installed.data as { warnings: string[] }).warnings.filter((one) => one.includes("load")),
        [
          `codex does not load a package without ${missing} in its SKILL.md: ask its publisher to add ` +
            (missing.includes("and") ? "them" : "it"),
        ],
      );
      assert.match(
        (again.data as { warnings: string[] }).warnings.join(),
        /The content equals that of version/,
      );
    });
});
