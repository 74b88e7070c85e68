/** The first paragraph of a Markdown text: the description of a skill that has none. Pure. */
import { limits } from "../limits.ts";
import { cutAtWord } from "../text/cut-text.ts";

/** The first paragraph of prose as one plain line. */
export function firstParagraph(body: string): string {
  const block =
    body
      .split(/\r?\n[ \t]*\r?\n/)
      .find((part) => part.trim() !== "" && !/^\s*(?:#|```|~~~|---|===|<!--|\||!\[)/.test(part)) ?? "";
  // Shortened before it is searched: unclosed brackets take quadratic time.
  const plain = block
    .slice(0, 2 * limits.skillDescriptionAdvised)
    .replace(/^[ \t]*(?:[-+]|\d{1,9}\.)[ \t]+/gm, "")
    .replace(/[*_`>#]|!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
  return cutAtWord(plain, limits.skillDescriptionAdvised);
}
