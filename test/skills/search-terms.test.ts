import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { groupsOf, relate } from "../../src/skills/search/ranking/query.ts";
import { scorerOf } from "../../src/skills/search/ranking/score.ts";
import { packTerms } from "../../src/skills/search/terms/packed.ts";
import { relatedGroups } from "../../src/skills/search/terms/related-words.ts";
import { weighTerms } from "../../src/skills/search/terms/skill-terms.ts";
import { distanceOf, editsOf, keysOf } from "../../src/skills/search/terms/spellings.ts";
import { wordsOf } from "../../src/skills/search/terms/words.ts";

const skill = { name: "", slug: "", tags: [], description: "", body: "", files: [] };
const related = relate(relatedGroups);
const packed = (fields: object) => packTerms(weighTerms({ ...skill, ...fields }, 1000).terms);
const score = (query: string, fields: object) =>
  scorerOf(groupsOf(query, related), { entries: 1000, of: () => 10 })(packed(fields));
const isFound = (query: string, fields: object) => score(query, fields).coverage === 1;

describe("the words of a text", () => {
  it("are folded and stemmed", () => {
    assert.ok(isFound("REVIEWS", { name: "Code reviewing" }));
    assert.ok(isFound("ＰＤＦ", { name: "pdf tools" }));
    assert.ok(isFound("resume", { body: "Write a résumé." }));
    assert.ok(isFound("migrations", { body: "Migrate a database; the migration is reversible." }));
    assert.ok(isFound("über", { name: "Überblick über alles" }));
    assert.ok(!isFound("news", { body: "a new thing" }));
  });

  it("are pairs of characters in scripts that don't separate words", () => {
    assert.deepEqual(
      wordsOf("設計レビュー", 9).map(({ stem }) => stem),
      ["設計", "計レ", "レビ", "ビュ", "ュー"],
    );
    assert.ok(isFound("設計", { name: "設計レビュー" }));
    assert.ok(isFound("테스트", { body: "단위 테스트를 쓴다" }));
    assert.ok(!isFound("計画", { name: "設計レビュー" }));
  });

  it("keep names that have signs apart", () => {
    assert.ok(isFound("c++", { body: "Modern C++ style." }) && !isFound("c++", { body: "Written in C." }));
    assert.ok(isFound("c#", { description: "For C# and .NET." }));
    assert.ok(isFound(".net", { description: "For C# and .NET." }));
  });

  it("are found in either form of a compound", () => {
    for (const [query, description] of [
      ["webapp", "Tests a web app."],
      ["web app", "Tests a webapp."],
      ["web-app", "Tests a web app."],
      ["end to end", "An end-to-end test."],
      ["e2e", "An end-to-end test."],
      ["nodejs", "For Node.js."],
    ] as const)
      assert.ok(score(query, { description }).value > 0, query);
  });

  it("take work in proportion to a text, however it is written", () => {
    for (const text of ["\ufdfa", "\u3316", "設", "ก", "a", "a-", "\ud800", "\u202e", "é"]) {
      const long = text.repeat(70_000);
      const { terms } = weighTerms(
        { ...skill, name: long, description: long, body: long, files: [long] },
        1000,
      );
      assert.ok(terms.length <= 1000);
    }
  });
});

describe("the score of a skill", () => {
  it("requires no word of a query, and grows with each that it has", () => {
    const fields = { name: "pdf", description: "Fills in forms of PDF documents." };
    const values = ["lasagna", "lasagna form", "pdf form lasagna", "pdf form"].map(
      (query) => score(query, fields).value,
    );
    assert.deepEqual(
      values,
      values.toSorted((a, b) => a - b),
    );
    assert.equal(values[0], 0);
  });

  it("counts words by their field: name, tags, description, text", () => {
    const values = [
      { name: "terraform" },
      { tags: ["terraform"] },
      { description: "Runs terraform for you." },
      { body: "Runs terraform for you." },
    ].map((fields) => score("terraform", { name: "x", ...fields }).value);
    assert.deepEqual(
      values,
      values.toSorted((a, b) => b - a),
    );
  });

  it("counts a phrase more than its words apart", () => {
    const together = score("code review", { description: "A thorough code review." }).value;
    const apart = score("code review", { description: "A review of thorough code." }).value;
    assert.ok(together > apart);
  });

  it("counts related words, in each direction, less than the word itself", () => {
    for (const [one, other] of [
      ["excel", "spreadsheet"],
      ["k8s", "kubernetes"],
      ["slides", "ppt"],
      ["e2e", "end-to-end"],
      ["pr", "pull request"],
    ] as const)
      for (const [query, text] of [
        [one, other],
        [other, one],
      ]) {
        const found = score(query!, { description: `About ${text} only.` }).value;
        assert.ok(
          found > 0 && found < score(query!, { description: `About ${query} only.` }).value,
          `${query} in ${text}`,
        );
      }
  });

  it("ignores words that every text has, unless a query has no others", () => {
    assert.equal(score("how do I use the thing", { description: "How to use the thing." }).value, 0);
    assert.deepEqual(
      groupsOf("a pdf in the form", related)
        .filter(({ isCompound }) => !isCompound)
        .map(({ word }) => word),
      ["pdf", "form"],
    );
    assert.ok(score("how to", { name: "How to" }).value > 0);
  });
});

describe("a mistyped word", () => {
  it("has a key in common with every spelling that it is near to", () => {
    for (const [typed, meant] of [
      ["testng", "testing"],
      ["kubernets", "kubernetes"],
      ["postgers", "postgres"],
      ["accessibilty", "accessibility"],
      ["databse", "database"],
      ["documentaion", "documentation"],
      ["teh", "the"],
    ] as const) {
      const limit = editsOf(meant);
      const isNear = distanceOf(typed, meant, 2) <= limit;
      const keys = new Set(keysOf(meant));
      assert.equal(isNear, meant.length > 3, typed);
      if (isNear)
        assert.ok(
          keysOf(typed).some((key) => keys.has(key)),
          typed,
        );
    }
  });

  it("is corrected by one edit from 4 letters on, and by two from 8", () => {
    assert.deepEqual(["abc", "abcd", "abcdefg", "abcdefgh", "設計設計設計"].map(editsOf), [0, 1, 1, 2, 0]);
    assert.equal(distanceOf("form", "from", 2), 1);
    assert.equal(distanceOf("kitten", "sitting", 2), 3);
    assert.ok(keysOf("accessibility").length <= 46);
  });
});
