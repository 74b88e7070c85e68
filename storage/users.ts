/** Accounts of people. */
import type { Database } from "./database.ts";
import { outboxOperations, outboxUpdate, type EventRow } from "./outbox.ts";
import { addressOperations } from "./users/addresses.ts";
import { administrationOperations } from "./users/administration.ts";
import { administratorOperations } from "./users/administrators.ts";
import { credentialOperations } from "./users/credentials.ts";
import { deletionOperations, unusedOperations } from "./users/deletion.ts";
import { account, present, type Account, type UserDoc } from "./users/document.ts";
import { factorOperations } from "./users/factors.ts";
import { mailOperations } from "./users/mails.ts";

export {
  userIndexes,
  type Account,
  type Credentials,
  type MailDue,
  type TokensEnding,
  type UserDoc,
} from "./users/document.ts";

export type { Factors, Passkey } from "./users/factor-document.ts";

export type Users = ReturnType<typeof openUsers>;
export function openUsers(database: Database) {
  const users = database.collection<UserDoc>("users");
  return {
    /** Throws a duplicate error of index `user_email`, `user_username` or `user_founder`. */
    async insert(user: UserDoc): Promise<void> {
      await users.insertOne(user);
    },
    /** Whether any account exists. */
    async hasAny(): Promise<boolean> {
      return (await users.findOne(present, { projection: { _id: 1 } })) !== null;
    },
    find: (id: string) => users.findOne<Account>({ _id: id, ...present }, { projection: account }),
    listByIds: (ids: string[]) =>
      users.find({ _id: { $in: ids }, ...present }, { projection: account }).toArray() as Promise<Account[]>,
    async findIdByUsername(username: string): Promise<string | undefined> {
      const found = await users.findOne({ username, ...present }, { projection: { _id: 1 } });
      return found?._id;
    },
    /** Whether any other account exists. */
    async hasOther(id: string): Promise<boolean> {
      return (await users.findOne({ _id: { $ne: id }, ...present }, { projection: { _id: 1 } })) !== null;
    },

    /** Throws a duplicate error of index `user_username` if the name is in use. */
    async update(
      id: string,
      fields: Partial<Pick<UserDoc, "name" | "username">>,
      now: Date,
      events: EventRow[],
    ): Promise<Account | null> {
      const outbox = outboxUpdate(events);
      return users.findOneAndUpdate(
        { _id: id, ...present },
        { $set: { ...fields, updatedAt: now, ...outbox.$set }, $push: outbox.$push },
        { returnDocument: "after", projection: account },
      );
    },
    ...administrationOperations(users),
    ...administratorOperations(users),
    ...credentialOperations(users),
    ...addressOperations(users),
    ...factorOperations(users),
    ...mailOperations(users),
    ...deletionOperations(users),
    ...unusedOperations(users),
    ...outboxOperations(users),
  };
}
