import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { termsOfQuery, termsOfSkill } from "../../src/skills/search/search-terms.ts";

const skill = { name: "", slug: "", tags: [], description: "", excerpt: "" };
const isFound = (query: string, fields: object) => {
  const terms = new Set(termsOfSkill({ ...skill, ...fields }));
  const asked = termsOfQuery(query);
  return asked.length > 0 && asked.every((term) => terms.has(term));
};

describe("search terms", () => {
  it("match whole words of the text, and prefixes of words of the name, the slug and the tags", () => {
    assert.ok(isFound("rebase", { excerpt: "How to rebase a branch." }));
    assert.ok(!isFound("reb", { excerpt: "How to rebase a branch." }));
    assert.ok(isFound("reb", { name: "Interactive rebase" }));
    assert.ok(isFound("inter reb", { name: "Interactive rebase" }));
    assert.ok(isFound("kuber", { tags: ["kubernetes"] }));
    assert.ok(!isFound("base", { name: "Interactive rebase" }));
  });

  it("ignore case, width and plurals", () => {
    assert.ok(isFound("REVIEWS", { name: "Code review" }));
    assert.ok(isFound("review", { excerpt: "Reviews changes." }));
    assert.ok(isFound("ＰＤＦ", { name: "pdf tools" }));
    assert.ok(isFound("class", { excerpt: "one class" }) && !isFound("clas", { excerpt: "one class" }));
  });

  it("split languages that are written without spaces", () => {
    assert.ok(isFound("設計", { name: "設計レビュー" }));
    assert.ok(isFound("レビュー", { name: "設計レビュー" }));
    assert.ok(isFound("über", { name: "Überblick" }));
  });

  it("are found in short parts of a text, however long its words or its folded form are", (t) => {
    const segment = t.mock.method(Intl.Segmenter.prototype, "segment");
    // Each of these letters is folded to 18 and to 6.
    for (const text of ["\ufdfa", "\u3316", "設", "ก"].map((letter) => letter.repeat(2000))) {
      segment.mock.resetCalls();
      termsOfSkill({ ...skill, description: text, excerpt: text });

      const lengths = segment.mock.calls.map(({ arguments: [part] }) => part.length);
      assert.ok(Math.max(0, ...lengths) <= 100);
      assert.ok(lengths.reduce((sum, length) => sum + length, 0) < 5000);
    }
  });

  it("are limited in number, however long the text is", () => {
    const excerpt = Array.from({ length: 2000 }, (_, n) => `word${n}`).join(" ");

    assert.ok(termsOfSkill({ ...skill, name: excerpt.slice(0, 100), excerpt }).length < 500);
    assert.ok(termsOfQuery(excerpt).length <= 8);
    assert.deepEqual(termsOfQuery("+-*/ $^"), []);
  });
});
