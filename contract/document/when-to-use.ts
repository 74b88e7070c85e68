/** The sentences and lines of a skill that say when to use it. */
import { cutAtWord } from "../text/cut-text.ts";

const saysWhen =
  /\b(?:use (?:this|it|when|for|to|whenever)|when (?:to use|the user|you|users|asked|working)|trigger(?:s|ed)?|applies to|whenever)\b/i;

export const isAboutUse = (sentence: string): boolean => saysWhen.test(sentence);

/** Sentences of a description. */
export const splitSentences = (text: string): string[] => text.split(/(?<=[.!?])\s+/);

const heading = /^ {0,3}#{1,6}[ \t]/;
const fence = /^ {0,3}(```|~~~)/;
const maxLines = 40;
const maxLine = 2000;
/** Characters of a body that are read. */
const maxBody = 64 * 1024;

/** Those of the description first. `body`: the text without frontmatter. */
export function whenToUse(description: string, body: string): string[] {
  const found: string[] = [];
  let isCode = false;
  for (const line of body.slice(0, maxBody).split("\n")) {
    if (fence.test(line)) isCode = !isCode;
    if (isCode || found.length >= maxLines || line.length >= maxLine || heading.test(line)) continue;
    if (isAboutUse(line)) found.push(line);
  }
  return [...splitSentences(description).filter(isAboutUse), ...found];
}

const maxShown = 5;
const longestShown = 240;

/** The same without the marks of Markdown and without repetitions, a few of them, for people. */
export function shownUses(description: string, body: string): string[] {
  const texts = whenToUse(description, body).map((text) =>
    text
      .slice(0, 2 * longestShown)
      .replace(/^[\s>#*+\-|\d.)]+/, "")
      .replace(/[*_`]{1,3}|\[([^\]]*)\]\([^)]*\)/g, "$1")
      .trim(),
  );
  return [...new Set(texts.filter((text) => text !== "" && !text.endsWith(":")))]
    .map((text) => cutAtWord(text, longestShown))
    .slice(0, maxShown);
}
