/** Parts of a text that are searched at once, and the matches of signals in them. */
import { maxNearLength, signalWords } from "./matchers.ts";
import type { Chunk, Signal, Span, TextFile } from "./scan-rule.ts";

const chunkLength = 64 * 1024;
/** Long enough that matches which belong together are in one part. */
export const overlap = 2 * maxNearLength + 2048;

/** Parts of a text with their offsets. */
export function* partsOf(text: string): Generator<{ text: string; offset: number }> {
  for (let offset = 0; ; offset += chunkLength) {
    const end = offset + chunkLength + overlap;
    yield { text: text.slice(offset, end), offset };
    if (end >= text.length) return;
  }
}

/** `hidden`: sorted parts that are not shown. */
export function makeChunk(text: string, file: TextFile, hidden: readonly Span[]): Chunk {
  let present: Set<string> | undefined;
  const mayMatch = (words: readonly string[]) => {
    present ??= presentWords(text.toLowerCase());
    return words.some((word) => present!.has(word));
  };
  const known = new Map<Signal, readonly Span[]>();
  let breaks: number[] | undefined;
  return {
    text,
    file,
    find(signal) {
      let spans = known.get(signal);
      if (spans === undefined) {
        spans = signal.words.length === 0 || mayMatch(signal.words) ? spansOf(text, signal.pattern) : [];
        known.set(signal, spans);
      }
      return spans;
    },
    linesBetween(from, to) {
      breaks ??= lineBreaks(text);
      return countBelow(breaks, to) - countBelow(breaks, from);
    },
    isHidden: (start, end) => hidden.some((part) => part.start <= start && end <= part.end),
  };
}

/** Finds words of signals. */
interface WordFinder {
  anyWord: RegExp;
  /** Words that a word begins with, itself included. */
  beginnings: ReadonlyMap<string, readonly string[]>;
}

let finder: WordFinder | undefined;

/** Made when the first text is searched: the modules with the signals may be loaded after this one. */
function makeWordFinder(): WordFinder {
  const all = [...signalWords];
  const pattern = all
    .toSorted((a, b) => b.length - a.length)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .join("|");
  return {
    anyWord: new RegExp(pattern, "g"),
    beginnings: new Map(all.map((word) => [word, all.filter((other) => word.startsWith(other))])),
  };
}

/** All words of signals in a text in lower case, also those within others. */
function presentWords(text: string): Set<string> {
  const { anyWord, beginnings } = (finder ??= makeWordFinder());
  const found = new Set<string>();
  anyWord.lastIndex = 0;
  for (let match = anyWord.exec(text); match !== null; match = anyWord.exec(text)) {
    found.add(match[0]);
    anyWord.lastIndex = match.index + 1;
  }
  return new Set([...found].flatMap((word) => beginnings.get(word)!));
}

function spansOf(text: string, pattern: RegExp): Span[] {
  return Array.from(text.matchAll(pattern), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}

export function lineBreaks(text: string): number[] {
  const breaks: number[] = [];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) breaks.push(at);
  return breaks;
}

/** Number of sorted values below a limit. */
export function countBelow(values: readonly number[], limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
