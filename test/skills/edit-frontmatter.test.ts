import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readSkillText } from "../../contract/checks/skill-rules.ts";
import { completeHead, generateHead } from "../../contract/document/edit-frontmatter.ts";
import { splitFrontmatter } from "../../contract/document/frontmatter.ts";
import { withManagedHeader, withoutManagedHeader } from "../../repos/mirror/layout.ts";
import { splitStored } from "../../src/skills/frontmatter.ts";
import { readTextSource } from "../../src/skills/publish/content/text-source.ts";
import { computeHere } from "../support/compute/compute-here.ts";
import { runCount } from "../support/run-count.ts";
import { skillTexts, type GeneratedText } from "../support/skill-texts.ts";

const numRuns = runCount(500, 20_000);
const slugs = fc.constantFrom("tool", "my-tool", "true", "1e3", "no", "007", "a");

const others = (fields: ReadonlyMap<string, unknown>, hasDescription: boolean) =>
  [...fields]
    .filter(([key]) => key !== "name" && (hasDescription || key !== "description"))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

describe("frontmatter as source text", () => {
  it("is edited in place: only the name's value and a missing description change", () => {
    const values = { description: 'It "says" \u2028: # so' };
    fc.assert(
      fc.property(skillTexts, slugs, (generated: GeneratedText, name) => {
        const { text, head, body, around, hasDescription } = generated;
        const split = readSkillText(text, "markdown");
        assert.deepEqual(split.faults, []);
        assert.deepEqual([split.head, split.body, split.defaults.name], [head, body, generated.name]);

        const completed = completeHead(head, { name, ...values });

        if (generated.name === name && hasDescription && !/\bname: \|/.test(head))
          assert.equal(completed, head);
        const fields = splitFrontmatter(`${completed}x`).fields!;
        assert.equal(fields.get("name"), name);
        if (!hasDescription) assert.equal(fields.get("description"), values.description);
        assert.deepEqual(others(fields, hasDescription), others(split.fields ?? new Map(), hasDescription));
        assert.equal(completeHead(completed, { name, description: "another" }), completed);
        if (around && hasDescription) {
          const stored = completed + body;
          assert.ok(stored.startsWith(around.before), JSON.stringify([around.before, stored]));
          assert.ok(stored.endsWith(around.after), JSON.stringify([around.after, stored]));
        }
      }),
      { numRuns },
    );
  });

  it("is preserved in the stored and exported text, with an identical body", async () => {
    await fc.assert(
      fc.asyncProperty(skillTexts, slugs, async ({ text, body }, slug) => {
        const source = await readTextSource(computeHere, text, "skill");
        const { source: tree } = await source.tree({ slug, type: "skill" }, "A description");
        assert.ok(tree.kind === "files");
        const stored = tree.files[0]!.data.toString("utf8");

        assert.equal(splitStored(stored, source.hash!)?.body, body);
        const exported = withManagedHeader(stored);
        assert.equal(withoutManagedHeader(exported), stored);
        assert.equal(withManagedHeader(exported), exported);
        const again = await readTextSource(computeHere, stored, "skill");
        assert.deepEqual((await again.tree({ slug, type: "skill" }, "Another one")).source, tree);
      }),
      { numRuns },
    );
  });

  const description = "D";
  const edits: [what: string, head: string, name: string, expected: string][] = [
    [
      "a plain value",
      "---\nname: A b # c\na: 1.10\n---\n",
      "x",
      '---\nname: x # c\ndescription: "D"\na: 1.10\n---\n',
    ],
    [
      "an empty value",
      "---\nname: # c\ndescription: e\n---\n",
      "x",
      "---\nname: x # c\ndescription: e\n---\n",
    ],
    ["no value", "---\nname:\ndescription:\n---\n", "x", '---\nname: x\ndescription: "D"\n---\n'],
    ["a number", "---\nname: 12\ndescription: e\n---\n", "12", '---\nname: "12"\ndescription: e\n---\n'],
    [
      "a missing name",
      "---\n# c\na: ~\ndescription: e\n---\n",
      "x",
      "---\nname: x\n# c\na: ~\ndescription: e\n---\n",
    ],
    [
      "an indented mapping",
      "---\n  a: 1\n  b: 2\n---\n",
      "x",
      '---\n  name: x\n  description: "D"\n  a: 1\n  b: 2\n---\n',
    ],
    ["CRLF", "---\r\nname: y\r\n---\r\n\r\n", "x", '---\r\nname: x\r\ndescription: "D"\r\n---\r\n\r\n'],
    ["a flow mapping", "---\n{a: 1}\n---\n", "x", '---\n{description: "D", name: x, a: 1}\n---\n'],
    ["nothing but a comment", "---\n# c\n---\n", "x", '---\nname: x\ndescription: "D"\n# c\n---\n'],
    ["no frontmatter", "\uFEFF", "x", "\uFEFF---\nname: x\ndescription: D\n---\n\n"],
    [
      "a comment that is a key after a line break of YAML 1.1",
      "---\nname: x\ndescription: e # c\rname: y\n---\n",
      "x",
      "---\nname: x\ndescription: e\n---\n\n",
    ],
    [
      "a second name after a line break of YAML 1.1",
      '---\nname: x\ndescription: "e"\n# \u2028name: y\na: "b\u0085c"\n---\n',
      "x",
      '---\nname: x\ndescription: e\na: "b\\u0085c"\n---\n\n',
    ],
    ["a key without a value", "---\n? name\na: 1\n---\n", "x", "---\nname: x\ndescription: D\na: 1\n---\n\n"],
  ];
  for (const [what, head, name, expected] of edits)
    it(`is completed if it has ${what}`, () => {
      const completed = completeHead(head, { name, description });

      assert.equal(completed, expected);
    });

  it("ends at a fence at the start of a line, and at no other line break", () => {
    for (const odd of ["\r", "\u2028", "\u2029"]) {
      const text = `---\nname: x\ndescription: e${odd}---\nhidden: y\n---\nB`;
      const { fields, body } = splitFrontmatter(text);

      assert.equal(fields?.get("hidden"), "y");
      assert.equal(body, "B");
    }
  });

  it("is generated from its values if a block can't be parsed", () => {
    const values = { name: "x", description };

    assert.equal(completeHead("---\nnot closed", values), generateHead(values, new Map()));
    assert.equal(completeHead(`---\na: ${"[".repeat(100)}\n---\n`, values), generateHead(values, new Map()));
  });
});
