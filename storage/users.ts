/** People with an account. */
import type { IndexDescription } from "mongodb";
import type { Database } from "./database.ts";
import { outboxUpdate, settleOutbox, type EventRow, type WithOutbox } from "./outbox.ts";

export interface UserDoc extends WithOutbox {
  _id: string;
  /** As its owner writes it. */
  email: string;
  /** The same folded for comparison: unique. */
  emailKey: string;
  username: string;
  name: string;
  /** Argon2id in PHC string form. */
  passwordHash: string;
  isAdministrator: boolean;
  /** On the first account of the service and no other: the unique index makes it so. */
  founder?: true;
  createdAt: Date;
  updatedAt: Date;
}

/** A user without the password hash, which only the sign-in needs. */
export type Account = Omit<UserDoc, "passwordHash" | "outbox" | "unsettledAt">;

export const userIndexes: IndexDescription[] = [
  { key: { emailKey: 1 }, unique: true, name: "user_email" },
  { key: { username: 1 }, unique: true, name: "user_username" },
  {
    key: { founder: 1 },
    unique: true,
    name: "user_founder",
    partialFilterExpression: { founder: true },
  },
  { key: { unsettledAt: 1 }, sparse: true },
];

const account = { passwordHash: 0, outbox: 0, unsettledAt: 0 } as const;

export type Users = ReturnType<typeof openUsers>;

export function openUsers(database: Database) {
  const users = database.collection<UserDoc>("users");
  return {
    /** Throws a duplicate error of index `user_email`, `user_username` or `user_founder`. */
    async insert(user: UserDoc): Promise<void> {
      await users.insertOne(user);
    },
    /** Whether there is any account at all. */
    async hasAny(): Promise<boolean> {
      return (await users.findOne({}, { projection: { _id: 1 } })) !== null;
    },
    find: (id: string) => users.findOne<Account>({ _id: id }, { projection: account }),
    findCredentials: (emailKey: string) =>
      users.findOne<Account & { passwordHash: string }>(
        { emailKey },
        { projection: { outbox: 0, unsettledAt: 0 } },
      ),

    /** Throws a duplicate error of index `user_username` when the name is taken. */
    async update(
      id: string,
      fields: Partial<Pick<UserDoc, "name" | "username">>,
      now: Date,
      events: EventRow[],
    ): Promise<Account | null> {
      const outbox = outboxUpdate(events);
      return users.findOneAndUpdate(
        { _id: id },
        { $set: { ...fields, updatedAt: now, ...outbox.$set }, $push: outbox.$push },
        { returnDocument: "after", projection: account },
      );
    },

    /** Documents whose events were not carried to the log yet, oldest first. */
    listUnsettled: (before: Date, limit: number) =>
      users
        .find({ unsettledAt: { $lt: before } })
        .sort({ unsettledAt: 1 })
        .limit(limit)
        .toArray(),
    settle: (id: string, eventIds: string[]) => settleOutbox(users, id, eventIds),
  };
}
