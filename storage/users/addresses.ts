/** Confirmation and change of the mail address of an account. */
import type { Collection } from "mongodb";
import { outboxUpdate, type EventRow } from "../outbox.ts";
import { account, addMails, present, type Account, type MailDue, type UserDoc } from "./document.ts";

export function addressOperations(users: Collection<UserDoc>) {
  return {
    /** Records an address to be confirmed, replacing an earlier one. False if the password has changed. */
    async requestEmailChange(
      seen: Pick<UserDoc, "_id" | "passwordHash">,
      emailChange: NonNullable<UserDoc["emailChange"]>,
      mails: MailDue[],
    ): Promise<boolean> {
      const result = await users.updateOne(
        { _id: seen._id, passwordHash: seen.passwordHash, ...present },
        { $set: { emailChange }, $push: addMails(mails) },
      );
      return result.modifiedCount === 1;
    },

    /**
     * Replaces the account's address with the confirmed one. Null if this change was replaced or already applied.
     * Throws a duplicate error of index `user_email` if another account has taken it concurrently.
     */
    async applyEmailChange(
      id: string,
      change: NonNullable<UserDoc["emailChange"]>,
      now: Date,
      mails: MailDue[],
      events: EventRow[],
    ): Promise<Account | null> {
      const outbox = outboxUpdate(events);
      const { email, emailKey } = change;
      return users.findOneAndUpdate(
        { _id: id, "emailChange.id": change.id, ...present },
        {
          $set: { email, emailKey, emailVerifiedAt: now, updatedAt: now, ...outbox.$set },
          $unset: { emailChange: true, verification: true },
          $push: { ...outbox.$push, ...addMails(mails) },
        },
        { returnDocument: "after", projection: account },
      );
    },

    /** Records a new link for the present address, which invalidates the previous one. */
    async requestVerification(
      id: string,
      emailKey: string,
      verification: NonNullable<UserDoc["verification"]>,
      mails: MailDue[],
    ): Promise<boolean> {
      const result = await users.updateOne(
        { _id: id, emailKey, emailVerifiedAt: { $exists: false }, ...present },
        { $set: { verification }, $push: addMails(mails) },
      );
      return result.modifiedCount === 1;
    },
    /** Marks the present address as confirmed, once. Null if the link was replaced or used. */
    applyVerification: (id: string, verificationId: string, now: Date): Promise<Account | null> =>
      users.findOneAndUpdate(
        { _id: id, "verification.id": verificationId, ...present },
        { $set: { emailVerifiedAt: now }, $unset: { verification: true } },
        { returnDocument: "after", projection: account },
      ),

    /** Marks the present address as confirmed, after the use of a link that was mailed to it. */
    async markVerified(id: string, emailKey: string, now: Date): Promise<void> {
      await users.updateOne(
        { _id: id, emailKey, emailVerifiedAt: { $exists: false }, ...present },
        { $set: { emailVerifiedAt: now }, $unset: { verification: true } },
      );
    },
  };
}
