/** Decisions about versions that waited for a review, and comments on them. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { commandTimeMs } from "../database.ts";
import { insertOnce } from "../outbox.ts";

export interface VersionReviewDoc {
  /** The id of the audit event that a decision is copied from, and a new one for a comment. */
  _id: string;
  tenantId: string;
  skillId: string;
  versionId: string;
  kind: "approved" | "rejected" | "overridden" | "comment";
  by: { id: string; username: string };
  text?: string;
  /** The file that a comment is about, and its line. */
  path?: string;
  line?: number;
  at: Date;
}

export const versionReviewsCollection = defineCollection({
  name: "version_reviews",
  indexes: [{ key: { skillId: 1, versionId: 1, _id: 1 } }, { key: { tenantId: 1 } }],
  open: (reviews: Collection<VersionReviewDoc>) => ({
    /** Inserts rows; existing ones stay unchanged. */
    record: (rows: VersionReviewDoc[]) => insertOnce(reviews, rows),
    /** Those of a version, the oldest first. */
    list: (skillId: string, versionId: string, limit: number): Promise<VersionReviewDoc[]> =>
      reviews
        .find({ skillId, versionId }, { maxTimeMS: commandTimeMs })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    async removeOfSkill(skillId: string): Promise<void> {
      await reviews.deleteMany({ skillId });
    },
  }),
});
