/**
 * Numbers of search entries that have a term, by scope: the catalog, and each organization's skills that are under no
 * restriction, so that no count depends on a skill that its reader may not see. They may lag behind the entries, or
 * differ by some after a crash: only the order of results depends on them.
 */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { commandTimeMs } from "../database.ts";
import { removeSlice } from "../maintenance/slices.ts";

export const publicScope = "public";
/** Fewer than the driver's limit, with which a command of a busy engine takes longer than a connection waits. */
const updatesPerCommand = 2000;

export interface TermCount {
  /** Scope and term, separated by a colon; the number of all entries of a scope is that of the empty term. */
  _id: string;
  count: number;
  /** Spellings of the term in the short fields of skills. */
  spellings?: string[];
  /** Scope and key, for finding the spellings that a mistyped word is near to. */
  keys?: string[];
}

export interface Spelling {
  text: string;
  keys: string[];
}

/** A change of the terms of an entry in the scopes that count it. */
export interface CountChange {
  scopes: readonly string[];
  terms: readonly string[];
  /** 1, or -1 for a removed entry. */
  by: 1 | -1;
  spellings?: ReadonlyMap<string, readonly Spelling[]>;
}

const idOf = (scope: string, term: string) => `${scope}:${term}`;
const termOf = (id: string) => id.slice(id.indexOf(":") + 1);

export const searchTermsCollection = defineCollection({
  name: "search_terms",
  indexes: [
    { key: { keys: 1 }, sparse: true },
    { key: { count: 1 }, name: "unused_terms", partialFilterExpression: { count: { $lte: 0 } } },
  ],
  open: (terms: Collection<TermCount>) => ({
    /** Adds changes to the counts. */
    async count(changes: readonly CountChange[]): Promise<void> {
      const sums = new Map<string, { by: number; spellings: Map<string, readonly string[]> }>();
      for (const { scopes, terms: changed, by, spellings } of changes)
        for (const scope of scopes)
          for (const term of ["", ...changed]) {
            const id = idOf(scope, term);
            const sum = sums.get(id) ?? { by: 0, spellings: new Map<string, readonly string[]>() };
            sum.by += by;
            for (const { text, keys } of spellings?.get(term) ?? [])
              sum.spellings.set(
                text,
                keys.map((key) => idOf(scope, key)),
              );
            sums.set(id, sum);
          }
      const updates = Array.from(sums, ([_id, { by, spellings }]) => ({
        updateOne: {
          filter: { _id },
          update: {
            $inc: { count: by },
            ...(spellings.size > 0 && {
              $addToSet: {
                spellings: { $each: [...spellings.keys()] },
                keys: { $each: [...spellings.values()].flat() },
              },
            }),
          },
          upsert: true,
        },
      })).filter(({ updateOne: { update } }) => update.$inc.count !== 0 || update.$addToSet);
      for (let from = 0; from < updates.length; from += updatesPerCommand)
        await terms.bulkWrite(updates.slice(from, from + updatesPerCommand), { ordered: false });
    },
    /** Sums over scopes. The empty term counts all entries. */
    async read(scopes: readonly string[], wanted: readonly string[]): Promise<Map<string, number>> {
      const ids = scopes.flatMap((scope) => ["", ...wanted].map((term) => idOf(scope, term)));
      const sums = new Map<string, number>();
      const rows = terms.find({ _id: { $in: ids } }, { projection: { count: 1 }, maxTimeMS: commandTimeMs });
      for (const { _id, count } of await rows.toArray())
        sums.set(termOf(_id), (sums.get(termOf(_id)) ?? 0) + Math.max(0, count));
      return sums;
    },
    /**
     * Terms that start with a text, and their counts, those of most entries first. Only the first 200 of each scope are
     * looked at.
     */
    async startingWith(
      scopes: readonly string[],
      text: string,
      limit: number,
    ): Promise<[term: string, count: number][]> {
      const found = await Promise.all(
        scopes.map((scope) =>
          terms
            .find(
              { _id: { $gte: idOf(scope, text), $lt: idOf(scope, `${text}\uffff`) }, count: { $gt: 0 } },
              { projection: { count: 1 }, limit: 200, maxTimeMS: commandTimeMs },
            )
            .toArray(),
        ),
      );
      const sums = new Map<string, number>();
      for (const { _id, count } of found.flat()) sums.set(termOf(_id), (sums.get(termOf(_id)) ?? 0) + count);
      return Array.from(sums)
        .sort((a, b) => b[1] - a[1])
        .slice(0, limit);
    },
    /** Terms with a spelling that has one of the keys. */
    near(scopes: readonly string[], keys: readonly string[], limit: number): Promise<TermWithSpellings[]> {
      return terms
        .find(
          {
            keys: { $in: scopes.flatMap((scope) => keys.map((key) => idOf(scope, key))) },
            count: { $gt: 0 },
          },
          { projection: { count: 1, spellings: 1 }, limit, maxTimeMS: commandTimeMs },
        )
        .map(({ _id, count, spellings = [] }) => ({ term: termOf(_id), count, spellings }))
        .toArray();
    },
    /** Removes a slice of an organization's terms; returns how many were removed. */
    removeOfTenant: (tenantId: string): Promise<number> =>
      removeSlice(terms, { _id: { $gte: idOf(tenantId, ""), $lt: `${tenantId};` } }),
    /** Removes terms that no entry has any more. */
    async removeUnused(): Promise<void> {
      await terms.deleteMany({ count: { $lte: 0 } });
    },
  }),
});

export interface TermWithSpellings {
  term: string;
  count: number;
  spellings: string[];
}
