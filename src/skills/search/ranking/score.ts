/** Scores of candidates for a query: the sum over its groups of rarity times weight. */
import { findTerm, hashOf } from "../terms/packed.ts";
import { compoundWorth, type QueryGroup } from "./query.ts";

/** Numbers of entries: of all, and of those that have a term. */
export interface TermCounts {
  entries: number;
  of: (term: string) => number;
}

interface ScoredGroup {
  rarity: number;
  isCompound: boolean;
  variants: { hash: number; worth: number }[];
}

export interface Score {
  value: number;
  /** Share of the query's rarity that the skill has, from 0 to 1. Compounds don't count. */
  coverage: number;
  /** The score in relation to the highest possible one, from 0 to 1. */
  share: number;
  /** Bits of the fields that matched. */
  fields: number;
}

export type Scorer = (packed: Buffer) => Score;

/** Rarity of a term that `count` of `entries` have (the idf of BM25, never negative). */
export const rarityOf = (count: number, entries: number): number =>
  Math.log(1 + (Math.max(entries, count) - count + 0.5) / (count + 0.5));

/** Rarity of a group's own word; of what it may also mean, if nothing has the word. */
export function rarityOfGroup({ variants, isCompound }: QueryGroup, counts: TermCounts): number {
  const common = Math.max(...variants.map(({ term, worth }) => (worth >= 0.6 ? counts.of(term) : 0)));
  const count = counts.of(variants[0]!.term) || common;
  return rarityOf(count, counts.entries) * (isCompound ? compoundWorth : 1);
}

/** A function that scores entries for a query. */
export function scorerOf(groups: readonly QueryGroup[], counts: TermCounts): Scorer {
  const scored = groups.map((group): ScoredGroup => ({
    rarity: rarityOfGroup(group, counts),
    isCompound: group.isCompound,
    variants: group.variants.map(({ term, worth }) => ({ hash: hashOf(term), worth })),
  }));
  const whole = scored.reduce((sum, { rarity, isCompound }) => sum + (isCompound ? 0 : rarity), 0) || 1;
  return (packed) => {
    let value = 0;
    let covered = 0;
    let fields = 0;
    for (const { rarity, isCompound, variants } of scored) {
      let best = 0;
      for (const { hash, worth } of variants) {
        const found = findTerm(packed, hash);
        if (found === 0) continue;
        best = Math.max(best, ((found & 0xff) / 255) * worth);
        fields |= found >> 8;
      }
      value += rarity * best;
      if (best > 0 && !isCompound) covered += rarity;
    }
    const coverage = covered / whole;
    return { value: value * (0.5 + 0.5 * coverage), coverage, share: value / whole, fields };
  };
}
