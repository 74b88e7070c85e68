/** Which terms candidates are read by: the rarest of a query, until there are enough. */
import { weightLetters } from "../terms/skill-terms.ts";
import { isPrefix } from "../terms/words.ts";
import type { QueryGroup } from "./query.ts";
import type { TermCounts } from "./score.ts";

/** Entries after which more common words are not read. */
const enough = 1000;
export const maxCandidates = 1500;

/**
 * Marked terms for one read each. All terms of the first read have few entries; a common term is read alone and by its
 * weightiest entries first, so that it never costs more.
 */
export function readsOf(groups: readonly QueryGroup[], counts: TermCounts): string[][] {
  // A word without a count may stand in restricted skills; what it may also mean is read only if it has one.
  const wanted = groups.flatMap(({ variants }) =>
    variants.filter(({ term, worth }) => worth === 1 || isPrefix(term) || counts.of(term) > 0),
  );
  const terms = [...new Set(wanted.map(({ term }) => term))]
    .map((term) => ({ term, count: counts.of(term) }))
    .sort((a, b) => a.count - b.count);
  const rare: string[] = [];
  const reads = [rare];
  let sum = 0;
  for (const { term, count } of terms) {
    if (sum >= enough) break;
    if (sum + count <= maxCandidates) rare.push(...weightLetters.map((letter) => term + letter));
    else {
      // The heavy ones first: a common word says little where it stands once in a long text.
      reads.push([`${term}A`, `${term}B`]);
      if (count < 20 * enough) reads.push([`${term}C`]);
    }
    sum += count;
  }
  return reads.filter((read) => read.length > 0);
}
