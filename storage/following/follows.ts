/** Skills and folders that people follow. */
import type { Collection } from "mongodb";
import type { FollowTarget } from "../../contract/events/following.ts";
import { defineCollection } from "../collection.ts";
import { commandTimeMs, isDuplicate } from "../database.ts";
import { removeSlice } from "../maintenance/slices.ts";

export interface FollowDoc {
  _id: string;
  userId: string;
  /** Organization of the skill or folder. */
  tenantId: string;
  kind: FollowTarget;
  targetId: string;
  createdAt: Date;
}

export const followsCollection = defineCollection({
  name: "follows",
  indexes: [
    { key: { userId: 1, targetId: 1 }, unique: true, name: "follow_once" },
    { key: { tenantId: 1, targetId: 1 } },
    { key: { tenantId: 1, userId: 1 } },
  ],
  open: (follows: Collection<FollowDoc>) => ({
    /** Stores a follow, or returns the one that exists. */
    async put(row: FollowDoc): Promise<FollowDoc> {
      try {
        await follows.insertOne(row);
        return row;
      } catch (error) {
        if (!isDuplicate(error, "follow_once")) throw error;
        const { userId, targetId } = row;
        return (await follows.findOne({ userId, targetId })) ?? row;
      }
    },
    /** All of a person: there are at most `limits.followsPerUser`, and a few more after concurrent calls. */
    listOfUser: (userId: string): Promise<FollowDoc[]> =>
      follows.find({ userId }, { maxTimeMS: commandTimeMs }).toArray(),
    /** Followers of any of the skills and folders of an organization. */
    listOfTargets: (
      tenantId: string,
      targetIds: readonly string[],
    ): Promise<Pick<FollowDoc, "_id" | "userId" | "targetId">[]> =>
      follows
        .find(
          { tenantId, targetId: { $in: [...targetIds] } },
          { projection: { userId: 1, targetId: 1 }, maxTimeMS: commandTimeMs },
        )
        .toArray(),
    async remove(userId: string, ids: readonly string[]): Promise<void> {
      await follows.deleteMany({ _id: { $in: [...ids] }, userId });
    },
    removeOfTarget: async (tenantId: string, targetId: string): Promise<void> => {
      await follows.deleteMany({ tenantId, targetId });
    },
    removeOfMember: (tenantId: string, userId: string) => removeSlice(follows, { tenantId, userId }),
    removeOfUser: (userId: string) => removeSlice(follows, { userId }),
  }),
});
