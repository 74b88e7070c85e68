/**
 * Spellings that a mistyped word is near to: one edit from 4 letters on, two from 8. An edit is a letter that is added,
 * missing, wrong or exchanged with the next. Words that are near to each other share a key: the beginning of a word
 * with as many letters left out (W. Garbe's symmetric deletion).
 */

const keyLength = 9;

/** Edits that a word of this length may have; 0 for a word that is not corrected. */
export const editsOf = (word: string): number =>
  /^[a-z][a-z0-9]{3,}$/.test(word) ? (word.length < 8 ? 1 : 2) : 0;

/** Keys of a word: at most 46. */
export function keysOf(word: string): string[] {
  const keys = new Set([word.slice(0, keyLength)]);
  let last = [...keys];
  for (let edit = editsOf(word); edit > 0; edit--) {
    last = last.flatMap((key) => Array.from(key, (_, i) => key.slice(0, i) + key.slice(i + 1)));
    for (const key of last) keys.add(key);
  }
  return [...keys];
}

/** Optimal string alignment distance, or a number above `limit`. */
export function distanceOf(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    if (Math.min(...row) > limit) return limit + 1;
    before = last;
    last = row;
  }
  return last[b.length]!;
}
