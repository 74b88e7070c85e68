/**
 * Changes of skills, one row for each person who is shown it. A row says that something happened, and to what: whether
 * the person may still read the skill is decided whenever rows are read.
 */
import type { Collection, Filter } from "mongodb";
import type { FollowedKind, FollowReason } from "../../contract/events/following.ts";
import { defineCollection } from "../collection.ts";
import { commandTimeMs, isDuplicate } from "../database.ts";
import { removeSlice } from "../maintenance/slices.ts";
import { insertOnce } from "../outbox.ts";

export interface FollowedChangeDoc {
  /** Made of the event and the person: recording an event again adds nothing. */
  _id: string;
  userId: string;
  /** Organization of the skill. */
  tenantId: string;
  skillId: string;
  kind: FollowedKind;
  reason: FollowReason;
  semver: string;
  /** New findings of the version. */
  findings?: number;
  /** Message of the version or of its deprecation. */
  message?: string;
  /** Name of the member, token or service that made the change. */
  by: string;
  at: Date;
  /** Time from which it waits to be mailed. */
  mailAt?: Date;
}

const newestFirst = { at: -1, _id: -1 } as const;
const withMail = { mailAt: { $exists: true } } as const;

export const followedChangesCollection = defineCollection({
  name: "followed_changes",
  indexes: [
    { key: { userId: 1, ...newestFirst } },
    { key: { mailAt: 1, userId: 1 }, name: "followed_change_due", partialFilterExpression: withMail },
    { key: { userId: 1, mailAt: 1 }, name: "followed_change_mail", partialFilterExpression: withMail },
    { key: { skillId: 1 } },
    { key: { tenantId: 1, userId: 1 } },
    { key: { at: 1 } },
  ],
  open: (changes: Collection<FollowedChangeDoc>) => ({
    record: (rows: FollowedChangeDoc[]) => insertOnce(changes, rows),
    /** Newest first; `before` is the last row of the previous page. */
    list(
      userId: string,
      before: { at: Date; id: string } | undefined,
      limit: number,
    ): Promise<FollowedChangeDoc[]> {
      const filter: Filter<FollowedChangeDoc> = { userId };
      if (before) filter.$or = [{ at: { $lt: before.at } }, { at: before.at, _id: { $lt: before.id } }];
      return changes.find(filter, { maxTimeMS: commandTimeMs }).sort(newestFirst).limit(limit).toArray();
    },
    ...reminderOperations(changes),
    ...mailOperations(changes),
    removeOfSkill: async (skillId: string): Promise<void> => {
      await changes.deleteMany({ skillId });
    },
    removeOfMember: (tenantId: string, userId: string) => removeSlice(changes, { tenantId, userId }),
    removeOfUser: (userId: string) => removeSlice(changes, { userId }),
    removeBefore: (date: Date) => removeSlice(changes, { at: { $lt: date } }),
  }),
});

const reminderId = (skillId: string, userId: string) => `${skillId}.reminder.${userId}`;

function reminderOperations(changes: Collection<FollowedChangeDoc>) {
  return {
    /** Stores a person's reminder, unless they had one about the skill since a time. Returns whether it was stored. */
    async remind({ mailAt, ...row }: Omit<FollowedChangeDoc, "_id">, before: Date): Promise<boolean> {
      const _id = reminderId(row.skillId, row.userId);
      const update = mailAt ? { $set: { ...row, mailAt } } : { $set: row, $unset: { mailAt: true as const } };
      try {
        await changes.updateOne({ _id, at: { $lte: before } }, update, { upsert: true });
        return true;
      } catch (error) {
        // The document exists, and is newer.
        if (!isDuplicate(error)) throw error;
        return false;
      }
    },
    /** The given people who had a reminder about a skill since a time. */
    async listReminded(skillId: string, userIds: readonly string[], since: Date): Promise<Set<string>> {
      const ids = userIds.map((userId) => reminderId(skillId, userId));
      const found = await changes
        .find(
          { _id: { $in: ids }, at: { $gt: since } },
          { projection: { _id: 0, userId: 1 }, maxTimeMS: commandTimeMs },
        )
        .toArray();
      return new Set(found.map(({ userId }) => userId));
    },
  };
}

function mailOperations(changes: Collection<FollowedChangeDoc>) {
  return {
    /** People for whom mails are due. */
    async listRecipientsDue(now: Date, limit: number): Promise<string[]> {
      const rows = await changes
        .aggregate<{ _id: string }>(
          [{ $match: { mailAt: { $lte: now } } }, { $group: { _id: "$userId" } }, { $limit: limit }],
          { maxTimeMS: commandTimeMs },
        )
        .toArray();
      return rows.map(({ _id }) => _id);
    },
    /** Changes that a person's next mail is about, the latest first. */
    listDue: (userId: string, now: Date, limit: number): Promise<FollowedChangeDoc[]> =>
      changes
        .find({ userId, mailAt: { $lte: now } }, { maxTimeMS: commandTimeMs })
        .sort({ mailAt: -1 })
        .limit(limit)
        .toArray(),
    /** Moves the mail about all that is due to a later time; without one, it is not sent. */
    async postponeDue(userId: string, now: Date, mailAt: Date | undefined): Promise<void> {
      await changes.updateMany({ userId, mailAt: { $lte: now } }, mailUpdate(mailAt));
    },
    /** Sets the time of everything that waits to be mailed, except for reviews; without one, nothing does any more. */
    async reschedule(userId: string, mailAt: Date | undefined): Promise<void> {
      await changes.updateMany(
        { userId, mailAt: { $exists: true }, reason: { $ne: "reviewer" } },
        mailUpdate(mailAt),
      );
    },
  };
}

const mailUpdate = (mailAt: Date | undefined) =>
  mailAt ? { $set: { mailAt } } : { $unset: { mailAt: true as const } };
