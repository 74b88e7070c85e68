/** Content of skills that were taken down: its tenant can't share it again under another name. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { insertOnce } from "../outbox.ts";

export interface RefusedContentDoc {
  /** `skillId:hash`. */
  _id: string;
  tenantId: string;
  skillId: string;
  /** Content hash of a version, as `VersionDoc.hash`. */
  hash: string;
  reason: string;
  createdAt: Date;
}

export const refusedContentsCollection = defineCollection({
  name: "refused_contents",
  indexes: [{ key: { tenantId: 1, hash: 1 } }, { key: { skillId: 1 } }],
  open: (contents: Collection<RefusedContentDoc>) => ({
    /** Recording content again changes nothing. */
    record: (rows: readonly Omit<RefusedContentDoc, "_id">[]) =>
      insertOnce(
        contents,
        rows.map((row) => ({ _id: `${row.skillId}:${row.hash}`, ...row })),
      ),
    find: (tenantId: string, hash: string) => contents.findOne({ tenantId, hash }),
    /** Refused content of a tenant; most have none. */
    list: (tenantId: string, limit: number) => contents.find({ tenantId }).limit(limit).toArray(),
    async removeOfSkill(skillId: string): Promise<void> {
      await contents.deleteMany({ skillId });
    },
  }),
});
