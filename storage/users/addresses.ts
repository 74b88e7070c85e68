/** Confirmation and change of the mail address of an account. */
import type { Collection } from "mongodb";
import type { EventRow } from "../outbox.ts";
import { changeAccount, addMails, present, type MailDue, type UserDoc } from "./document.ts";

export function addressOperations(users: Collection<UserDoc>) {
  const change = changeAccount(users);
  return {
    /** Records an address to be confirmed, replacing an earlier one. Null if the password has changed. */
    requestEmailChange: (
      { _id, passwordHash }: Pick<UserDoc, "_id" | "passwordHash">,
      emailChange: NonNullable<UserDoc["emailChange"]>,
      mails: MailDue[],
    ) => change(_id, { when: { passwordHash }, set: { emailChange }, push: addMails(mails) }),

    /**
     * Replaces the account's address with the confirmed one. Null if this change was replaced or already applied.
     * Throws a duplicate error of index `user_email` if another account has taken it concurrently.
     */
    applyEmailChange: (
      id: string,
      { id: changeId, email, emailKey }: NonNullable<UserDoc["emailChange"]>,
      now: Date,
      mails: MailDue[],
      events: EventRow[],
    ) =>
      change(id, {
        when: { "emailChange.id": changeId },
        set: { email, emailKey, emailVerifiedAt: now },
        unset: ["emailChange", "verification"],
        push: addMails(mails),
        now,
        events,
      }),

    /** Records a new link for the current address, which invalidates the previous one. */
    requestVerification: (
      id: string,
      emailKey: string,
      verification: NonNullable<UserDoc["verification"]>,
      mails: MailDue[],
    ) =>
      change(id, {
        when: { emailKey, emailVerifiedAt: { $exists: false } },
        set: { verification },
        push: addMails(mails),
      }),
    /** Marks the current address as confirmed, once. Null if the link was replaced or used. */
    applyVerification: (id: string, verificationId: string, now: Date) =>
      change(id, {
        when: { "verification.id": verificationId },
        set: { emailVerifiedAt: now },
        unset: ["verification"],
      }),

    /** Marks the current address as confirmed, after the use of a link that was mailed to it. */
    async markVerified(id: string, emailKey: string, now: Date): Promise<void> {
      await users.updateOne(
        { _id: id, emailKey, emailVerifiedAt: { $exists: false }, ...present },
        { $set: { emailVerifiedAt: now }, $unset: { verification: true } },
      );
    },
  };
}
