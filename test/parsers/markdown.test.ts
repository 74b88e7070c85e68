/** Markdown on the pages that need no script. The dashboard uses the same rules (`test/web/markdown.test.ts`). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { renderMarkdown } from "../../src/compute/pieces/markdown.ts";

const render = (text: string) => renderMarkdown(text, { before: "/files/", after: "?raw" });

describe("Markdown of a skill", () => {
  it("has headings below that of the page, with ids of their own and links to them", () => {
    const page = render("# Title\n\n## Title\n\n[there](#Title) [out](#%E0%A4%A)\n");

    assert.match(page, /<h2 id="h-title">Title<\/h2><a class="anchor" href="#h-title"/);
    assert.match(page, /<h3 id="h-title-1">/);
    assert.match(page, /<a href="#h-title" rel="noopener nofollow ugc">there<\/a> <a>out<\/a>/);
    assert.doesNotMatch(page, /<h1/);
  });

  it("shows task lists, also with formatted text, and leaves other brackets alone", () => {
    const page = render("- [x] done\n- [ ] **open**\n- [y] other\n\n[x] no list\n");

    assert.match(page, /<li class="task"><input type="checkbox" disabled checked aria-label="Done"> done/);
    assert.match(page, /<li class="task"><input type="checkbox" disabled aria-label="To do"> <strong>open/);
    assert.match(page, /<li>\[y\] other/);
    assert.match(page, /<p>\[x\] no list/);
  });

  it("shows the five callouts as boxes, nested and empty ones too, and other quotes as quotes", () => {
    const page = render(
      "> [!NOTE]\n> Text.\n>\n> > [!caution]\n> > Deep.\n\n> [!TIP]\n\n> [!constructor]\n> x\n\n> [!NOTE] same line\n",
    );

    assert.match(
      page,
      /<div class="callout callout-note" role="note">\n<p class="callout-title">Note<\/p>\n<p>Text\.<\/p>/,
    );
    assert.match(page, /<div class="callout callout-caution"[^]*Deep\.<\/p>\n<\/div>\n<\/div>/);
    assert.match(
      page,
      /<div class="callout callout-tip" role="note">\n<p class="callout-title">Tip<\/p>\n<\/div>/,
    );
    assert.match(page, /<blockquote>\n<p>\[!constructor\]/);
    assert.match(page, /<blockquote>\n<p>\[!NOTE\] same line/);
  });

  it("has footnotes that lead there and back", () => {
    const page = render("One[^a] and again[^a].\n\n[^a]: The *note*.\n");

    assert.match(page, /<sup><a href="#h-fn--1" id="h-fnref--1" aria-label="Footnote 1">1<\/a><\/sup>/);
    assert.match(page, /id="h-fnref--1-1"/);
    assert.match(page, /<section class="footnotes"[^]*<li id="h-fn--1"><p>The <em>note<\/em>/);
    assert.match(page, /href="#h-fnref--1" aria-label="Back to the text of footnote 1"/);
  });

  it("escapes what a text puts into these parts", () => {
    const page = render(
      '# "><script>x</script>\n\n- [x] <img src=x onerror=y>\n\nA[^"><b>]\n\n[^"><b>]: <i>z\n',
    );

    assert.doesNotMatch(page, /<script|<img|<b>|<i>/);
  });

  it("has notes within the text, and leaves labels that are too long or not defined alone", () => {
    const long = "x".repeat(300);
    const page = render(`Say^[Why *not*]. [^${long}] [^none]\n\n[^${long}]: never\n`);

    assert.match(page, /<li id="h-fn--1"><p>Why <em>not<\/em> <a href="#h-fnref--1"[^>]*>↩<\/a><\/p><\/li>/);
    assert.match(page, /<p>Say<sup>.*<\/sup>\. \[\^x{300}\] \[\^none\]<\/p>/);
    assert.doesNotMatch(page, /never/);
  });

  it("takes little time for many nested or repeated parts", () => {
    const numbers = Array.from({ length: 10_000 }, (_, at) => at);
    const started = performance.now();
    for (const text of [
      "> [!NOTE]\n\n".repeat(20_000),
      `${"> ".repeat(500)}[!NOTE]\n`.repeat(50),
      "- [ ] a\n".repeat(20_000),
      "# a\n".repeat(20_000),
      "a[^1] ".repeat(20_000),
      "^[a]".repeat(20_000),
      `[^x]: y\n\n${"[^".repeat(50_000)}`,
      `${numbers.map((at) => `[^${at}]`).join("")}\n\n${numbers.map((at) => `[^${at}]: x`).join("\n")}`,
    ])
      render(text);

    assert.ok(performance.now() - started < 20_000);
  });
});
