/** Which terms candidates are read by: those that add the most to a score, until there are enough. */
import { weightLetters } from "../terms/skill-terms.ts";
import { isPrefix } from "../terms/words.ts";
import type { QueryGroup } from "./query.ts";
import { rarityOfGroup, type TermCounts } from "./score.ts";

/** Candidates after which no further terms are read. */
const enough = 500;
/** A limit on what one read returns. */
export const maxCandidates = 1500;

/** The least weight of each letter, in relation to the highest, and the share of entries that have a term with it. */
const letters = weightLetters.map((letter, i) => ({
  letter,
  weight: [0.75, 0.52, 0.34, 0.12][i]!,
  share: [0.03, 0.12, 0.4, 0.45][i]!,
}));

interface Step {
  term: string;
  letter: string;
  /** The most that it adds to a score. */
  gain: number;
  count: number;
  share: number;
}

/**
 * Marked terms for one read each. All terms of the first read have few entries; a common term is read alone, so that it
 * takes no place from a rare one.
 */
export function readsOf(groups: readonly QueryGroup[], counts: TermCounts): string[][] {
  const rare: string[] = [];
  const common = new Map<string, string[]>();
  let sum = 0;
  let inRare = 0;
  for (const { term, letter, count, share } of stepsOf(groups, counts)) {
    if (sum >= enough && count > 0) break;
    const marked = term + letter;
    if (inRare + count * share <= maxCandidates && count <= maxCandidates) {
      rare.push(marked);
      inRare += count * share;
    } else common.set(term, [...(common.get(term) ?? []), marked]);
    sum += count * share;
  }
  return [rare, ...common.values()].filter((read) => read.length > 0);
}

/** Terms with each letter, those that add the most first. */
function stepsOf(groups: readonly QueryGroup[], counts: TermCounts): Step[] {
  const steps = new Map<string, Step>();
  for (const group of groups) {
    const rarity = rarityOfGroup(group, counts);
    for (const { term, worth } of group.variants) {
      const count = counts.of(term);
      // A word without a count may stand in restricted skills; what it may also mean is read only if it has one.
      if (count === 0 && worth < 1 && !isPrefix(term)) continue;
      for (const { letter, weight, share } of letters) {
        const gain = count === 0 ? Infinity : rarity * worth * weight;
        if (gain > (steps.get(term + letter)?.gain ?? 0))
          steps.set(term + letter, { term, letter, gain, count, share });
      }
    }
  }
  return [...steps.values()].sort((a, b) => b.gain - a.gain);
}
