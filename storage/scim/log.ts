/** Log of the requests of identity providers: what was asked, what came of it and what changed. No secrets. */
import type { Collection, Filter } from "mongodb";
import { batchedInsert } from "../batches/batched-insert.ts";
import { defineCollection } from "../collection.ts";
import { escapePattern } from "../escape-pattern.ts";
import { listIds } from "../ids.ts";
import { removeSlice } from "../maintenance/slices.ts";

export interface ScimLogDoc {
  _id: string;
  tenantId: string;
  at: Date;
  method: string;
  /** Below the address of the provider, with the filter. */
  path: string;
  status: number;
  /** `read` and `unchanged` changed nothing, `refused` is a 4xx, `failed` a 5xx. */
  outcome: "read" | "changed" | "unchanged" | "refused" | "failed";
  /** Reason of a refusal or failure, also of a part of the request only. */
  detail?: string;
  /** The user or group: its name, and its id once it has one. */
  subject?: { id?: string; name?: string };
  changes?: string[];
  /** Names of unknown attributes and ids of unknown members, which were left out. */
  ignored?: string[];
  /** Number of requests that the entry stands for: only refusals without a valid token are counted together. */
  count?: number;
}

export interface ScimLogQuery {
  outcome?: ScimLogDoc["outcome"];
  /** Start of the time that is shown. */
  from: Date;
  /** Part of the path or of the subject's name. */
  text?: string;
  after?: string;
  limit: number;
}

/** Entries of a burst are written together, since no response depends on them. */
const collectMs = 100;

export const scimLogCollection = defineCollection({
  name: "scim_log",
  indexes: [
    { key: { tenantId: 1, _id: -1 } },
    { key: { tenantId: 1, outcome: 1, _id: -1 } },
    { key: { at: 1 } },
  ],
  open: (log: Collection<ScimLogDoc>) => ({
    insert: batchedInsert(log, collectMs),
    /** Counts a request without a valid token, in one entry per minute. */
    async countRefusal(entry: ScimLogDoc): Promise<void> {
      const { _id, count: _count, ...rest } = entry;
      await log.updateOne({ _id }, { $setOnInsert: rest, $inc: { count: 1 } }, { upsert: true });
    },
    /** A page of the log, newest first. */
    list(tenantId: string, { outcome, text, after, from, limit }: ScimLogQuery): Promise<ScimLogDoc[]> {
      const filter: Filter<ScimLogDoc> = { tenantId, at: { $gte: from } };
      if (outcome) filter.outcome = outcome;
      if (after !== undefined) filter._id = { $lt: after };
      if (text !== undefined) {
        const pattern = { $regex: escapePattern(text), $options: "i" };
        filter.$or = [{ path: pattern }, { "subject.name": pattern }, { detail: pattern }];
      }
      return log.find(filter, { maxTimeMS: 10_000 }).sort({ _id: -1 }).limit(limit).toArray();
    },
    removeBefore: (time: Date) => removeSlice(log, { at: { $lt: time } }),
    /** Removes the oldest entries of an organization beyond a number of them. */
    async removeBeyond(tenantId: string, kept: number): Promise<number> {
      const [oldest] = await listIds(log, { tenantId }, { sort: { _id: -1 }, skip: kept, limit: 1 });
      return oldest ? removeSlice(log, { tenantId, _id: { $lte: oldest } }) : 0;
    },
  }),
});
