import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  applySection,
  readSection,
  removeSection,
  sectionContent,
} from "../../cli/install/locations/section.ts";
import { anyCharacter } from "../support/any-character.ts";
import { runCount } from "../support/run-count.ts";

function applied(text: string | undefined, name: string, block: string): string {
  const edit = applySection(text, name, block);
  assert.ok("text" in edit, JSON.stringify(edit));
  return edit.text;
}

function removed(text: string, name: string): string {
  const edit = removeSection(text, name);
  assert.ok("text" in edit, JSON.stringify(edit));
  return edit.text;
}

const hasMarker = (text: string) => /svc:(?:start|end)/.test(text);
const foreign = fc
  .array(fc.constantFrom("a", "#", " ", "\n", "\r\n", "\r", "\uFEFF", "é", "```\n", "<!-- x -->", "\n\n"), {
    maxLength: 12,
  })
  .map((parts) => parts.join(""))
  .filter((text) => !hasMarker(text));
const block = fc
  .array(fc.constantFrom("## T", "b", "\n", "\r\n", "\r", "\n\n", " "), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(""));

describe("a section", () => {
  it("is appended after a blank line", () => {
    assert.equal(
      applied("# Mine\n", "one", "## One\n\nbody"),
      "# Mine\n\n<!-- svc:start:one -->\n## One\n\nbody\n\n<!-- svc:end:one -->\n",
    );
  });

  it("is written to a new file if there is none", () => {
    assert.equal(applied(undefined, "one", "x"), "<!-- svc:start:one -->\nx\n\n<!-- svc:end:one -->\n");
  });

  it("is replaced in place, between the text of others", () => {
    const text = `before\r\n\r\n${applied("", "one", "old").replaceAll("\n", "\r\n")}after`;

    const next = applied(text, "one", "new\nlines");

    assert.equal(
      next,
      "before\r\n\r\n<!-- svc:start:one -->\r\nnew\r\nlines\r\n\r\n<!-- svc:end:one -->\r\nafter",
    );
    assert.equal(applied(next, "one", "new\nlines"), next);
  });

  it("keeps a byte order mark and is found after it", () => {
    const text = applied("\uFEFF", "one", "x");
    assert.ok(text.startsWith("\uFEFF<!-- svc:start:one -->"));
    assert.equal(applied(text, "one", "x"), text);
    assert.equal(removed(text, "one"), "\uFEFF");
  });

  for (const [what, text] of [
    ["two starts", "<!-- svc:start:one -->\n<!-- svc:start:one -->\n<!-- svc:end:one -->\n"],
    ["no end", "<!-- svc:start:one -->\nx\n"],
    ["the end first", "<!-- svc:end:one -->\n<!-- svc:start:one -->\n"],
    [
      "another section inside",
      "<!-- svc:start:one -->\n<!-- svc:start:two -->\n<!-- svc:end:one -->\n<!-- svc:end:two -->\n",
    ],
  ] as const)
    it(`is rejected in a file with ${what}`, () => {
      assert.ok("refused" in applySection(text, "one", "x"));
      assert.ok("refused" in removeSection(text, "one"));
    });

  it("is rejected if its text would look like a marker", () => {
    for (const text of ["a\n<!-- svc:end:other -->\nb", "a\r<!-- svc:start:x -->"])
      assert.ok("refused" in applySection("", "one", text), text);
    assert.ok("text" in applySection("", "one", "see <!-- svc:end:other --> here"));
  });

  it("leaves every other byte unchanged, and its removal restores the file", () => {
    fc.assert(
      fc.property(foreign, block, block, (text, first, second) => {
        const once = applied(text, "one", first);
        const twice = applied(once, "one", second);

        assert.ok(once.startsWith(text));
        assert.ok(twice.startsWith(text));
        assert.equal(applied(twice, "one", second), twice);
        assert.equal(readSection(twice, "one"), sectionContent(second));
        assert.equal(removed(twice, "one"), text);
        assert.equal(removed(text, "one"), text);
      }),
      { numRuns: runCount(200, 20000) },
    );
  });

  it("is added and removed next to others without changing them", () => {
    fc.assert(
      fc.property(foreign, block, block, fc.boolean(), (text, first, second, firstGoesFirst) => {
        const both = applied(applied(text, "one", first), "two", second);
        const [gone, left, kept] = firstGoesFirst ? ["one", "two", second] : ["two", "one", first];

        const rest = removed(both, gone);

        assert.equal(readSection(rest, left), sectionContent(kept));
        assert.equal(rest, applied(text, left, kept));
        assert.equal(removed(rest, left), text);
      }),
      { numRuns: runCount(200, 20000) },
    );
  });

  it("never changes text around a section that was moved in the meantime", () => {
    fc.assert(
      fc.property(foreign, foreign, block, block, (head, tail, old, next) => {
        const text = `${head}\n${applied("", "one", old)}${tail}`;

        const edited = applied(text, "one", next);

        const start = edited.indexOf("<!-- svc:start:one -->");
        const end = edited.indexOf("<!-- svc:end:one -->") + "<!-- svc:end:one -->".length;
        assert.equal(edited.slice(0, start), `${head}\n`);
        assert.equal(edited.slice(end), `\n${tail}`);
      }),
      { numRuns: runCount(100, 10000) },
    );
  });

  it("is also found inside a fenced block: every line of its form counts", () => {
    const text = "```\n<!-- svc:start:one -->\nold\n<!-- svc:end:one -->\n```\n";
    assert.equal(
      applied(text, "one", "new"),
      "```\n<!-- svc:start:one -->\nnew\n\n<!-- svc:end:one -->\n```\n",
    );
  });

  it("is not found in lines that only resemble its markers", () => {
    for (const line of [
      " <!-- svc:start:one -->",
      "x <!-- svc:start:one -->",
      "<!-- svc:start:one --> x",
      "<!--svc:start:one-->",
      "<!-- svc:start:One -->",
      "<!-- svc:start: -->",
    ])
      assert.equal(
        applied(`${line}\n`, "one", "b").startsWith(`${line}\n\n<!-- svc:start:one -->\nb`),
        true,
        line,
      );
  });

  it("is found by markers with trailing blanks, and replaced with them", () => {
    const text = "a\n<!-- svc:start:one -->  \nold\n<!-- svc:end:one -->\t\r\nb\n";
    assert.equal(applied(text, "one", "n"), "a\n<!-- svc:start:one -->\nn\n\n<!-- svc:end:one -->\r\nb\n");
  });

  it("uses the line ending that most lines have", () => {
    for (const [text, eol] of [
      ["a\r\nb\r\nc\n", "\r\n"],
      ["a\r\nb\nc\n", "\n"],
      ["a\r\nb\n", "\n"],
      ["a", "\n"],
      ["a\rb", "\n"],
    ] as const)
      assert.ok(
        applied(text, "one", "x\ny").includes(`<!-- svc:start:one -->${eol}x${eol}y${eol}${eol}<!--`),
        text,
      );
  });

  const anything = fc
    .array(
      fc.oneof(
        foreign,
        fc.string({ unit: anyCharacter }),
        fc.constantFrom("```\n", "<!-- svc:start:x-->\n", "<!-- svc:end:one --> .\n", "\u0000", "\u2028"),
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join(""));
  const step = fc.record({
    name: fc.constantFrom("one", "two", "three", "a-1"),
    block: fc.option(block, { nil: undefined }),
  });

  it("can be added, changed and removed in any order among others, leaving only the text of others", () => {
    fc.assert(
      fc.property(anything, fc.array(step, { maxLength: 12 }), (start, steps) => {
        const present = new Map<string, string>();
        let text = start;
        for (const { name, block: next } of steps) {
          if (next === undefined) {
            text = removed(text, name);
            present.delete(name);
          } else {
            text = applied(text, name, next);
            present.set(name, next);
            assert.equal(applied(text, name, next), text);
          }
          assert.ok(text.startsWith(start));
          for (const [other, content] of present)
            assert.equal(readSection(text, other), sectionContent(content), other);
        }
        for (const name of present.keys()) text = removed(text, name);
        assert.equal(text, start);
      }),
      { numRuns: runCount(150, 15000) },
    );
  });

  it("changes or rejects a file with any markers, and changes nothing outside its span", () => {
    const marked = fc
      .array(
        fc.oneof(
          foreign,
          fc
            .tuple(
              fc.constantFrom("start", "end"),
              fc.constantFrom("one", "two"),
              fc.constantFrom("\n", "\r\n", " \n"),
            )
            .map(([kind, name, eol]) => `\n<!-- svc:${kind}:${name} -->${eol}`),
        ),
        { maxLength: 8 },
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(marked, block, (text, next) => {
        const edit = applySection(text, "one", next);
        const starts = text.match(/^(?:\uFEFF)?<!-- svc:start:one -->[ \t]*\r?$/gm)?.length ?? 0;
        const ends = text.match(/^(?:\uFEFF)?<!-- svc:end:one -->[ \t]*\r?$/gm)?.length ?? 0;
        if (starts !== ends || starts > 1) return assert.ok("refused" in edit);
        if ("refused" in edit) return assert.equal(starts, 1);
        const from = starts === 0 ? text.length : text.indexOf("<!-- svc:start:one -->");
        assert.equal(edit.text.slice(0, from), text.slice(0, from));
        const end = "<!-- svc:end:one -->";
        if (starts === 1) {
          const tail = (whole: string) => whole.slice(whole.indexOf(end) + end.length).replace(/^[ \t]+/, "");
          assert.equal(tail(edit.text), tail(text));
        }
        assert.deepEqual(applySection(edit.text, "one", next), edit);
      }),
      { numRuns: runCount(200, 20000) },
    );
  });
});
