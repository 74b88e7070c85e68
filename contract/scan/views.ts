/**
 * A text as it takes effect rather than as it is written: without hidden characters, with look-alike letters replaced,
 * and with words joined that are written in pieces. Positions lead back to the original.
 */
import { hiddenCharacters } from "../checks/unsafe-characters.ts";

export interface View {
  text: string;
  /** Position in the original text. */
  original(offset: number): number;
  /** Whether something within these offsets differs from the original. */
  isChanged(start: number, end: number): boolean;
}

export const sameView = (text: string): View => ({
  text,
  original: (offset) => offset,
  isChanged: () => false,
});

/** Letters of other scripts that look like Latin ones. */
const looksLike = new Map(
  Array.from(
    "аaеeоoрpсcуyхxіiјjѕsԁdһhԛqԝwвbкkмmнhтtАAВBЕEКKМMНHОOРPСCТTХXІIЈJЅSοoОOΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX".matchAll(
      /../gu,
    ),
    ([pair]) => [pair[0]!, pair[1]!],
  ),
);
const otherLetters = [...looksLike.keys()].join("");
/** A word with letters of both kinds. */
const mixedWord = new RegExp(
  `(?<![\\p{L}\\p{N}])(?=[a-zA-Z0-9_.-]{0,60}[${otherLetters}])(?=[${otherLetters}0-9_.-]{0,60}[a-zA-Z])[a-zA-Z0-9_.${otherLetters}-]{2,64}(?![\\p{L}\\p{N}])`,
  "gu",
);
const anyOtherLetter = new RegExp(`[${otherLetters}]`);
/** Words of both kinds, in a text that has any such letter. */
export const mixedWordsIn = (text: string) =>
  anyOtherLetter.test(text)
    ? Array.from(text.matchAll(mixedWord), ({ 0: word, index }) => ({
        start: index,
        end: index + word.length,
      }))
    : [];
export const latinOf = (text: string) =>
  Array.from(text, (letter) => looksLike.get(letter) ?? letter).join("");

/** Letters and digits of other styles: full width, and those of mathematics. */
const styled = /[\uff01-\uff5e]|[\u{1d400}-\u{1d7ff}]/gu;
const unusual = /[^\t\n\r\x20-\x7e]/;

const words = [
  "curl",
  "wget",
  "bash",
  "eval",
  "exec",
  "base64",
  "python",
  "powershell",
  "ignore",
  "webhook",
  "iex",
  "sh",
  "nc",
];
/** Separators of letters that are one word for a shell or a program. */
const pieces = String.raw`(?:\\|''|""|\$@|["']\s{0,3}\+\s{0,3}["']|["']\s{0,3}\.\s{0,3}["'])?`;
const broken = new RegExp(
  words.map((word) => `(?<![\\w\\\\])${Array.from(word).join(pieces)}(?!\\w)`).join("|") +
    String.raw`|\$\{IFS[^}]{0,6}\}|\$IFS(?:\$\d)?`,
  "gi",
);
const mayBeBroken = /[a-z](?:\\|''|""|\$@|["']\s{0,3}[+.]\s{0,3}["'])[a-z]|\$\{?IFS/i;
const separators = /\\|''|""|\$@|["']\s{0,3}[+.]\s{0,3}["']/g;

/** The text without hidden characters and with look-alike letters replaced. */
export function visibleView(raw: string): View {
  if (!unusual.test(raw)) return sameView(raw);
  const hidden = replaceAll(sameView(raw), hiddenCharacters, (match) =>
    /[\u2028\u2029\u0085]/.test(match) ? "\n" : "",
  );
  const plain = replaceAll(hidden, styled, (match) => match.normalize("NFKC"));
  return anyOtherLetter.test(plain.text) ? replaceAll(plain, mixedWord, latinOf) : plain;
}

/** The text with the words joined that are written in pieces; undefined if there are none. */
export function joinedView(view: View): View | undefined {
  if (!mayBeBroken.test(view.text)) return undefined;
  const joined = replaceAll(view, broken, (match) =>
    match.startsWith("$") ? " " : match.replace(separators, ""),
  );
  return joined.text === view.text ? undefined : joined;
}

function replaceAll(view: View, pattern: RegExp, replace: (match: string) => string): View {
  const { text } = view;
  let result = "";
  let copied = 0;
  /** Ends of replacements in the result, with the shift to the former text from there on. */
  const ends: number[] = [];
  const shifts: number[] = [];
  for (const match of text.matchAll(pattern)) {
    const replacement = replace(match[0]);
    if (replacement === match[0]) continue;
    result += text.slice(copied, match.index) + replacement;
    copied = match.index + match[0].length;
    ends.push(result.length);
    shifts.push(copied - result.length);
  }
  if (ends.length === 0) return view;
  result += text.slice(copied);
  const lastAt = (offset: number) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };
  const former = (offset: number) => offset + (shifts[lastAt(offset)] ?? 0);
  return {
    text: result,
    original: (offset) => view.original(former(offset)),
    isChanged: (start, end) => lastAt(end) > lastAt(start) || view.isChanged(former(start), former(end)),
  };
}
