/**
 * Adds what a query may also mean: terms that its last word begins, while somebody types, and for words that nothing
 * has, the nearest spellings.
 */
import type { App } from "../../../app.ts";
import { distanceOf, editsOf, keysOf } from "../terms/spellings.ts";
import { prefixTerm } from "../terms/words.ts";
import type { QueryGroup } from "./query.ts";
import type { TermCounts } from "./score.ts";

const prefixWorth = 0.5;
const correctionWorth = 0.8;
const maxPrefixes = 8;
const maxCorrections = 2;
/** Words of a query that are corrected; a text that was pasted is not. */
const maxCorrectedWords = 6;
const maxNear = 400;

/** A word that nothing has, and the spelling that was searched for instead. */
export interface Correction {
  typed: string;
  used: string;
}

/** The groups with their further variants, and all counts that they need. */
export interface Expanded {
  groups: QueryGroup[];
  counts: TermCounts;
  corrections: Correction[];
}

export async function expand(
  app: App,
  scopes: readonly string[],
  groups: readonly QueryGroup[],
  isTyping: boolean,
): Promise<Expanded> {
  const { searchTerms } = app.storage;
  const last = isTyping ? groups.findLast(({ isCompound }) => !isCompound) : undefined;
  const begun = last && prefixTerm(last.word);
  const wanted = groups.flatMap(({ variants }) => variants.map(({ term }) => term));
  const [known, prefixed] = await Promise.all([
    searchTerms.read(scopes, [...new Set(begun ? [...wanted, begun] : wanted)]),
    last && last.word.length > 1 ? searchTerms.startingWith(scopes, last.word, maxPrefixes) : [],
  ]);
  const isUnknown = ({ word, variants, isCompound }: QueryGroup) =>
    !isCompound && editsOf(word) > 0 && variants.every(({ term }) => !known.get(term));
  const unknown = groups
    .filter((group) => isUnknown(group) && !(group === last && prefixed.length > 0))
    .slice(0, maxCorrectedWords);
  const near = await nearestOf(app, scopes, unknown);
  const found = new Map([
    ...prefixed,
    ...[...near.values()].flat().map(({ term, count }) => [term, count] as const),
  ]);
  const expanded = groups.map((group): QueryGroup => {
    const begins = group === last ? [begun!, ...prefixed.map(([term]) => term)] : [];
    const further = [
      ...begins.map((term) => ({ term, worth: prefixWorth })),
      ...(near.get(group)?.map(({ term }) => ({ term, worth: correctionWorth })) ?? []),
    ].filter(({ term }) => group.variants.every((variant) => variant.term !== term));
    return { ...group, variants: [...group.variants, ...further] };
  });
  return {
    groups: expanded,
    counts: { entries: known.get("") ?? 0, of: (term) => known.get(term) ?? found.get(term) ?? 0 },
    corrections: Array.from(near, ([{ word }, [first]]) => ({ typed: word, used: first!.text })),
  };
}

interface Near {
  term: string;
  text: string;
  count: number;
}

/** The nearest spellings of each word, those of most entries first among equally near ones. */
async function nearestOf(
  app: App,
  scopes: readonly string[],
  groups: readonly QueryGroup[],
): Promise<Map<QueryGroup, Near[]>> {
  const nearest = new Map<QueryGroup, Near[]>();
  if (groups.length === 0) return nearest;
  const found = await app.storage.searchTerms.near(
    scopes,
    [...new Set(groups.flatMap(({ word }) => keysOf(word)))],
    maxNear,
  );
  for (const group of groups) {
    const limit = editsOf(group.word);
    const near = found
      .flatMap(({ term, count, spellings }) =>
        spellings.map((text) => ({ term, text, count, distance: distanceOf(group.word, text, limit) })),
      )
      .filter(({ distance }) => distance <= limit)
      .sort((a, b) => a.distance - b.distance || b.count - a.count);
    const best = near.filter(({ distance }) => distance === near[0]!.distance);
    const terms = new Map(best.map((one) => [one.term, one]));
    if (best.length > 0) nearest.set(group, [...terms.values()].slice(0, maxCorrections));
  }
  return nearest;
}
