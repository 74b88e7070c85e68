/**
 * Terms of a skill with their weights (BM25F: S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework", 2009,
 * section 3.6). The lengths of fields are compared with fixed ones, so that a weight depends on its skill alone.
 */
import { searchFields, type SearchField } from "../../../../contract/vocabulary.ts";
import { fieldRules, fieldsOf, type SkillText } from "./fields.ts";
import { stopWords } from "./stop-words.ts";
import { compoundsOf, prefixTerm, wordsOf, type Word } from "./words.ts";

export interface WeighedTerm {
  term: string;
  /** From 1 to 255: the saturated frequency of BM25F in 255ths. */
  weight: number;
  /** Bits of the fields that have it (`searchFields`). */
  fields: number;
}

/** Letters by which the index marks weights, the weightiest first. */
export const weightLetters = ["A", "B", "C", "D"] as const;

/** The letter for a weight from 1 to 255. */
export const letterOf = (weight: number): string =>
  weightLetters[weight >= 160 ? 0 : weight >= 110 ? 1 : weight >= 60 ? 2 : 3];

/** Words as they are written in the short fields, by their term: what a typing error is corrected to. */
export type Spellings = Map<string, Set<string>>;

/** Half of the full weight is reached by so many words of boost 1. */
const saturation = 5;
/** Shorter fields, in relation to the usual length, are worth no more. */
const shortest = 0.5;
/** Occurrences of a word in one field that count, so that a text gains nothing by repeating it. */
const maxTimes = 5;
const compoundWorth = 0.8;
const prefixWorth = 0.8;
const maxPrefixLength = 12;
const maxPrefixedWords = 10;

/** Fields whose adjacent words are also found joined, and whose words correct typing errors. */
const shortFields: readonly SearchField[] = ["name", "tags", "description", "when", "headings"];

/** Beginnings of the words of a name, so that it is found while it is typed. */
function prefixesOf(words: readonly Word[]): Set<string> {
  const prefixes = words
    .filter(({ text }) => !stopWords.has(text))
    .slice(0, maxPrefixedWords)
    .flatMap(({ text }) => {
      const letters = Array.from(text).slice(0, maxPrefixLength);
      return letters.map((_, i) => prefixTerm(letters.slice(0, i + 1).join("")));
    });
  return new Set(prefixes);
}

/** The terms of a skill, the weightiest first, at most `limit`. */
export function weighTerms(text: SkillText, limit: number): { terms: WeighedTerm[]; spellings: Spellings } {
  const fields = fieldsOf(text);
  const frequencies = new Map<string, { frequency: number; fields: number }>();
  const spellings: Spellings = new Map();
  for (const [bit, field] of searchFields.entries()) {
    const { boost, lengthEffect, usualWords, maxWords } = fieldRules[field];
    const words = wordsOf(fields[field], maxWords);
    if (words.length === 0) continue;
    const length = Math.max(shortest, words.length / usualWords);
    const perWord = boost / (1 - lengthEffect + lengthEffect * length);
    const times = new Map<string, number>();
    const add = (term: string, worth: number) => {
      const before = times.get(term) ?? 0;
      if (before >= maxTimes) return;
      times.set(term, before + 1);
      const known = frequencies.get(term) ?? { frequency: 0, fields: 0 };
      frequencies.set(term, { frequency: known.frequency + worth, fields: known.fields | (1 << bit) });
    };
    const isShort = shortFields.includes(field);
    for (const word of words) {
      if (stopWords.has(word.text) && field !== "name") continue;
      add(word.stem, perWord);
      if (!isShort) continue;
      const written = spellings.get(word.stem) ?? new Set();
      spellings.set(word.stem, written.add(word.text));
    }
    const ignored = field === "name" ? undefined : stopWords;
    if (isShort) for (const term of compoundsOf(words, ignored)) add(term, perWord * compoundWorth);
    if (field === "name") for (const term of prefixesOf(words)) add(term, perWord * prefixWorth);
  }
  const terms = Array.from(frequencies, ([term, { frequency, fields: bits }]) => ({
    term,
    weight: Math.max(1, Math.round((255 * frequency) / (saturation + frequency))),
    fields: bits,
  }));
  return { terms: terms.sort((a, b) => b.weight - a.weight).slice(0, limit), spellings };
}
