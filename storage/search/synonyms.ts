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
  /** The terms of each group. */
  related: string[][];
  /** All of them, so that a search reads a list only if it has a word of the query. */
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
      list: Pick<SearchSynonymsDoc, "groups" | "related" | "terms">,
      now: Date,
      events: EventRow[],
    ): Promise<void> {
      const outbox = outboxUpdate(events);
      await synonyms.updateOne(
        { _id: tenantId },
        { $set: { ...list, updatedAt: now, ...outbox.$set }, $push: outbox.$push },
        { upsert: true },
      );
    },
    /** The terms of groups that have one of the terms: of each organization, the first ones up to a limit. */
    async listWith(
      tenantIds: readonly string[],
      terms: readonly string[],
      limit: number,
    ): Promise<string[][]> {
      const shared = { $size: { $setIntersection: ["$$this", { $literal: terms }] } };
      const related = { $filter: { input: "$related", cond: { $gt: [shared, 0] } } };
      const found = synonyms.aggregate<{ related: string[][] }>(
        [
          { $match: { _id: { $in: tenantIds }, terms: { $in: terms } } },
          { $project: { related: { $slice: [related, limit] } } },
        ],
        { maxTimeMS: commandTimeMs },
      );
      return (await found.toArray()).flatMap((one) => one.related);
    },
    async remove(tenantId: string): Promise<void> {
      await synonyms.deleteOne({ _id: tenantId });
    },
  }),
});
