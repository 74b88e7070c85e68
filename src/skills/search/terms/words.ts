/**
 * Words of texts and queries, as the search index has them: folded, without English endings (Snowball's rules), and in
 * scripts that don't separate words as overlapping pairs of characters. Work is linear in the length of the text.
 */
import { stem } from "porter2";

export interface Word {
  /** Case, width and accents folded. */
  text: string;
  /** The form in the index. */
  stem: string;
  /** Whether nothing but a space, a hyphen or nothing visible separates it from the word before. */
  followsDirectly: boolean;
}

export const maxWordLength = 40;

/** Scripts that don't separate words by spaces, and Korean, whose words have endings. */
const unseparated = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー`;
const run = new RegExp(String.raw`[${unseparated}]+|(?:(?![${unseparated}])[\p{L}\p{M}\p{N}])+`, "gu");
const isUnseparated = new RegExp(`^[${unseparated}]`, "u");
const isEnglish = /^[a-z]{3,}$/;
const joins = /^[ \t\n\r_/.-]?$/;

/** Names whose signs are part of them. */
const signs: readonly [RegExp, string][] = [
  [/(?<![\p{L}\p{N}])c\+\+(?!\+)/gu, "cplusplus"],
  [/(?<![\p{L}\p{N}])([cf])#(?![\p{L}\p{N}])/gu, "$1sharp"],
  [/(?<![\p{L}\p{N}])\.net(?![\p{L}\p{N}])/gu, "dotnet"],
];

const isAscii = /^[\0-\x7f]*$/;

function fold(text: string): string {
  const folded = isAscii.test(text)
    ? text.toLowerCase()
    : text
        .normalize("NFKD")
        .toLowerCase()
        .replace(/[\u0300-\u036f]/g, "")
        .normalize("NFC");
  return /[+#]|\.net/.test(folded)
    ? signs.reduce((t, [sign, name]) => t.replace(sign, name), folded)
    : folded;
}

/** Words in their order, at most `limit`. */
export function wordsOf(text: string, limit: number): Word[] {
  const words: Word[] = [];
  const folded = fold(text);
  let end = -2;
  for (const { 0: found, index } of folded.matchAll(run)) {
    const followsDirectly = index - end <= 1 && joins.test(folded.slice(end, index));
    end = index + found.length;
    if (isUnseparated.test(found)) pairsOf(found, words, limit);
    else {
      const word = found.slice(0, maxWordLength);
      words.push({ text: word, stem: stemOf(word), followsDirectly });
    }
    if (words.length >= limit) break;
  }
  return words.slice(0, limit);
}

/** Term of the words of a name that begin with a text. No word begins with its sign. */
export const prefixTerm = (text: string): string => `^${text}`;
export const isPrefix = (term: string): boolean => term.startsWith("^");

/** The form of a folded word in the index. Adverbs lose their ending, which Snowball's rules keep ("slowly"). */
export function stemOf(word: string): string {
  if (!isEnglish.test(word)) return word;
  const stemmed = stem(word);
  return stemmed.length > 5 && stemmed.endsWith("li") ? stemmed.slice(0, -2) : stemmed;
}

function pairsOf(text: string, words: Word[], limit: number): void {
  const characters = Array.from(text.slice(0, 2 * limit));
  for (let i = 0; i < Math.max(1, characters.length - 1); i++) {
    const pair = characters.slice(i, i + 2).join("");
    words.push({ text: pair, stem: pair, followsDirectly: false });
  }
}

/**
 * Terms of words that stand together, joined as in a compound: "web app", "web-app" and "webapp" have one in common,
 * and a phrase that a query and a text share counts more than its words. Three words are joined if they can be one.
 * Compounds of `ignored` words alone are left out.
 */
export function compoundsOf(words: readonly Word[], ignored: ReadonlySet<string> = new Set()): string[] {
  return words.flatMap((word, i) => {
    const before = words[i - 1];
    if (!before || !word.followsDirectly || (ignored.has(before.text) && ignored.has(word.text))) return [];
    const first = before.followsDirectly ? words[i - 2]?.text : undefined;
    return [before.text + word.text, ...(first === undefined ? [] : [first + before.text + word.text])]
      .filter((joined) => joined.length <= maxWordLength)
      .map(stemOf);
  });
}

export interface LocatedWord {
  stem: string;
  start: number;
  end: number;
}

/** Words of a text with their offsets, each folded alone; for texts that are shown. */
export function locateWords(text: string): LocatedWord[] {
  const located: LocatedWord[] = [];
  for (const { 0: found, index } of text.matchAll(run)) {
    if (!isUnseparated.test(found)) {
      located.push({
        stem: stemOf(fold(found).slice(0, maxWordLength)),
        start: index,
        end: index + found.length,
      });
      continue;
    }
    let start = index;
    const characters = Array.from(found);
    characters.forEach((character, i) => {
      const pair = character + (characters[i + 1] ?? "");
      if (i < Math.max(1, characters.length - 1))
        located.push({ stem: fold(pair), start, end: start + pair.length });
      start += character.length;
    });
  }
  return located;
}
