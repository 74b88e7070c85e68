/** The sentence of a skill that answers a query best, with its words marked. */
import type { QueryGroup } from "./ranking/query.ts";
import { rarityOf, type TermCounts } from "./ranking/score.ts";
import { locateWords } from "./terms/words.ts";

export interface MatchedSentence {
  text: string;
  /** Begins and ends of its matching words, as offsets of UTF-16 code units. */
  marks: [number, number][];
}

const maxLength = 240;
/** Sentences that are compared. */
const maxSentences = 80;
/** How much less a sentence of the text is worth than one of the description. */
const ofText = 0.8;

/** Undefined if no sentence has a word of the query. */
export function matchedSentence(
  { description, excerpt }: { description: string; excerpt: string },
  groups: readonly QueryGroup[],
  counts: TermCounts,
): MatchedSentence | undefined {
  const rarity = new Map<string, { value: number; group: QueryGroup }>();
  for (const group of groups)
    for (const { term, worth } of group.variants) {
      const value = rarityOf(counts.of(term), counts.entries) * worth;
      if (value > (rarity.get(term)?.value ?? 0)) rarity.set(term, { value, group });
    }
  let best: MatchedSentence | undefined;
  let bestValue = 0;
  const sentences = [
    ...sentencesOf(description).map((text) => ({ text, worth: 1 })),
    ...sentencesOf(excerpt).map((text) => ({ text, worth: ofText })),
  ];
  for (const { text, worth } of sentences.slice(0, maxSentences)) {
    const marks: [number, number][] = [];
    const values = new Map<QueryGroup, number>();
    for (const { stem, start, end } of locateWords(text)) {
      const found = rarity.get(stem);
      if (!found) continue;
      marks.push([start, end]);
      values.set(found.group, Math.max(values.get(found.group) ?? 0, found.value));
    }
    const value = worth * [...values.values()].reduce((sum, one) => sum + one, 0);
    if (value > bestValue) {
      bestValue = value;
      best = { text, marks: joined(marks) };
    }
  }
  return best && cut(best);
}

/** Sentences and lines, without the marks of Markdown at their beginning. */
function sentencesOf(text: string): string[] {
  return text
    .split(/\n+|(?<=[.!?。！？])\s+/)
    .map((sentence) => sentence.replace(/^[\s>#*|-]+/, "").trim())
    .filter((sentence) => sentence !== "");
}

/** Overlapping marks, as those of pairs of characters, become one. */
function joined(marks: readonly [number, number][]): [number, number][] {
  const all: [number, number][] = [];
  for (const [start, end] of marks) {
    const last = all.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else all.push([start, end]);
  }
  return all;
}

/** The part of a long sentence around its first mark. */
function cut({ text, marks }: MatchedSentence): MatchedSentence {
  if (text.length <= maxLength) return { text, marks };
  const from = Math.max(0, Math.min(marks[0]![0] - 60, text.length - maxLength));
  const start = from === 0 ? 0 : text.indexOf(" ", from) + 1;
  const end = start + maxLength >= text.length ? text.length : text.lastIndexOf(" ", start + maxLength);
  const part = text.slice(start, end > start ? end : start + maxLength);
  const [before, after] = [start > 0 ? "… " : "", end < text.length ? " …" : ""];
  const shift = before.length - start;
  return {
    text: `${before}${part}${after}`,
    marks: marks.flatMap(([a, b]): [number, number][] =>
      a >= start && b <= start + part.length ? [[a + shift, b + shift]] : [],
    ),
  };
}
