/** Breaks a text into lines that fit into a width, at words where possible, and cuts what is beyond the last one. */
import { charactersOf, layLine } from "./glyphs.ts";

const words = new Intl.Segmenter("en", { granularity: "word" });

export interface LineOptions {
  size: number;
  width: number;
  /** Maximum number of lines. */
  count: number;
  isBold?: boolean;
}

export function linesOf(text: string, { width, count, ...style }: LineOptions): string[] {
  const fits = (line: string) => layLine(line.trim(), style).width <= width;
  const lines: string[] = [];
  let line = "";
  for (const part of partsOf(text, fits)) {
    if (fits(line + part)) {
      line += part;
      continue;
    }
    if (lines.length + 1 === count) return [...lines, cut(line.trim(), fits)];
    lines.push(line.trim());
    line = part.trimStart();
  }
  return [...lines, line.trim()].filter((one) => one !== "");
}

/** Parts between which a line may end: words with the punctuation around them, and spaces. */
function partsOf(text: string, fits: (part: string) => boolean): string[] {
  const parts: string[] = [];
  let opening = "";
  for (const { segment, isWordLike } of words.segment(text)) {
    const isSpace = segment.trim() === "";
    const isClosing = !isWordLike && !isSpace && !/^[\p{Ps}\p{Pi}]/u.test(segment);
    if (!isWordLike && !isSpace && !isClosing) opening += segment;
    else if (isClosing && opening === "" && parts.length > 0) parts[parts.length - 1] += segment;
    else {
      parts.push(opening + segment);
      opening = "";
    }
  }
  return [...parts, opening].flatMap((part) => (fits(part) ? [part] : charactersOf(part)));
}

/** The line with an ellipsis, for which its end makes room. */
function cut(line: string, fits: (line: string) => boolean): string {
  const kept = charactersOf(line);
  while (kept.length > 0 && !fits(`${kept.join("").trimEnd()}…`)) kept.pop();
  return `${kept.join("").trimEnd()}…`;
}
