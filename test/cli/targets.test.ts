import assert from "node:assert/strict";
import { describe, it } from "node:test";
import path from "node:path";
import { findTarget } from "../../cli/targets/index.ts";
import { renderBlock, skillFolderName, yamlText } from "../../cli/targets/render.ts";
import type { InstallItem, InstallPlace, Placement } from "../../cli/targets/target.ts";
import { parse } from "yaml";
import fc from "fast-check";

const home = "/home/ann";
const machine = { home, env: {}, platform: "linux", paths: path.posix } as const;
const global: InstallPlace = { ...machine, scope: "global" };
const project: InstallPlace = { ...machine, scope: "project", projectDir: "/work/app" };
const skill: InstallItem = {
  installName: "code-review",
  name: "Code Review: *strict*",
  description: "Reviews\n  code: carefully #1",
  type: "skill",
  format: "markdown",
  body: "\n# Review\n\nDo it.\n\n",
};
const rule: InstallItem = { ...skill, type: "rule" };
const pack: InstallItem = { ...skill, format: "package", body: "", packageName: "review-kit" };

function place(target: string, item: InstallItem, where: InstallPlace): Placement | { refused: string } {
  return findTarget(target)!.place(item, where);
}

const skillFile =
  '---\nname: code-review\ndescription: "Reviews code: carefully #1"\n---\n\n\n# Review\n\nDo it.\n';

describe("claude", () => {
  for (const [where, root] of [
    [global, "/home/ann/.claude"],
    [project, "/work/app/.claude"],
    [{ ...global, env: { CLAUDE_CONFIG_DIR: "/etc/cc" } }, "/etc/cc"],
  ] as const)
    it(`takes skills, rules and packages under ${root}`, () => {
      assert.deepEqual(place("claude", skill, where), {
        shape: "folder",
        path: `${root}/skills/code-review`,
        content: { file: "SKILL.md", text: skillFile },
        methods: ["symlink", "copy"],
      });
      assert.deepEqual(place("claude", rule, where), {
        shape: "file",
        path: `${root}/rules/code-review.md`,
        content: { file: "code-review.md", text: "\n# Review\n\nDo it.\n" },
        methods: ["symlink", "copy"],
      });
      assert.deepEqual(place("claude", pack, where), {
        shape: "folder",
        path: `${root}/skills/review-kit`,
        content: "package",
        methods: ["symlink", "copy"],
      });
    });

  it("stays clear of the folder name that the tool keeps for itself", () => {
    const placed = place("claude", { ...pack, packageName: "synced" }, global);
    assert.ok("path" in placed && placed.path.endsWith("/skills/synced-skill"));
  });
});

describe("cursor", () => {
  it("takes texts as project rules, picked by description or always on", () => {
    for (const [item, always] of [
      [skill, "false"],
      [rule, "true"],
    ] as const)
      assert.deepEqual(place("cursor", item, project), {
        shape: "file",
        path: "/work/app/.cursor/rules/code-review.mdc",
        content: {
          file: "code-review.mdc",
          text: `---\ndescription: "Reviews code: carefully #1"\nglobs:\nalwaysApply: ${always}\n---\n\n\n# Review\n\nDo it.\n`,
        },
        methods: ["symlink", "copy"],
      });
  });

  it("takes a skill for the user as a copied skill folder, and no rule", () => {
    assert.deepEqual(place("cursor", skill, global), {
      shape: "folder",
      path: "/home/ann/.cursor/skills/code-review",
      content: { file: "SKILL.md", text: skillFile },
      methods: ["copy"],
    });
    assert.deepEqual(place("cursor", rule, global), {
      refused: "cursor keeps user rules in its own settings; there is no global rules file",
    });
  });

  it("takes packages as copied skill folders", () => {
    for (const [where, root] of [
      [global, home],
      [project, "/work/app"],
    ] as const)
      assert.deepEqual(place("cursor", pack, where), {
        shape: "folder",
        path: `${root}/.cursor/skills/review-kit`,
        content: "package",
        methods: ["copy"],
      });
  });
});

describe("codex", () => {
  for (const [where, folder] of [
    [global, "/home/ann/.codex"],
    [project, "/work/app"],
    [{ ...global, env: { CODEX_HOME: "/opt/codex" } }, "/opt/codex"],
  ] as const)
    it(`takes texts as a section of ${folder}/AGENTS.md`, () => {
      for (const item of [skill, rule]) {
        const placed = place("codex", item, where);
        assert.ok("shape" in placed && placed.shape === "section");
        assert.equal(placed.path, `${folder}/AGENTS.md`);
        assert.equal(placed.block, "## Code Review: *strict*\n\n# Review\n\nDo it.");
        assert.equal(placed.hiddenBy, "AGENTS.override.md");
        assert.deepEqual([placed.advised?.size, placed.advised?.unit], [32_768, "bytes"]);
      }
    });

  it("takes packages under .agents", () => {
    const placed = place("codex", { ...pack, packageName: undefined }, project);
    assert.deepEqual(placed, {
      shape: "folder",
      path: "/work/app/.agents/skills/code-review",
      content: "package",
      methods: ["copy", "symlink"],
    });
  });
});

describe("rendering", () => {
  it("describes a skill by its first paragraph, then by its name, when it has no description", () => {
    const text = (item: Partial<InstallItem>) => {
      const placed = place("claude", { ...skill, description: " ", ...item }, global);
      assert.ok("content" in placed && placed.content !== "package");
      return /description: (.*)/.exec(placed.content.text)![1];
    };
    assert.equal(
      text({ body: "# T\n\n```sh\nx\n```\n\n- **Use** [this](u) `now`\n  please\n" }),
      '"Use this now please"',
    );
    assert.equal(text({ body: "# Only a heading\n" }), '"Code Review: *strict*"');
    assert.equal(text({ description: "x".repeat(2000) }), `"${"x".repeat(1024)}"`);
  });

  it("writes any text as a YAML string that reads back the same", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => assert.equal(parse(yamlText(text)), text)),
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) =>
        assert.equal(parse(`a: ${yamlText(text)}`).a, text),
      ),
    );
  });

  it("keeps a heading on one line", () => {
    assert.equal(renderBlock({ ...skill, name: "a\nb", body: "" }), "## a b");
  });

  it("makes folder names that every tool accepts", () => {
    fc.assert(
      fc.property(fc.string(), (text) =>
        assert.match(skillFolderName(text), /^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/),
      ),
    );
  });
});
