/** Frontmatter in the dashboard: the keys that the editor offers, and the problem that a page shows. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { readSkillText, sentenceOf } from "../../contract/checks/skill-rules.ts";
import { ruleKeys, skillKeys } from "../../contract/document/known-keys.ts";
import { bundleModule } from "../support/web/bundle-module.ts";

interface Keys {
  completeKeys(context: CompletionContext): CompletionResult | null;
}
interface Checks {
  checkFiles(checked: {
    files: { path: string; mode: string; data: Uint8Array }[];
    base: undefined;
    type: "skill";
    text: string;
  }): { line: number; message: string }[];
}
interface Reading {
  readFrontmatter(source: string): { body: string; problem?: string };
}

describe("the editor", () => {
  it("offers every key that a tool uses once, with those tools, except the ones that are there", async () => {
    const { completeKeys } = await bundleModule<Keys>("web/src/pages/editor/code/frontmatter-keys.ts");
    const doc = "---\nname: kit\nmodel: x\n\n---\n";
    const at = doc.indexOf("\n---\n");
    const offered = completeKeys(new CompletionContext(EditorState.create({ doc }), at, true))!.options;

    const labels = offered.map(({ label }) => label);
    assert.equal(new Set(labels).size, labels.length);
    const known = ["description", "tags", ...Object.keys(skillKeys), ...Object.keys(ruleKeys)];
    assert.deepEqual(new Set(labels), new Set(known.filter((key) => key !== "model")));
    const paths = offered.find(({ label }) => label === "paths");
    assert.equal(paths?.info, "Used by Claude Code, Cursor, Cline.");
  });

  it("shows a problem of the whole text at its first line", async () => {
    const { checkFiles } = await bundleModule<Checks>("web/src/pages/editor/checks.ts");
    const text = `---\nname: kit\ndescription: Use it always.\n---\n${"word ".repeat(5_000)}\n`;
    const files = [{ path: "SKILL.md", mode: "100644", data: Buffer.from(text) }];

    const problems = checkFiles({ files, base: undefined, type: "skill", text });
    assert.equal(problems.length, 1);
    assert.match(problems[0]!.message, /tokens/);
    assert.equal(problems[0]!.line, 1);
  });
});

describe("the page of a version", () => {
  it("shows line and remedy of frontmatter that can't be read, in the words of lint", async () => {
    const file = "web/src/pages/skill/readme/read-frontmatter.ts";
    const { readFrontmatter } = await bundleModule<Reading>(file);
    const text = "---\nname: kit\ndescription: Use it: always\n---\n\nText.\n";
    const [fault] = readSkillText(text, "package").faults;

    const { problem, body } = readFrontmatter(text);
    assert.equal(problem, `Line ${fault!.line}: ${sentenceOf(fault!)}`);
    assert.match(problem, /^Line 3: .*`description: "Use it: always"`/);
    assert.equal(body, text);
  });
});
