/** Mails that are due to the owners of accounts. */
import type { Collection } from "mongodb";
import { addMails, present, type Credentials, type MailDue, type UserDoc } from "./document.ts";

export function mailOperations(users: Collection<UserDoc>) {
  return {
    async addMails(id: string, mails: MailDue[]): Promise<void> {
      await users.updateOne({ _id: id, ...present }, { $push: addMails(mails) });
    },
    /** The account with its pending mails. */
    findWithMails: (id: string) =>
      users.findOne<Credentials & Pick<UserDoc, "mailsDue">>(
        { _id: id, ...present },
        { projection: { outbox: 0, pendingSince: 0 } },
      ),
    async removeMail(id: string, mailId: string): Promise<void> {
      await users.updateOne({ _id: id }, { $pull: { mailsDue: { id: mailId } } });
    },
    /** Accounts with mails pending since before a time, oldest first. */
    async listMailsDue(before: Date, limit: number): Promise<string[]> {
      const rows = await users
        .find({ "mailsDue.createdAt": { $lt: before }, ...present }, { projection: { _id: 1 } })
        .sort({ "mailsDue.createdAt": 1 })
        .limit(limit)
        .toArray();
      return rows.map((row) => row._id);
    },
  };
}
