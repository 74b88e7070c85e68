/** The paths that each tool uses, written down by hand: for a person and for a project, on both path flavours. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { findTarget, targetDefinitions } from "../../cli/targets/index.ts";
import type { InstallItem, InstallLocation, Placement } from "../../cli/targets/target.ts";
import { targets } from "../../contract/vocabulary.ts";
import { root as checkout } from "../support/root.ts";

type Scope = InstallLocation["scope"];
type Kind = "skill" | "rule" | "package";

const skill: InstallItem = {
  installName: "code-review",
  name: "Code Review: *strict*",
  description: "Reviews\n  code: carefully #1",
  type: "skill",
  format: "markdown",
  body: "\nDo it.\n\n## Then\n\nAgain. \n\n",
};
const items: Record<Kind, InstallItem> = {
  skill,
  rule: { ...skill, type: "rule" },
  package: { ...skill, format: "package", body: "", packageName: "review-kit" },
};

const skillFile =
  '---\nname: code-review\ndescription: "Reviews code: carefully #1"\n---\n\n\nDo it.\n\n## Then\n\nAgain.\n';
const bare = "\nDo it.\n\n## Then\n\nAgain.\n";
const titled = "# Code Review: *strict*\n\nDo it.\n\n## Then\n\nAgain.\n";
const block = "## Code Review: *strict*\n\nDo it.\n\n## Then\n\nAgain.";
const cursorRule = (always: boolean) =>
  `---\ndescription: "Reviews code: carefully #1"\nglobs:\nalwaysApply: ${always}\n---\n\n${bare}`;
const windsurfRule = (trigger: string) =>
  `---\ntrigger: ${trigger}\ndescription: "Reviews code: carefully #1"\n---\n\n${bare}`;

const link = ["symlink", "copy"];
const copy = ["copy"];
const either = ["copy", "symlink"];
const section = ["section"];

/** `~` is the home folder, `.` the project. */
type Fact =
  | { refused: string }
  | [path: string, methods: readonly string[], content: string, shape: Placement["shape"]];
type Facts = Record<Scope, Record<Kind, Fact>>;

const noAiderGlobal = { refused: "aider has no global skill directory; use --project" };
const noAiderPackage = { refused: "aider does not support package skills" };
const noClineGlobal = {
  refused:
    "cline is given texts per project by default; use --project, --also cline-rules or --also cline-skills",
};
const noCopilotGlobal = {
  refused:
    "copilot is given texts per project by default; " +
    "use --project, --also copilot-instructions or --also copilot-cli",
};

const facts: Record<(typeof targets)[number], Facts> = {
  cursor: {
    global: {
      skill: ["~/.cursor/skills/code-review", copy, skillFile, "folder"],
      rule: { refused: "cursor keeps user rules in its own settings; there is no global rules file" },
      package: ["~/.cursor/skills/review-kit", copy, "package", "folder"],
    },
    project: {
      skill: ["./.cursor/rules/code-review.mdc", link, cursorRule(false), "file"],
      rule: ["./.cursor/rules/code-review.mdc", link, cursorRule(true), "file"],
      package: ["./.cursor/skills/review-kit", copy, "package", "folder"],
    },
  },
  claude: {
    global: {
      skill: ["~/.claude/skills/code-review", link, skillFile, "folder"],
      rule: ["~/.claude/rules/code-review.md", link, bare, "file"],
      package: ["~/.claude/skills/review-kit", link, "package", "folder"],
    },
    project: {
      skill: ["./.claude/skills/code-review", link, skillFile, "folder"],
      rule: ["./.claude/rules/code-review.md", link, bare, "file"],
      package: ["./.claude/skills/review-kit", link, "package", "folder"],
    },
  },
  codex: {
    global: {
      skill: ["~/.codex/AGENTS.md", section, block, "section"],
      rule: ["~/.codex/AGENTS.md", section, block, "section"],
      package: ["~/.agents/skills/review-kit", either, "package", "folder"],
    },
    project: {
      skill: ["./AGENTS.md", section, block, "section"],
      rule: ["./AGENTS.md", section, block, "section"],
      package: ["./.agents/skills/review-kit", either, "package", "folder"],
    },
  },
  windsurf: {
    global: {
      skill: ["~/.codeium/windsurf/memories/global_rules.md", section, block, "section"],
      rule: ["~/.codeium/windsurf/memories/global_rules.md", section, block, "section"],
      package: ["~/.codeium/windsurf/skills/review-kit", copy, "package", "folder"],
    },
    project: {
      skill: ["./.windsurf/rules/code-review.md", link, windsurfRule("model_decision"), "file"],
      rule: ["./.windsurf/rules/code-review.md", link, windsurfRule("always_on"), "file"],
      package: ["./.windsurf/skills/review-kit", copy, "package", "folder"],
    },
  },
  cline: {
    global: {
      skill: noClineGlobal,
      rule: noClineGlobal,
      package: ["~/.cline/skills/review-kit", either, "package", "folder"],
    },
    project: {
      skill: ["./.clinerules/code-review.md", copy, titled, "file"],
      rule: ["./.clinerules/code-review.md", copy, titled, "file"],
      package: ["./.cline/skills/review-kit", either, "package", "folder"],
    },
  },
  copilot: {
    global: {
      skill: noCopilotGlobal,
      rule: noCopilotGlobal,
      package: ["~/.copilot/skills/review-kit", copy, "package", "folder"],
    },
    project: {
      skill: ["./.github/copilot-instructions.md", section, block, "section"],
      rule: ["./.github/copilot-instructions.md", section, block, "section"],
      package: ["./.github/skills/review-kit", copy, "package", "folder"],
    },
  },
  opencode: {
    global: {
      skill: ["~/.config/opencode/skills/code-review", link, skillFile, "folder"],
      rule: ["~/.config/opencode/AGENTS.md", section, block, "section"],
      package: ["~/.config/opencode/skills/review-kit", either, "package", "folder"],
    },
    project: {
      skill: ["./.opencode/skills/code-review", link, skillFile, "folder"],
      rule: ["./AGENTS.md", section, block, "section"],
      package: ["./.opencode/skills/review-kit", either, "package", "folder"],
    },
  },
  aider: {
    global: { skill: noAiderGlobal, rule: noAiderGlobal, package: noAiderPackage },
    project: {
      skill: ["./.aider/skills/code-review.md", link, titled, "file"],
      rule: ["./.aider/skills/code-review.md", link, titled, "file"],
      package: noAiderPackage,
    },
  },
};

const systems = [
  { name: "POSIX", paths: path.posix, platform: "linux", home: "/home/ann", project: "/work/app" },
  { name: "Windows", paths: path.win32, platform: "win32", home: "C:\\Users\\ann", project: "D:\\app" },
] as const;
type System = (typeof systems)[number];

function placeOf({ paths, platform, home, project }: System, scope: Scope, env = {}): InstallLocation {
  const machine = { paths, platform, home, env };
  return scope === "project" ? { ...machine, scope, projectDir: project } : { ...machine, scope };
}

function place(target: string, item: InstallItem, where: InstallLocation): Placement | { refused: string } {
  return findTarget(target)!.placementOf(item, where);
}

describe("the targets", () => {
  it("are those of the vocabulary, in its order", () => {
    assert.deepEqual(
      targetDefinitions.map(({ name }) => name),
      targets,
    );
    assert.equal(findTarget("constructor"), undefined);
  });

  it("are documented in docs/reference/targets.md: every path, and every reason not to support a skill", () => {
    const document = readFileSync(path.join(checkout, "docs/reference/targets.md"), "utf8");
    for (const [target, scopes] of Object.entries(facts))
      for (const kinds of Object.values(scopes))
        for (const [kind, fact] of Object.entries(kinds)) {
          if ("refused" in fact) assert.ok(document.includes(`\`${fact.refused}\``), fact.refused);
          else {
            const where = fact[0]
              .replace(/^\.\//, "")
              .replace(/\/(?:review-kit|code-review)$/, "/<name>/")
              .replace("code-review", "<name>");
            const row = document.split("\n").find((line) => line.startsWith(`| \`${target}\``))!;
            assert.ok(row.includes(`\`${where}\``), `${target} ${kind}: ${where}`);
          }
        }
  });
});

for (const system of systems)
  for (const target of targets)
    describe(`${target} with paths of ${system.name}`, () => {
      for (const scope of ["global", "project"] as const)
        for (const kind of ["skill", "rule", "package"] as const) {
          const fact = facts[target][scope][kind];
          it(`${"refused" in fact ? "refuses" : "accepts"} a ${kind}, ${scope}`, () => {
            const placed = place(target, items[kind], placeOf(system, scope));

            if ("refused" in fact) return assert.deepEqual(placed, fact);
            assert.ok("shape" in placed);
            const [where, methods, content, shape] = fact;
            const root = where.startsWith("~") ? system.home : system.project;
            assert.equal(placed.path, root + where.slice(1).replaceAll("/", system.paths.sep));
            assert.deepEqual(placed.methods, methods);
            assert.equal(placed.shape, shape);
            if (placed.shape === "section") assert.equal(placed.block, content);
            else if (placed.content === "package") assert.equal(content, "package");
            else {
              assert.equal(placed.content.text, content);
              const name = placed.shape === "folder" ? "SKILL.md" : system.paths.basename(placed.path);
              assert.equal(placed.content.file, name);
            }
          });
        }
    });

describe("an install location", () => {
  const [posix, windows] = systems;

  for (const [target, env, wanted] of [
    ["claude", { CLAUDE_CONFIG_DIR: "/etc/cc" }, "/etc/cc/skills/code-review"],
    ["claude", { CLAUDE_CONFIG_DIR: "/etc/cc/" }, "/etc/cc/skills/code-review"],
    ["claude", { CLAUDE_CONFIG_DIR: "" }, "/home/ann/.claude/skills/code-review"],
    ["claude", { CLAUDE_CONFIG_DIR: "here" }, "/home/ann/.claude/skills/code-review"],
    ["codex", { CODEX_HOME: "/opt/codex" }, "/opt/codex/AGENTS.md"],
    ["opencode", { XDG_CONFIG_HOME: "/cfg" }, "/cfg/opencode/skills/code-review"],
  ] as const)
    it(`of ${target} with ${JSON.stringify(env)} is ${wanted}`, () => {
      const placed = place(target, skill, placeOf(posix, "global", env));
      assert.ok("path" in placed);
      assert.equal(placed.path, wanted);
      // A variable that moves a person's own folders does not move a project's.
      const inProject = place(target, skill, placeOf(posix, "project", env));
      assert.ok("path" in inProject && inProject.path.startsWith("/work/app/"));
    });

  it("may be on another disk of Windows", () => {
    const placed = place("codex", skill, placeOf(windows, "global", { CODEX_HOME: "E:\\codex" }));
    assert.ok("path" in placed);
    assert.equal(placed.path, "E:\\codex\\AGENTS.md");
  });

  it("is named after the skill if a package has no usable name of its own", () => {
    const { packageName: _, ...plain } = items.package;
    for (const target of targets.filter((name) => name !== "aider")) {
      const placed = place(target, plain, placeOf(posix, "project"));
      assert.ok("path" in placed && placed.path.endsWith("/skills/code-review"), target);
    }
  });

  it("avoids the folder name that Claude Code reserves", () => {
    for (const item of [
      { ...items.package, packageName: "synced" },
      { ...skill, installName: "synced" },
    ]) {
      const placed = place("claude", item, placeOf(posix, "global"));
      assert.ok("path" in placed && placed.path.endsWith("/skills/synced-skill"));
    }
  });
});

describe("a limit of a tool", () => {
  const project = placeOf(systems[0], "project");

  it("counts a windsurf rule's characters, frontmatter included", () => {
    const text = (length: number) => place("windsurf", { ...skill, body: "é".repeat(length) }, project);
    const head = windsurfRule("model_decision").length - bare.length;
    const most = 12_000 - head - 1;

    assert.ok("path" in text(most));
    assert.deepEqual(text(most + 1), { refused: "windsurf rule would exceed 12000 characters" });
    assert.ok("path" in place("windsurf", { ...skill, body: "🚀".repeat(most) }, project));
  });

  it("is reported with the sections that cause it", () => {
    const of = (target: string, scope: Scope) => {
      const placed = place(target, skill, placeOf(systems[0], scope));
      assert.ok("shape" in placed && placed.shape === "section");
      return placed;
    };
    assert.deepEqual(of("windsurf", "global").limit, {
      characters: 6000,
      refusal: "windsurf global rules file would exceed 6000 characters",
    });
    assert.deepEqual(
      [of("codex", "project").advised?.size, of("codex", "project").advised?.unit],
      [32_768, "bytes"],
    );
    assert.equal(of("codex", "global").hiddenBy, "AGENTS.override.md");
    const { advised } = of("copilot", "project");
    assert.deepEqual([advised?.size, advised?.unit], [4000, "characters"]);
  });
});
