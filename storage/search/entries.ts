/**
 * The search index: one document per skill with its terms, written when the skill is projected. An index over scope and
 * term yields the candidates of a search, which are scored in the process. Access is checked on the skills themselves.
 */
import type { Collection, Filter } from "mongodb";
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import type { SkillType, Visibility } from "../../contract/vocabulary.ts";
import { batchedInsert } from "../batches/batched-insert.ts";
import { defineCollection } from "../collection.ts";
import { commandTimeMs, isDuplicate } from "../database.ts";
import { listIds } from "../ids.ts";
import { publicScope, searchTermsCollection, type CountChange, type Spelling } from "./terms.ts";

/** Form of an entry; earlier ones have none, and their terms are unmarked words. */
export const entryFormat = 2;

export interface SearchEntry {
  /** The skill's id. */
  _id: string;
  tenantId: string;
  /** Revision of the skill from which the entry was made. */
  revision: number;
  listed: boolean;
  format: typeof entryFormat;
  /** Whether it has the terms of the whole text and of the files, not only those of the skill's document. */
  isWhole: boolean;
  /** Terms by which it is found, each with a letter for its weight: A to D, the weightiest first. */
  terms: string[];
  /** All terms with their weights, for scoring. */
  packed: Buffer;
  /** Folded name and slug, for an exact match. */
  names: string[];
  /** Scopes that count its terms. */
  counted: string[];
  /** Filters of a search, so that one query finds a page however rare the combination is. */
  type: SkillType;
  visibility: Visibility;
  tags: string[];
  folderId: string | null;
  effectiveRestrictionId: string | null;
  createdAt: Date;
  updatedAt: Date;
  downloads: number;
}

/** An entry to be written. `spellings`: by term. */
export type NewSearchEntry = Omit<SearchEntry, "format" | "counted"> & {
  spellings: ReadonlyMap<string, readonly Spelling[]>;
};

/** Filter of the skills that a search may find, on the fields of an entry. */
export type ScopeFilter = Filter<
  Pick<SearchEntry, "_id" | "tenantId" | "listed" | "folderId" | "effectiveRestrictionId">
>;

/** Conditions on an entry besides its terms. */
export interface EntryFilter {
  scope: ScopeFilter;
  type?: SkillType;
  visibility?: Visibility;
  tags?: readonly string[];
  folderId?: string | null;
  /** Only entries of skills that changed since. */
  updatedSince?: Date;
}

export type Candidate = Pick<
  SearchEntry,
  "_id" | "tenantId" | "packed" | "names" | "downloads" | "createdAt" | "updatedAt"
>;

/** An entry of an earlier form. */
export type EarlierCandidate = Omit<Candidate, "packed" | "names"> & { terms: string[] };

const candidateFields = { tenantId: 1, downloads: 1, createdAt: 1, updatedAt: 1 } as const;
const writeConcurrency = 16;
/** Entries of one call from which on the new ones are inserted together. */
const bulkSize = 50;

type Counted = Pick<SearchEntry, "terms"> & Partial<Pick<SearchEntry, "counted">>;

/** A term without the letter for its weight. */
export const unmarked = (term: string) => term.slice(0, -1);

export const searchEntriesCollection = defineCollection({
  name: "search_entries",
  indexes: [
    { key: { tenantId: 1, terms: 1 } },
    { key: { terms: 1 }, name: "listed_terms", partialFilterExpression: { listed: true } },
    { key: { format: 1 } },
  ],
  open: (entries: Collection<SearchEntry>, database) => {
    const counts = searchTermsCollection.open(database);
    const countOf = ({ terms, counted = [] }: Counted, by: 1 | -1): CountChange[] =>
      counted.length > 0 ? [{ scopes: counted, terms: terms.map(unmarked), by }] : [];

    const insert = batchedInsert(entries);

    /** Returns what was replaced; undefined if an equally new or newer entry stays. */
    async function replace({ _id, downloads, ...fields }: Omit<SearchEntry, "spellings">) {
      const isOlder = [
        { revision: { $lt: fields.revision } },
        { revision: fields.revision, format: { $exists: false } },
        ...(fields.isWhole ? [{ revision: fields.revision, isWhole: false }] : []),
      ];
      try {
        return await entries.findOneAndUpdate(
          { _id, $or: isOlder },
          { $set: fields, $setOnInsert: { downloads } },
          { upsert: true, projection: { terms: 1, counted: 1 } },
        );
      } catch (error) {
        // If the filter skips a newer entry, the upsert fails with a duplicate id.
        if (isDuplicate(error)) return undefined;
        throw error;
      }
    }

    /** The same for a skill that probably has no entry: concurrent calls share a command. */
    async function add(entry: SearchEntry) {
      try {
        await insert(entry);
        return null;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        return replace(entry);
      }
    }

    return {
      /**
       * Replaces older entries of the same skills. An equally new or newer entry stays, so that a late writer never
       * overwrites it. `downloads` of an existing entry is kept.
       */
      async put(rows: readonly NewSearchEntry[]): Promise<void> {
        const written = rows.map(({ spellings, ...row }) => {
          const counted = [
            ...(row.listed ? [publicScope] : []),
            ...(row.effectiveRestrictionId === null ? [row.tenantId] : []),
          ];
          return { entry: { ...row, counted, format: entryFormat } as const, spellings };
        });
        const ids = rows.length < bulkSize ? [] : rows.map(({ _id }) => _id);
        const added = new Set(ids);
        for (const id of ids.length > 0 ? await listIds(entries, { _id: { $in: ids } }) : [])
          added.delete(id);
        const changes = await mapLimit(
          written,
          added.size > 0 ? bulkSize : writeConcurrency,
          async ({ entry, spellings }) => {
            const before = await (added.has(entry._id) ? add(entry) : replace(entry));
            if (before === undefined) return [];
            return [
              ...(before ? countOf(before, -1) : []),
              ...countOf(entry, 1).map((change) => ({ ...change, spellings })),
            ];
          },
        );
        await counts.count(changes.flat());
      },
      async remove(ids: string[]): Promise<void> {
        const removed = await mapLimit(ids, writeConcurrency, (_id) =>
          entries.findOneAndDelete({ _id }, { projection: { terms: 1, counted: 1 } }),
        );
        await counts.count(removed.flatMap((entry) => (entry ? countOf(entry, -1) : [])));
      },
      /** Copies the download counts of skills. They only increase, so the order of two writers does not matter. */
      async followDownloads(skills: readonly { _id: string; downloads: number }[]): Promise<void> {
        if (skills.length === 0) return;
        await entries.bulkWrite(
          skills.map(({ _id, downloads }) => ({
            updateOne: { filter: { _id }, update: { $max: { downloads } } },
          })),
          { ordered: false },
        );
      },
      /** Entries with one of the marked terms, in no particular order. */
      listCandidates(filter: EntryFilter, terms: readonly string[], limit: number): Promise<Candidate[]> {
        return entries
          .find<Candidate>(
            { $and: [{ terms: { $in: terms } }, conditionsOf(filter)] },
            {
              projection: { ...candidateFields, packed: 1, names: 1 },
              promoteBuffers: true,
              limit,
              ...timed,
            },
          )
          .toArray();
      },
      /** Entries of an earlier form with one of the words. */
      listEarlier(filter: EntryFilter, words: readonly string[], limit: number): Promise<EarlierCandidate[]> {
        return entries
          .find<EarlierCandidate>(
            { $and: [{ terms: { $in: words }, format: { $exists: false } }, conditionsOf(filter)] },
            { projection: { ...candidateFields, terms: 1 }, limit, ...timed },
          )
          .toArray();
      },
      /** Ids of skills whose entries are of an earlier form. */
      async listIdsOfEarlier(limit: number): Promise<string[]> {
        const found = await entries
          .find({ format: { $exists: false } }, { projection: { _id: 1 }, limit, ...timed })
          .toArray();
        return found.map(({ _id }) => _id);
      },
    };
  },
});

const timed = { maxTimeMS: commandTimeMs } as const;

function conditionsOf(filter: EntryFilter): Filter<SearchEntry> {
  const { scope, type, visibility, tags, folderId, updatedSince } = filter;
  const clauses: Filter<SearchEntry>[] = [scope];
  if (type !== undefined) clauses.push({ type });
  if (visibility !== undefined) clauses.push({ visibility });
  for (const tag of tags ?? []) clauses.push({ tags: tag });
  if (folderId !== undefined) clauses.push({ folderId });
  if (updatedSince !== undefined) clauses.push({ updatedAt: { $gte: updatedSince } });
  return { $and: clauses };
}
