/**
 * The search index: one document per skill with its terms, written when the skill is projected. An index over terms and
 * a sort value returns a page in its order by reading that page only, however many skills match. Access is checked on
 * the skills themselves.
 */
import type { Collection, Filter } from "mongodb";
import type { SkillType, Visibility } from "../contract/vocabulary.ts";
import { defineCollection } from "./collection.ts";
import { commandTimeMs } from "./database.ts";
import { isOnlyThereAlready } from "./outbox.ts";

export interface SearchEntry {
  /** The skill's id. */
  _id: string;
  tenantId: string;
  /** Revision of the skill from which the entry was made. */
  revision: number;
  listed: boolean;
  terms: string[];
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

const onlyListed = { partialFilterExpression: { listed: true } };

/** Filter of the skills that a search may find, on the fields of an entry. */
export type ScopeFilter = Filter<
  Pick<SearchEntry, "_id" | "tenantId" | "listed" | "folderId" | "effectiveRestrictionId">
>;

export interface EntryQuery {
  scope: ScopeFilter;
  /** Terms that must all match; an index is read by the first one. */
  terms: string[];
  type?: SkillType;
  visibility?: Visibility;
  tags?: string[];
  folderId?: string | null;
  sort: "createdAt" | "updatedAt" | "downloads";
  after: { value: Date | number; id: string } | undefined;
  limit: number;
}

export const searchEntriesCollection = defineCollection({
  name: "search_entries",
  indexes: [
    { key: { tenantId: 1, terms: 1, updatedAt: -1, _id: -1 } },
    { key: { terms: 1, updatedAt: -1, _id: -1 }, ...onlyListed },
    { key: { terms: 1, createdAt: -1, _id: -1 }, ...onlyListed },
    { key: { terms: 1, downloads: -1, _id: -1 }, ...onlyListed },
  ],
  open: (entries: Collection<SearchEntry>) => ({
    /**
     * Replaces older entries of the same skills. An equally new or newer entry stays, so that a late writer never
     * overwrites it. `downloads` of an existing entry is kept.
     */
    async put(rows: SearchEntry[]): Promise<void> {
      if (rows.length === 0) return;
      const updates = rows.map(({ _id, downloads, ...fields }) => ({
        updateOne: {
          filter: { _id, revision: { $not: { $gte: fields.revision } } },
          update: { $set: fields, $setOnInsert: { downloads } },
          upsert: true,
        },
      }));
      try {
        await entries.bulkWrite(updates, { ordered: false });
      } catch (error) {
        // If the filter skips a newer entry, the upsert fails with a duplicate id.
        if (!isOnlyThereAlready(error)) throw error;
      }
    },
    async remove(ids: string[]): Promise<void> {
      if (ids.length > 0) await entries.deleteMany({ _id: { $in: ids } });
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
    /** A page of ids with their sort values, in order. */
    list(query: EntryQuery): Promise<Pick<SearchEntry, "_id" | "createdAt" | "updatedAt" | "downloads">[]> {
      return entries
        .find(entryFilter(query), {
          projection: { createdAt: 1, updatedAt: 1, downloads: 1 },
          maxTimeMS: commandTimeMs,
        })
        .sort({ [query.sort]: -1, _id: -1 })
        .limit(query.limit)
        .toArray();
    },
  }),
});

function entryFilter(query: EntryQuery): Filter<SearchEntry> {
  const { terms, sort, after } = query;
  const clauses: Filter<SearchEntry>[] = [query.scope, ...terms.map((term) => ({ terms: term }))];
  if (query.type !== undefined) clauses.push({ type: query.type });
  if (query.visibility !== undefined) clauses.push({ visibility: query.visibility });
  for (const tag of query.tags ?? []) clauses.push({ tags: tag });
  if (query.folderId !== undefined) clauses.push({ folderId: query.folderId });
  if (after) {
    // The range makes the index scan begin at the page; the other condition excludes earlier entries of the same value.
    clauses.push({ [sort]: { $lte: after.value } });
    const isAfter = [{ [sort]: { $lt: after.value } }, { _id: { $lt: after.id } }];
    clauses.push({ $or: isAfter });
  }
  return { $and: clauses };
}
