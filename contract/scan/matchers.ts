/** Combinations of signals, for the rules of the scanner. Each takes time in proportion to the matches. */
import type { Chunk, Matcher, Signal, Span } from "./scan-rule.ts";

/** Largest distance of matches that belong together, if lines are long. */
export const maxNearLength = 1500;

type Where = (text: string) => boolean;

/** Words of all signals, which are looked for at once. */
const words = new Set<string>();

/** Each of several patterns may match; they have the same flags. */
export function signal(wordsOfIt: readonly string[], ...patterns: readonly [RegExp, ...RegExp[]]): Signal {
  for (const word of wordsOfIt) words.add(word);
  const pattern = new RegExp(patterns.map(({ source }) => source).join("|"), patterns[0].flags);
  return { words: wordsOfIt, pattern };
}

export const signalWords: ReadonlySet<string> = words;

/** Each match of the signal whose text fulfils the condition. */
export function one(wanted: Signal, where: Where = () => true): Matcher {
  return (chunk) => chunk.find(wanted).filter(({ start, end }) => where(chunk.text.slice(start, end)));
}

/** A match of the first signal, followed by one of the second within `gap` characters. */
export function sequence(first: Signal, second: Signal, gap: number, where: Where = () => true): Matcher {
  return (chunk) => {
    const firsts = chunk.find(first);
    if (firsts.length === 0) return [];
    const found: Span[] = [];
    let at = 0;
    for (const { start, end } of chunk.find(second)) {
      // The last one that ends before: with several in a row, the nearest is the one that matters.
      while (at + 1 < firsts.length && firsts[at + 1]!.end <= start) at++;
      const before = firsts[at]!;
      if (before.end > start || start - before.end > gap) continue;
      const span = { start: before.start, end };
      if (where(chunk.text.slice(span.start, end))) found.push(span);
    }
    return found;
  };
}

/** Matches of both that are at most `lines` apart, in any order; the span begins at the first one. */
export function near(first: Matcher, second: Matcher, lines: number): Matcher {
  return (chunk) => {
    const some = first(chunk);
    if (some.length === 0) return [];
    const others = second(chunk);
    const found: Span[] = [];
    let from = 0;
    for (const span of some) {
      while (from < others.length && others[from]!.end < span.start - maxNearLength) from++;
      // The nearest ones on both sides decide; more in between would be nearer.
      const close = others.slice(from, from + 64).find((each) => isNear(chunk, span, each, lines));
      if (close)
        found.push({
          start: Math.min(span.start, close.start),
          end: Math.max(span.end, close.end),
          parts: [span, close],
        });
    }
    return found;
  };
}

function isNear(chunk: Chunk, a: Span, b: Span, lines: number): boolean {
  const [first, second] = a.start <= b.start ? [a, b] : [b, a];
  if (second.start - first.end > maxNearLength) return false;
  return chunk.linesBetween(first.start, second.start) <= lines;
}

/** Matches of all. Of those with the same end, the longest counts. */
export function anyOf(...matchers: readonly Matcher[]): Matcher {
  return (chunk) => {
    const spans = matchers.flatMap((match) => match(chunk)).toSorted((a, b) => a.start - b.start);
    const ends = new Set<number>();
    return spans.filter(({ end }) => !ends.has(end) && ends.add(end));
  };
}

export const inPrograms =
  (match: Matcher): Matcher =>
  (chunk) =>
    chunk.file.isProgram ? match(chunk) : [];
