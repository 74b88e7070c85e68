/** Which sentences of a skill say when to use it, and numbers with their nouns. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shownUses, whenToUse } from "../../contract/document/when-to-use.ts";
import { countText } from "../../contract/text/count-text.ts";

const body =
  "# Use when reading\n\n- Use it for **tables** in [a file](x.md).\nOther.\n```\nUse it when coding.\n```\n";

describe("the sentences that say when to use a skill", () => {
  it("are those of the description, and lines of the text that are no headings and no code", () => {
    assert.deepEqual(whenToUse("Reads files. Use when a file is large.", body), [
      "Use when a file is large.",
      "- Use it for **tables** in [a file](x.md).",
    ]);
  });

  it("are shown without Markdown, each once, a few of them, and cut", () => {
    assert.deepEqual(shownUses("", `${body}${body}`), ["Use it for tables in a file."]);
    const many = Array.from({ length: 50 }, (_, at) => `Use it for ${at} ${"word ".repeat(100)}`).join("\n");
    const shown = shownUses("", many);
    assert.equal(shown.length, 5);
    assert.ok(shown.every((text) => text.length <= 240));
  });

  it("take time in proportion to the text, whatever is in it", () => {
    for (const text of ["*".repeat(1e6), "[".repeat(1e6), "Use it when [".repeat(1e5), "\n```".repeat(1e5)])
      assert.ok(shownUses(text, text).length <= 5);
  });
});

describe("a number with its noun", () => {
  it("is singular for one only", () => {
    assert.equal(countText(1, "download"), "1 download");
    assert.equal(countText(0, "download"), "0 downloads");
    assert.equal(countText(2000, "directory", "directories"), "2,000 directories");
  });
});
