/** Mails that are due to the owners of accounts. */
import type { Collection } from "mongodb";
import { listIds } from "../ids.ts";
import {
  addMails,
  changeAccount,
  present,
  type Credentials,
  type MailDue,
  type UserDoc,
} from "./document.ts";

export function mailOperations(users: Collection<UserDoc>) {
  return {
    addMails: (id: string, mails: MailDue[]) => changeAccount(users)(id, { push: addMails(mails) }),
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
    listMailsDue: (before: Date, limit: number) =>
      listIds(
        users,
        { "mailsDue.createdAt": { $lt: before }, ...present },
        { sort: { "mailsDue.createdAt": 1 }, limit },
      ),
  };
}
