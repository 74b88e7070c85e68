/**
 * The terms of the search index: the words of a skill, and the beginnings of the words of its name, tags and slug, so
 * that a name is found while it is typed. Words are cut by the rules of Unicode, which also know the languages that
 * write without spaces.
 */
import type { SkillDoc } from "../../storage/skills.ts";
import { nameKeyOf } from "./slug.ts";

const wordLength = 40;
const prefixLength = 12;
/** Distinct words of the text that count: the first ones say what it is about. */
const textWords = 80;
const nameWords = 30;
const queryWords = 8;

const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/** The words of a text, folded, each once, in their order. */
function wordsOf(text: string, most: number): string[] {
  const words = new Set<string>();
  for (const { segment, isWordLike } of segmenter.segment(nameKeyOf(text))) {
    if (!isWordLike) continue;
    // Unicode keeps "re_use" and "1.5" whole; people type their parts as well.
    for (const part of segment.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])
      words.add(singular(part.slice(0, wordLength)));
    if (words.size >= most) break;
  }
  return [...words];
}

/** A plural finds its singular and the other way round; no more stemming than that. */
function singular(word: string): string {
  return /^[a-z]{3,}[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

/** Everything a skill is found by. */
export function termsOfSkill(
  skill: Pick<SkillDoc, "name" | "slug" | "tags" | "description" | "excerpt">,
): string[] {
  const named = wordsOf([skill.name, skill.slug, ...skill.tags].join(" "), nameWords);
  const beginnings = named.flatMap((word) => {
    const letters = Array.from(word);
    return letters.slice(0, prefixLength).map((_, index) => letters.slice(0, index + 1).join(""));
  });
  return [
    ...new Set([...named, ...beginnings, ...wordsOf(`${skill.description} ${skill.excerpt}`, textWords)]),
  ];
}

/**
 * The terms of a query, longest first, since a long word is a rare one. Empty where the query has no word in it: then
 * nothing is found.
 */
export function termsOfQuery(query: string): string[] {
  return wordsOf(query, queryWords)
    .slice(0, queryWords)
    .sort((a, b) => b.length - a.length);
}
