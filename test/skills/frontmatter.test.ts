import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { completeHead, generateHead } from "../../contract/document/edit-frontmatter.ts";
import { firstParagraph } from "../../contract/document/first-paragraph.ts";
import { FrontmatterError, splitFrontmatter } from "../../contract/document/frontmatter.ts";
import { slugOfSkill } from "../../src/folders/tree/slug.ts";
import { readTextSource } from "../../src/skills/publish/content/text-source.ts";
import { freeSlug } from "../../src/skills/publish/slug.ts";
import { computeHere } from "../support/compute/compute-here.ts";
import { assertProcessorSeconds } from "../support/processor-time.ts";
import { runCount } from "../support/run-count.ts";

const hostile = fc.constantFrom(
  "---",
  "\n---\n\n",
  "\n---\n",
  "a\n---\n\nb",
  "...",
  "# no comment",
  "key: value",
  "- item",
  "&a *a",
  "!!js/function x",
  "true",
  "1e3",
  "0x10",
  " lead",
  "trail ",
  "tab\tbed",
  "\r\n",
  "\u2028",
  "'\"`",
  "{[",
  "",
  "x".repeat(300),
);
const text = fc.oneof(hostile, fc.string({ unit: "grapheme", maxLength: 60 }));
const line = text.map((value) => value.replace(/[\r\n]+/g, " "));
const scalar = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 4 }),
  fc.dictionary(text, scalar, { maxKeys: 3 }),
);
const reserved = ["name", "description", "__proto__", "constructor", "prototype"];
const fields = fc
  .dictionary(text, value, { maxKeys: 5 })
  .map((entries) => new Map(Object.entries(entries).filter(([key]) => !reserved.includes(key))));
const body = fc
  .oneof(
    text,
    fc.array(text, { maxLength: 6 }).map((lines) => lines.join("\n")),
  )
  .filter((content) => content.trim() !== "" && !/^[ \t]*\r?\n/.test(content));

describe("frontmatter", () => {
  it("round-trips, with an identical body", () => {
    fc.assert(
      fc.property(line, line, fields, body, (name, description, kept, content) => {
        const head = generateHead({ name, description }, kept);
        const written = head + content;

        const split = splitFrontmatter(written);
        assert.equal(split.body, content);
        const read = split.fields!;
        assert.deepEqual([read.get("name"), read.get("description")], [name, description]);
        assert.equal(split.head, head);
        assert.deepEqual([...read.keys()].slice(2).sort(), [...kept.keys()].sort());
        assert.equal(generateHead({ name, description }, new Map(read)), head);
        if (description.trim() !== "") assert.equal(completeHead(head, { name, description: "" }), head);
      }),
      { numRuns: runCount(150, 15000) },
    );
  });

  it("compares as equal only if its bytes are identical", async () => {
    const made = await readTextSource(computeHere, "---\na: 1\nb: {c: 2, d: 3}\n---\ntext\n", "skill");
    const { frontmatter } = await made.tree({ slug: "s", type: "skill" }, "d");
    const version = {
      versionId: "v",
      version: 1,
      semver: "1.0.0",
      oid: "",
      digest: "",
      hash: made.hash!,
      frontmatter: frontmatter!,
      format: "markdown" as const,
      fileCount: 1,
      totalBytes: 1,
    };
    const equals = async (content: string) => {
      const source = await readTextSource(computeHere, content, "skill");
      return source.equals(version, { slug: "s", type: "skill", description: "d" });
    };

    assert.equal(await equals("---\na: 1\nb: {c: 2, d: 3}\n---\ntext\n"), true);
    for (const other of [
      "---\nb: {d: 3, c: 2}\na: 1\n---\ntext\n",
      "---\na: 1 # why\nb: {c: 2, d: 3}\n---\ntext\n",
      "---\na: '1'\nb: {c: 2, d: 3}\n---\ntext\n",
      "---\na: 1\nb: {c: 2, d: 3}\n---\n\ntext\n",
      "---\na: 1\nb: {c: 2, d: 3}\n---\ntext",
      "text\n",
    ])
      assert.equal(await equals(other), false, other);
  });

  it("either fails with a FrontmatterError or returns a body, for any text", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), (parts) => {
        const source = `---\n${parts.join("\n")}`;
        try {
          assert.equal(typeof splitFrontmatter(source).body, "string");
        } catch (error) {
          assert.ok(error instanceof FrontmatterError, String(error));
        }
      }),
      { numRuns: runCount(150, 15000) },
    );
  });
});

describe("hostile texts", () => {
  const isCheap = (work: () => unknown) =>
    assertProcessorSeconds(2, () => {
      try {
        work();
      } catch (error) {
        assert.ok(error instanceof FrontmatterError, String(error));
      }
    });

  it("do not slow down the search for their first paragraph, whatever brackets they open", async () => {
    for (const piece of ["[", "![", "[](", "[a](b"])
      await isCheap(() => firstParagraph(piece.repeat(100_000)));
  });

  it("do not slow down the parsing of frontmatter", async () => {
    const keys = Array.from({ length: 12_000 }, (_, i) => i.toString(36));
    for (const yaml of [
      keys.join(": \n"),
      `a: {${keys.join(",")}}`,
      "!a &b ".repeat(10_000),
      "[".repeat(60_000),
    ])
      await isCheap(() => splitFrontmatter(`---\n${yaml}\n---\ntext\n`));
  });
});

describe("slugs", () => {
  it("find a free name among very many that are taken", async () => {
    const taken = ["a", ...Array.from({ length: 30_000 }, (_, i) => `a-${i + 2}`)];
    await assertProcessorSeconds(2, () => assert.equal(freeSlug("a", taken), "a-30002"));
  });

  it("consist of lower-case words of at most 64 characters for any name, are unique and deterministic", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 100 }),
        fc.nat(30),
        (name, count) => {
          const slug = slugOfSkill(name);
          assert.match(slug, /^[a-z0-9]+(-[a-z0-9]+)*$/);
          assert.ok(slug.length <= 64);
          assert.equal(slugOfSkill(name), slug);
          const taken: string[] = [];
          for (let i = 0; i < count; i++) taken.push(freeSlug(slug, taken));
          assert.equal(new Set(taken).size, count);
          for (const one of taken) assert.ok(one.length <= 64);
        },
      ),
    );
  });
});
