/** Related words of organizations, which their members' searches also look for: one document per organization. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { commandTimeMs } from "../database.ts";
import { outboxUpdate, withoutOutbox, type EventRow, type WithOutbox } from "../outbox.ts";

export interface SearchSynonymsDoc extends WithOutbox {
  /** The organization's id. */
  _id: string;
  /** Words and phrases that mean much the same, as they were written. */
  groups: string[][];
  /** The terms of all of them, so that a search reads a list only if it has a word of the query. */
  terms: string[];
  updatedAt: Date;
}

export const searchSynonymsCollection = defineCollection({
  name: "search_synonyms",
  indexes: [],
  outbox: true,
  open: (synonyms: Collection<SearchSynonymsDoc>) => ({
    find: (tenantId: string) => synonyms.findOne({ _id: tenantId }, withoutOutbox),
    /** Replaces the whole list. */
    async replace(
      tenantId: string,
      { groups, terms }: Pick<SearchSynonymsDoc, "groups" | "terms">,
      now: Date,
      events: EventRow[],
    ): Promise<void> {
      const outbox = outboxUpdate(events);
      await synonyms.updateOne(
        { _id: tenantId },
        { $set: { groups, terms, updatedAt: now, ...outbox.$set }, $push: outbox.$push },
        { upsert: true },
      );
    },
    /** Groups of the organizations whose list has one of the terms. */
    async listWith(tenantIds: readonly string[], terms: readonly string[]): Promise<string[][]> {
      const found = synonyms.find(
        { _id: { $in: tenantIds }, terms: { $in: terms } },
        { projection: { groups: 1 }, maxTimeMS: commandTimeMs },
      );
      return (await found.toArray()).flatMap(({ groups }) => groups);
    },
    async remove(tenantId: string): Promise<void> {
      await synonyms.deleteOne({ _id: tenantId });
    },
  }),
});
