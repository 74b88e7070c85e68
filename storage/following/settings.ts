/** When people get mails about what they follow. */
import type { Collection } from "mongodb";
import type { FollowMail } from "../../contract/following.ts";
import { defineCollection } from "../collection.ts";
import { isDuplicate } from "../database.ts";

export interface FollowSettingsDoc {
  /** Id of the person. */
  _id: string;
  /** Absent for a person who has chosen nothing. */
  mail?: FollowMail;
  lastSentAt?: Date;
  /** Time until which one worker sends this person's mail. */
  sendingUntil?: Date;
}

export const followSettingsCollection = defineCollection({
  name: "follow_settings",
  open: (settings: Collection<FollowSettingsDoc>) => ({
    find: (userId: string) => settings.findOne({ _id: userId }),
    listByIds: (userIds: readonly string[]): Promise<FollowSettingsDoc[]> =>
      settings.find({ _id: { $in: [...userIds] } }).toArray(),
    async setMail(userId: string, mail: FollowMail): Promise<void> {
      await settings.updateOne({ _id: userId }, { $set: { mail } }, { upsert: true });
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
