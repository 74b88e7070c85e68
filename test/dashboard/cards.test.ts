/** How the texts of cards are laid out. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { openCompute } from "../../src/compute/compute.ts";
import { drawCard } from "../../src/compute/pieces/card/draw-card.ts";
import { layLine } from "../../src/compute/pieces/card/glyphs.ts";
import { linesOf } from "../../src/compute/pieces/card/lines.ts";
import { runCount } from "../support/run-count.ts";

const style = { size: 34, width: 1040 };
const arabic = "املأ النماذج في ملفات PDF واستخرج الجداول (12)";

describe("lines of a card", () => {
  it("end at words, and the last one with an ellipsis", () => {
    const lines = linesOf("Fill in forms, read them and sign them. ".repeat(20).trim(), {
      ...style,
      count: 3,
    });

    assert.equal(lines.length, 3);
    assert.match(lines[0]!, /(Fill|in|forms,|read|them|and|sign|them\.)$/);
    assert.match(lines[2]!, /…$/);
  });

  it("break a long word, and Chinese between characters", () => {
    assert.equal(linesOf("W".repeat(60), { ...style, count: 9 }).join(""), "W".repeat(60));
    assert.ok(linesOf("填写表格并签署文件".repeat(10), { ...style, count: 9 }).length > 2);
  });

  it("never exceed the width or the number, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 120 }),
        fc.integer({ min: 1, max: 4 }),
        (text, count) => {
          const lines = linesOf(text, { ...style, count });
          assert.ok(lines.length <= count);
          for (const line of lines) assert.ok(layLine(line, style).width <= style.width, line);
        },
      ),
      { numRuns: runCount(20, 2000) },
    );
  });
});

describe("cards of many characters", () => {
  it("take no more memory than the threads have, however many they are", async () => {
    const compute = openCompute({ threads: 1, heapMegabytes: 64 });
    try {
      for (let card = 0; card < 14; card++) {
        const text = String.fromCodePoint(
          ...Array.from({ length: 500 }, (_, at) => 0x4e00 + 500 * card + at),
        );
        const drawn = await compute
          .by("a")
          .run("draw-card", { label: "acme", title: "x", text, facts: "", service: "" });
        assert.ok(drawn.length > 0);
      }
    } finally {
      await compute.close();
    }
  });
});

describe("a line of a card", () => {
  it("begins on the right in Arabic and Hebrew, with Latin words and numbers from left to right", () => {
    const orderOf = (text: string) => layLine(text, style).outlines.map(({ path }) => path);

    assert.equal(layLine(arabic, style).isRightToLeft, true);
    assert.equal(layLine("שלום abc", style).isRightToLeft, true);
    assert.equal(layLine("abc שלום", style).isRightToLeft, false);
    assert.deepEqual(orderOf("שלום abc").slice(0, 3), orderOf("abc"));
    assert.deepEqual(orderOf("של"), orderOf("לש").toReversed());
  });

  it("joins the letters of Arabic, even if another letter contains them", () => {
    layLine("ذ", style);
    const joined = layLine("تند", style).outlines;

    assert.deepEqual(joined.at(0)!.path, layLine("ند", style).outlines.at(0)!.path);
    assert.notEqual(joined.at(0)!.path, layLine("د", style).outlines.at(0)!.path);
  });

  it("has an outline for each character of many scripts", () => {
    for (const text of ["naïve", "čšž", "Ж", "שלום", "填写", "かな", "한국", "ไทย", "ελ", "हि"])
      assert.ok(layLine(text, style).outlines.length > 0, text);
  });
});

describe("a card", () => {
  it("is drawn for any text in the same way", async () => {
    const card = {
      label: "org",
      title: `<b>&"'`,
      text: `${arabic} \u0000 ${"W".repeat(9000)}`,
      facts: "",
      service: "",
    };

    const [one, other] = [await drawCard(card), await drawCard(card)];

    assert.deepEqual(one, other);
    assert.equal(Buffer.from(one).toString("latin1", 1, 4), "PNG");
  });
});
