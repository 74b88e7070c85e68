/**
 * Terms of the search index: the words of a skill, and the prefixes of the words of its name, tags and slug, so that a
 * name is found while it is typed. Text is segmented by the rules of Unicode, which include languages without spaces.
 */
import type { SkillDoc } from "../../storage/skills.ts";
import { nameKeyOf } from "./publish/slug.ts";

const wordLength = 40;
const prefixLength = 12;
/** Number of distinct words of the text that are indexed. */
const textWords = 80;
const nameWords = 30;
const queryWords = 8;

const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/** Distinct case-folded words of a text, in their order. */
function wordsOf(text: string, most: number): string[] {
  const words = new Set<string>();
  for (const segment of segmentsOf(nameKeyOf(text))) {
    // Unicode does not split "re_use" and "1.5", but users search for the parts as well.
    for (const part of segment.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])
      words.add(singular(part.slice(0, wordLength)));
    if (words.size >= most) break;
  }
  return [...words];
}

/** Segments of a text that contain words. In ASCII, words are found without the rules of Unicode, 20 times as fast. */
function* segmentsOf(text: string): Generator<string> {
  // oxlint-disable-next-line no-control-regex -- all of ASCII
  if (/^[\0-\x7f]*$/.test(text)) {
    for (const [word] of text.matchAll(/[a-z0-9]+/g)) yield word;
    return;
  }
  for (const { segment, isWordLike } of segmenter.segment(text)) if (isWordLike) yield segment;
}

/** Makes a plural equal to its singular; there is no further stemming. */
function singular(word: string): string {
  return /^[a-z]{3,}[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

/** All terms by which a skill is found. */
export function termsOfSkill(
  skill: Pick<SkillDoc, "name" | "slug" | "tags" | "description" | "excerpt">,
): string[] {
  const named = wordsOf([skill.name, skill.slug, ...skill.tags].join(" "), nameWords);
  const prefixes = named.flatMap((word) => {
    const letters = Array.from(word);
    return letters.slice(0, prefixLength).map((_, index) => letters.slice(0, index + 1).join(""));
  });
  return [
    ...new Set([...named, ...prefixes, ...wordsOf(`${skill.description} ${skill.excerpt}`, textWords)]),
  ];
}

/** Distinct words of a query or of a text that is compared with one, as the index has them. */
export function wordsOfQuery(text: string, most = queryWords): string[] {
  return wordsOf(text, most).slice(0, most);
}

/** Terms of a query, longest first, since long words are rare. Empty if the query contains no word. */
export function termsOfQuery(query: string): string[] {
  return wordsOfQuery(query).sort((a, b) => b.length - a.length);
}
