/**
 * Terms of the search index: the words of a skill, and the prefixes of the words of its name, tags and slug, so that a
 * name is found while it is typed. Text is segmented by the rules of Unicode, which include languages without spaces.
 */
import type { SkillDoc } from "../../../storage/skills.ts";
import { nameKeyOf } from "../publish/slug.ts";

const wordLength = 40;
const prefixLength = 12;
/** Number of distinct words of the text that are indexed. */
const textWords = 80;
const nameWords = 30;
const queryWords = 8;

/** Characters of a text that are read. Folding makes a text of the maximum length up to 18 times as long. */
const foldedLength = 4200;

/** Letters without anything between them. Segmenting takes time in the square of the length, so runs are short. */
const runs = /[\p{L}\p{M}\p{N}]{1,100}/gu;
/** Scripts that separate words. */
const isOneWord =
  /^[\p{M}\p{N}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Hangul}]*$/u;

const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/** Distinct case-folded words of a text, in their order. */
function wordsOf(text: string, most: number): string[] {
  const words = new Set<string>();
  for (const word of foldedWords(nameKeyOf(text).slice(0, foldedLength))) {
    words.add(singular(word.slice(0, wordLength)));
    if (words.size >= most) break;
  }
  return [...words];
}

/** Words of a folded text. In ASCII, they are found without the rules of Unicode, 20 times as fast. */
function* foldedWords(text: string): Generator<string> {
  // oxlint-disable-next-line no-control-regex -- all of ASCII
  if (/^[\0-\x7f]*$/.test(text)) {
    for (const [word] of text.matchAll(/[a-z0-9]+/g)) yield word;
    return;
  }
  // Unicode does not split "re_use" and "1.5", but users search for the parts as well.
  for (const [run] of text.matchAll(runs)) {
    if (isOneWord.test(run)) yield run;
    else for (const { segment } of segmenter.segment(run)) yield segment;
  }
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
