import { markdownLanguage } from "@codemirror/lang-markdown";
import { Language, LanguageSupport } from "@codemirror/language";
import { styleTags, tags } from "@lezer/highlight";
import type { BlockContext, Line, MarkdownConfig, MarkdownParser } from "@lezer/markdown";

const isFence = (line: Line) => line.text.trimEnd() === "---";

function parseFrontmatter(cx: BlockContext, line: Line): boolean {
  if (cx.lineStart !== 0 || !isFence(line)) return false;
  const inside = [cx.elt("FrontmatterMark", 0, 3)];
  while (cx.nextLine()) {
    const start = cx.lineStart;
    if (isFence(line)) {
      inside.push(cx.elt("FrontmatterMark", start, start + 3));
      cx.nextLine();
      cx.addElement(cx.elt("Frontmatter", 0, start + 3, inside));
      return true;
    }
    const key = /^\s*[\w-]+(?=\s*:)/.exec(line.text)?.[0];
    if (key) inside.push(cx.elt("FrontmatterKey", start, start + key.length));
  }
  cx.addElement(cx.elt("Frontmatter", 0, cx.prevLineEnd(), inside));
  return true;
}

/**
 * Frontmatter between two lines of --- at the start, as a block of the Markdown grammar with one node per key. Not the
 * parser of YAML inside that of Markdown, which would walk the whole tree on each key.
 */
const frontmatter: MarkdownConfig = {
  defineNodes: [
    { name: "Frontmatter", block: true },
    { name: "FrontmatterKey" },
    { name: "FrontmatterMark" },
  ],
  props: [
    styleTags({
      FrontmatterKey: tags.propertyName,
      FrontmatterMark: tags.meta,
      "Frontmatter/...": tags.content,
    }),
  ],
  parseBlock: [{ name: "Frontmatter", before: "HorizontalRule", parse: parseFrontmatter }],
};

/** Markdown with frontmatter. Without the wrapper of `markdown()`, which walks the whole tree on each key as well. */
export function skillLanguage(): LanguageSupport {
  const parser = (markdownLanguage.parser as MarkdownParser).configure(frontmatter);
  return new LanguageSupport(new Language(markdownLanguage.data, parser, [], "markdown"));
}
