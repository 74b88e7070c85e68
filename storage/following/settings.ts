/** When people get mails about what they follow. */
import type { Collection } from "mongodb";
import type { FollowMail } from "../../contract/events/following.ts";
import { defineCollection } from "../collection.ts";
import { commandTimeMs, isDuplicate } from "../database.ts";

export interface FollowSettingsDoc {
  /** Id of the person. */
  _id: string;
  /** Absent for a person who has chosen nothing. */
  mail?: FollowMail;
  /** Gets mails about versions that wait for the person's review. */
  reviews?: true;
  lastSentAt?: Date;
  /** Time until which one worker sends this person's mail. */
  sendingUntil?: Date;
}

export const followSettingsCollection = defineCollection({
  name: "follow_settings",
  indexes: [{ key: { reviews: 1, _id: 1 }, partialFilterExpression: { reviews: true } }],
  open: (settings: Collection<FollowSettingsDoc>) => ({
    find: (userId: string) => settings.findOne({ _id: userId }),
    listByIds: (userIds: readonly string[]): Promise<FollowSettingsDoc[]> =>
      settings.find({ _id: { $in: [...userIds] } }).toArray(),
    /** Ids of people who get mails about reviews, in their order. */
    async listReviewers(after: string | undefined, limit: number): Promise<string[]> {
      const rows = await settings
        .find(
          { reviews: true, ...(after !== undefined && { _id: { $gt: after } }) },
          { projection: { _id: 1 }, maxTimeMS: commandTimeMs },
        )
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return rows.map(({ _id }) => _id);
    },
    /** Sets what is given, and returns the result. */
    async choose(
      userId: string,
      { mail, reviews }: { mail?: FollowMail; reviews?: boolean },
    ): Promise<FollowSettingsDoc> {
      const chosen = await settings.findOneAndUpdate(
        { _id: userId },
        {
          $setOnInsert: { _id: userId },
          ...((mail || reviews) && { $set: { ...(mail && { mail }), ...(reviews && { reviews }) } }),
          ...(reviews === false && { $unset: { reviews: true as const } }),
        },
        { upsert: true, returnDocument: "after" },
      );
      return chosen!;
    },
    /** Whether the caller may send a person's mail now; another worker may until `until`, unless it ends before. */
    async claim(userId: string, now: Date, until: Date): Promise<boolean> {
      const isFree = { $not: { $gt: now } };
      try {
        await settings.updateOne(
          { _id: userId, sendingUntil: isFree },
          { $set: { sendingUntil: until } },
          { upsert: true },
        );
        return true;
      } catch (error) {
        // The document exists, and another worker has it.
        if (!isDuplicate(error)) throw error;
        return false;
      }
    },
    async release(userId: string, sentAt: Date | undefined): Promise<void> {
      await settings.updateOne(
        { _id: userId },
        { $unset: { sendingUntil: true }, ...(sentAt ? { $set: { lastSentAt: sentAt } } : {}) },
      );
    },
    async remove(userId: string): Promise<void> {
      await settings.deleteOne({ _id: userId });
    },
  }),
});
