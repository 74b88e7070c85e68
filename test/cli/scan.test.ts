/** Skills that `publish` finds in the tools' folders, and what it sends of a tool's own file. */
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { describe, it } from "node:test";
import { findOwnSkills } from "../../cli/pack/scan.ts";
import { isToolRule, readableRule, withStatedScope } from "../../cli/pack/tool-file.ts";
import type { Config } from "../../cli/state/config.ts";
import { type Fixture, makeFixture } from "./fixture.ts";
import { temporaryFolder } from "./harness.ts";

const noConfig: Config = { version: 2, activeProfile: "default", profiles: {} };

async function put(root: string, ...files: string[]): Promise<void> {
  for (const name of files) {
    const file = join(root, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "---\nname: n\ndescription: d\n---\ntext\n");
  }
}

/** One line each: path, tool, kind. */
async function scan(made: Pick<Fixture, "home" | "project">, config = noConfig, env = {}): Promise<string[]> {
  const context = { home: made.home, cwd: made.project, env, platform: "linux" } as const;
  return (await findOwnSkills(context, config)).map(({ path, tool, scope, type, format, name }) => {
    const short = path.replace(made.project + sep, "./").replace(made.home + sep, "~/");
    return `${short} = ${tool} ${scope} ${format} ${type} ${name}`;
  });
}

async function places(t: Parameters<typeof temporaryFolder>[0]) {
  return { home: await temporaryFolder(t), project: await temporaryFolder(t) };
}

describe("the scan of the tools' folders", () => {
  it("finds skills, packages and rules of every tool, the project's first", async (t) => {
    const made = await places(t);
    await put(
      made.project,
      ".aider/skills/a.md",
      ".agents/skills/shared/SKILL.md",
      ".agents/skills/shared/run.sh",
      ".claude/rules/deep/er/style.md",
      ".claude/skills/text/SKILL.md",
      ".cline/skills/c/SKILL.md",
      ".clinerules/all.md",
      ".clinerules/more.txt",
      ".clinerules/skills/in/SKILL.md",
      ".cursor/rules/one.mdc",
      ".cursor/rules/below/two.mdc",
      ".devin/rules/d.md",
      ".github/instructions/x.instructions.md",
      ".github/skills/g/SKILL.md",
      ".opencode/rules/o.md",
      ".windsurf/rules/w.md",
    );
    await put(
      made.home,
      ".claude/rules/mine.md",
      ".codex/skills/old/SKILL.md",
      ".codeium/windsurf/skills/ws/SKILL.md",
      ".config/opencode/skills/oc/SKILL.md",
      ".copilot/skills/cp/SKILL.md",
      ".cursor/skills/cu/SKILL.md",
    );

    assert.deepEqual(await scan(made), [
      "./.cursor/rules/below/two.mdc = Cursor project markdown rule two",
      "./.cursor/rules/one.mdc = Cursor project markdown rule one",
      "./.claude/skills/text/SKILL.md = Claude Code project markdown skill text",
      "./.claude/rules/deep/er/style.md = Claude Code project markdown rule style",
      "./.agents/skills/shared = Codex project package skill shared",
      "./.windsurf/rules/w.md = Windsurf project markdown rule w",
      "./.devin/rules/d.md = Windsurf project markdown rule d",
      "./.cline/skills/c/SKILL.md = Cline project markdown skill c",
      "./.clinerules/skills/in/SKILL.md = Cline project markdown skill in",
      "./.clinerules/all.md = Cline project markdown rule all",
      "./.clinerules/more.txt = Cline project markdown rule more",
      "./.github/skills/g/SKILL.md = GitHub Copilot project markdown skill g",
      "./.github/instructions/x.instructions.md = GitHub Copilot project markdown rule x",
      "./.opencode/rules/o.md = OpenCode project markdown rule o",
      "./.aider/skills/a.md = Aider project markdown skill a",
      "~/.cursor/skills/cu/SKILL.md = Cursor global markdown skill cu",
      "~/.claude/rules/mine.md = Claude Code global markdown rule mine",
      "~/.codex/skills/old/SKILL.md = Codex global markdown skill old",
      "~/.codeium/windsurf/skills/ws/SKILL.md = Windsurf global markdown skill ws",
      "~/.copilot/skills/cp/SKILL.md = GitHub Copilot global markdown skill cp",
      "~/.config/opencode/skills/oc/SKILL.md = OpenCode global markdown skill oc",
    ]);
  });

  it("skips what svc installed, links into its cache, and files of the tools themselves", async (t) => {
    const made = await makeFixture(t);
    for (const slug of ["review", "house", "kit"]) {
      await made.run("install", slug, "-t", "claude,cursor,codex,cline,aider,opencode,windsurf", "-p");
      await made.run("install", slug, "-t", "claude,cursor,codex,opencode,windsurf", "-g");
    }
    // Also from a lost config.
    await made.run("install", "review", "-t", "claude", "-g");
    symlinkSync(join(made.home, ".svc/cache/kit/pkg"), join(made.home, ".claude/skills/lost"));
    await put(
      made.home,
      ".claude/skills/synced/SKILL.md",
      ".codex/skills/.system/SKILL.md",
      ".claude/skills/.hidden/SKILL.md",
      ".claude/skills/no-skill/README.md",
      ".claude/skills/mine/SKILL.md",
    );
    await put(made.project, ".cursor/rules/notes.md", ".windsurf/rules/deeper/not.md", ".aider/skills/.x.md");

    assert.deepEqual(await scan(made, await made.config()), [
      "~/.claude/skills/mine/SKILL.md = Claude Code global markdown skill mine",
    ]);
  });

  it("finds each skill once, by whatever links it is reached, and follows no cycle", async (t) => {
    const made = await places(t);
    await put(made.project, ".agents/skills/one/SKILL.md", ".cursor/rules/a.mdc");
    await mkdir(join(made.project, ".claude"));
    symlinkSync("../.agents/skills", join(made.project, ".claude/skills"));
    symlinkSync("..", join(made.project, ".cursor/rules/up"));
    symlinkSync("a.mdc", join(made.project, ".cursor/rules/b.mdc"));
    symlinkSync("nowhere", join(made.project, ".cursor/rules/c.mdc"));

    assert.deepEqual(await scan(made), [
      "./.cursor/rules/a.mdc = Cursor project markdown rule a",
      "./.claude/skills/one/SKILL.md = Claude Code project markdown skill one",
    ]);
    assert.deepEqual(await scan({ home: made.project, project: made.project }), [
      `./.claude/skills/one/SKILL.md = Claude Code global markdown skill one`,
    ]);
  });

  it("uses the variables that move a tool's folders, and skips unreadable files", async (t) => {
    const made = await places(t);
    await put(made.home, "cc/skills/one/SKILL.md", "xdg/opencode/skills/two/SKILL.md");
    await put(made.home, ".cursor/skills", ".cline/skills/three/SKILL.md/is-a-folder");

    const env = { CLAUDE_CONFIG_DIR: join(made.home, "cc"), XDG_CONFIG_HOME: join(made.home, "xdg") };
    assert.deepEqual(await scan(made, noConfig, env), [
      "~/cc/skills/one/SKILL.md = Claude Code global markdown skill one",
      "~/xdg/opencode/skills/two/SKILL.md = OpenCode global markdown skill two",
    ]);
  });
});

describe("a tool's own rule", () => {
  for (const [what, text, published = text] of [
    ["a Cursor rule", '---\ndescription: "Use: always"\nglobs: \nalwaysApply: true\n---\n\n# Rule\n'],
    [
      "a Cursor rule whose globs are no YAML",
      "---\ndescription: For tests: all of them\nglobs: *.test.ts,*.spec.ts\nother: 1\n---\nbody\n",
      '---\ndescription: "For tests: all of them"\nglobs: "*.test.ts,*.spec.ts"\nother: 1\n---\nbody\n',
    ],
    [
      "a Windsurf rule with CRLF",
      "\uFEFF---\r\ntrigger: glob\r\nglobs:\r\n  - src/**\r\n  - *.py\r\n---\r\n\r\nbody\r\n",
      '\uFEFF---\r\ntrigger: glob\r\nglobs:\r\n  - src/**\r\n  - "*.py"\r\n---\r\n\r\nbody\r\n',
    ],
    ["Copilot instructions", "---\napplyTo: **/*.py\n---\nbody\n", '---\napplyTo: "**/*.py"\n---\nbody\n'],
    ["a Claude rule", "---\npaths: [a]\n---\n\nbody\n"],
    ["a text without frontmatter", "body\n\n---\nname: x\n---\n"],
    ["frontmatter that quotation marks don't repair", "---\nglobs: [*.py\nbad\n---\nx\n"],
  ] as const)
    it(`is published unchanged, or with its values in quotation marks: ${what}`, async () => {
      assert.equal(await readableRule(text), published);
    });

  it("states that it applies on request, if its tool needs no key for that", () => {
    assert.equal(withStatedScope("a.mdc", "body\n"), "---\nalwaysApply: false\n---\n\nbody\n");
    assert.equal(
      withStatedScope("a.instructions.md", "---\r\nname: A\r\n---\r\nx"),
      "---\r\nname: A\r\nalwaysApply: false\r\n---\r\nx",
    );
    for (const [file, text] of [
      ["a.md", "body\n"],
      ["a.mdc", "---\nalwaysApply: true\n---\nx"],
      ["a.mdc", "---\nglobs:\n  - a\n---\nx"],
      ["a.instructions.md", '---\napplyTo: "**"\n---\nx'],
    ] as const)
      assert.equal(withStatedScope(file, text), text);
  });

  it("is recognized by its name, its folder or its keys", () => {
    for (const file of ["a.mdc", "/x/.windsurf/rules/a.md", "/x/.clinerules/a.txt", "/x/a.instructions.md"])
      assert.ok(isToolRule(file, "body"), file);
    for (const key of ["globs: *.py", "alwaysApply: false", "applyTo: '**'", "trigger: manual"])
      assert.ok(isToolRule("/x/a.md", `---\nname: A\n${key}\n---\nbody`), key);
    for (const file of [
      "/x/a.md",
      "/x/.claude/skills/a/SKILL.md",
      "/x/.aider/skills/a.md",
      "/x/my.clinerules.md",
    ])
      assert.ok(!isToolRule(file, "body"), file);
    assert.ok(!isToolRule("/x/a/SKILL.md", "---\nglobs: a\n---\nx"));
    assert.ok(!isToolRule("/x/a.md", "---\ntrigger: deploy it\npaths: [a]\n---\nx"));
  });
});
