/**
 * People who were members of an organization before. They can be invited again, but don't join automatically: someone
 * decided that they leave. A row is written before the ended membership is removed.
 */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { removeSlice } from "../maintenance/slices.ts";

interface FormerMemberDoc {
  /** The ids of organization and user. */
  _id: string;
  tenantId: string;
  userId: string;
  leftAt: Date;
}

export const formerMembersCollection = defineCollection({
  name: "former_members",
  indexes: [{ key: { tenantId: 1 } }, { key: { userId: 1 } }],
  open: openFormerMembers,
});

function openFormerMembers(rows: Collection<FormerMemberDoc>) {
  const idOf = (tenantId: string, userId: string) => `${tenantId}.${userId}`;
  return {
    async note(tenantId: string, userId: string, leftAt: Date): Promise<void> {
      const row = { tenantId, userId, leftAt };
      await rows.updateOne({ _id: idOf(tenantId, userId) }, { $set: row }, { upsert: true });
    },
    async has(tenantId: string, userId: string): Promise<boolean> {
      return (await rows.findOne({ _id: idOf(tenantId, userId) }, { projection: { _id: 1 } })) !== null;
    },
    removeOfUser: (userId: string) => removeSlice(rows, { userId }),
  };
}
