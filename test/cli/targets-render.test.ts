import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parse } from "yaml";
import { claude } from "../../cli/targets/claude.ts";
import {
  isSkillFolderName,
  renderBlock,
  renderSkillFile,
  renderTitled,
  skillFolderName,
} from "../../cli/targets/render.ts";
import type { InstallItem } from "../../cli/targets/target.ts";
import { yamlText } from "../../contract/document/yaml-text.ts";
import { anyCharacter } from "../support/any-character.ts";
import { assertProcessorSeconds } from "../support/processor-time.ts";

const skill: InstallItem = {
  installName: "code-review",
  name: "Code Review: *strict*",
  description: "Reviews\n  code: carefully #1",
  type: "skill",
  format: "markdown",
  body: "\n# Review\n\nDo it.\n\n",
};

describe("rendering", () => {
  it("describes a skill by its description, else by its first paragraph, else by its name", () => {
    const text = (item: Partial<InstallItem>) => {
      const machine = { home: "/h", env: {}, platform: "linux", paths: path.posix } as const;
      const placed = claude.placementOf(
        { ...skill, description: " ", ...item },
        { ...machine, scope: "global" },
      );
      assert.ok("content" in placed && placed.content !== "package");
      return /description: (.*)/.exec(placed.content.text)![1];
    };
    assert.equal(
      text({ body: "# T\n\n```sh\nx\n```\n\n- **Use** [this](u) `now`\n  please\n" }),
      '"Use this now please"',
    );
    assert.equal(text({ body: "# Only a heading\n" }), '"Code Review: *strict*"');
    assert.equal(text({ description: "x".repeat(1024) }), `"${"x".repeat(1024)}"`);
    assert.equal(text({ description: "x".repeat(2000) }), `"${"x".repeat(1023)}…"`);
    assert.equal(
      text({ description: "four ".repeat(400) }),
      `"${"four ".repeat(204)}four…"`.replace(" four…", "…"),
    );
    assert.equal(text({ description: "😀".repeat(1024) }), `"${"😀".repeat(1024)}"`);
  });

  it("writes any text as a YAML string that round-trips", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => assert.equal(parse(yamlText(text)), text)),
    );
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) =>
        assert.equal(parse(`a: ${yamlText(text)}`).a, text),
      ),
    );
  });

  it("keeps a heading on one line", () => {
    assert.equal(renderBlock({ ...skill, name: "a\nb", body: "" }), "## a b");
  });

  it("derives folder names that every tool accepts", () => {
    fc.assert(
      fc.property(fc.string(), (text) =>
        assert.match(skillFolderName(text), /^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/),
      ),
    );
  });

  it("derives no name that is a device on Windows", () => {
    for (const name of ["con", "NUL", "com1", "lpt9", "aux"]) {
      assert.equal(skillFolderName(name), `${name.toLowerCase()}-skill`);
      assert.ok(!isSkillFolderName(name.toLowerCase()));
    }
    assert.equal(skillFolderName("console"), "console");
  });

  for (const [what, body, hasOne] of [
    ["a heading", "x\n\n# T\ny", true],
    ["an underlined heading", "T\n===\n", true],
    ["a heading with CRLF", "# T\r\ny\r\n", true],
    ["an empty heading", "#\n", true],
    ["only lower headings", "## T\n", false],
    ["a comment in code", "```sh\n# not a title\n```\n", false],
    ["a comment in longer fences", "~~~~\n~~~\n# no\n~~~~\nx", false],
    ["a heading behind code", "```\nx\n```\n# T", true],
    ["a rule of equal signs", "\n\n===\n", false],
    ["a hash tag", "#tag\n", false],
  ] as const)
    it(`gives a text with ${what} ${hasOne ? "no other title" : "a title"}`, () => {
      const text = renderTitled({ ...skill, body });
      assert.equal(text.startsWith("# Code Review: *strict*\n\n"), !hasOne, text);
      assert.ok(text.endsWith("\n") && !text.endsWith("\n\n"));
    });
});

describe("a text that slows down regular expressions", () => {
  const size = 500_000;
  for (const [kind, body] of [
    ["blanks", `a${" ".repeat(size)}x`],
    ["newlines", `a${"\n".repeat(size)}x`],
    ["brackets", "[".repeat(size)],
    ["links", "[a](".repeat(size / 4)],
    ["backticks", `${"`".repeat(size)}x`],
  ] as const)
    it(`is rendered quickly: ${kind}`, () =>
      assertProcessorSeconds(5, () => {
        const item = { ...skill, description: "", body };
        for (const render of [renderBlock, renderTitled, renderSkillFile]) render(item);
      }));
});
