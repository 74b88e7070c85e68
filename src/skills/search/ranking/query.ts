/** A query as groups of terms: each word of it with the other terms that also stand for it. */
import { stopWords } from "../terms/stop-words.ts";
import { compoundsOf, stemOf, wordsOf } from "../terms/words.ts";

/** Words of a query that are read; more are as good as none. */
const maxQueryWords = 32;
const relatedWorth = 0.5;
/** Related terms of a word that are searched for; those of its first groups come first. */
const maxRelated = 12;
/** Worth of two words that stand together, beyond their own. */
export const compoundWorth = 0.6;

export interface Variant {
  term: string;
  /** Worth of a match, in relation to the word itself. */
  worth: number;
}

export interface QueryGroup {
  /** As it was typed, folded. */
  word: string;
  /** The first is the word itself. */
  variants: Variant[];
  /** Words that stand together: a match counts beyond those of its words. */
  isCompound: boolean;
}

/** Terms by the terms of related phrases. */
export type RelatedTerms = Pick<ReadonlyMap<string, readonly string[]>, "get">;

/** Terms of related phrases. */
export const relate = (groups: readonly (readonly string[])[]): RelatedTerms =>
  relateTerms(groups.map(termsOfGroup));

/** Each term leads to the others of its groups. */
export function relateTerms(groups: readonly (readonly string[])[]): RelatedTerms {
  const related = new Map<string, Set<string>>();
  for (const terms of groups) {
    for (const term of terms) {
      const others = related.get(term) ?? new Set();
      for (const other of terms) if (other !== term) others.add(other);
      related.set(term, others);
    }
  }
  return new Map(Array.from(related, ([term, others]) => [term, [...others]]));
}

/** The terms of related phrases, each once. */
export const termsOfGroup = (phrases: readonly string[]): string[] => [...new Set(phrases.map(termOfPhrase))];

/** One word, or the words of a phrase joined. */
function termOfPhrase(phrase: string): string {
  const words = wordsOf(phrase, 3);
  return stemOf(words.map(({ text }) => text).join(""));
}

/** Groups of a query, without words that count for nothing unless it has no others. */
export function groupsOf(query: string, related: RelatedTerms): QueryGroup[] {
  const words = wordsOf(query, maxQueryWords);
  const counting = words.filter(({ text }) => !stopWords.has(text));
  const groups = new Map<string, QueryGroup>();
  for (const { text, stem } of counting.length > 0 ? counting : words)
    groups.set(stem, {
      word: text,
      variants: [{ term: stem, worth: 1 }, ...relatedTo(stem)],
      isCompound: false,
    });
  for (const term of compoundsOf(words)) {
    const known = groups.get(term);
    if (!known)
      groups.set(term, { word: term, variants: [{ term, worth: 1 }, ...relatedTo(term)], isCompound: true });
  }
  return [...groups.values()];

  function relatedTo(term: string): Variant[] {
    return (related.get(term) ?? [])
      .slice(0, maxRelated)
      .map((other) => ({ term: other, worth: relatedWorth }));
  }
}
