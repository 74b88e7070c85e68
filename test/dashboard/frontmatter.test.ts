/** Frontmatter in the dashboard: the keys that the editor offers, and the problem that a page shows. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { ruleKeys, skillKeys } from "../../contract/known-keys.ts";
import { readSkillText, sentenceOf } from "../../contract/skill-rules.ts";
import { bundleModule } from "../support/web/bundle-module.ts";

interface Keys {
  completeKeys(context: CompletionContext): CompletionResult | null;
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
