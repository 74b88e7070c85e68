/** Accounts of people. */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { addressOperations } from "./addresses.ts";
import { administrationOperations } from "./administration.ts";
import { administratorOperations } from "./administrators.ts";
import { credentialOperations } from "./credentials.ts";
import { deletionOperations, unusedOperations } from "./deletion.ts";
import { changeAccount, account, present, type Account, type UserDoc } from "./document.ts";
import { factorOperations } from "./factors.ts";
import { mailOperations } from "./mails.ts";

export { type Account, type Credentials, type MailDue, type TokensEnding, type UserDoc } from "./document.ts";

export type { Factors, Passkey } from "./factor-document.ts";

export const usersCollection = defineCollection({
  name: "users",
  indexes: [
    { key: { emailKey: 1 }, unique: true, name: "user_email" },
    { key: { username: 1 }, unique: true, name: "user_username" },
    {
      key: { founder: 1 },
      unique: true,
      name: "user_founder",
      partialFilterExpression: { founder: true },
    },
    {
      key: { isAdministrator: 1, username: 1 },
      name: "user_administrators",
      partialFilterExpression: { isAdministrator: true },
    },
    // Accounts that earlier versions created without a verified domain, and no one has used.
    {
      key: { provisionedBy: 1 },
      name: "user_unused",
      partialFilterExpression: { passwordless: true, emailVerifiedAt: null },
    },
    { key: { "mailsDue.createdAt": 1 }, sparse: true },
    { key: { deletedAt: 1 }, sparse: true },
    { key: { "suspended.at": 1, username: 1 }, sparse: true, name: "user_suspended" },
    { key: { "tokensEnding.since": 1 }, sparse: true },
    {
      key: { "factors.passkeys.id": 1 },
      unique: true,
      name: "user_passkey",
      partialFilterExpression: { "factors.passkeys.id": { $gt: "" } },
    },
  ],
  outbox: true,
  open: (users: Collection<UserDoc>) => ({
    /** Whether any account exists. */
    async hasAny(): Promise<boolean> {
      return (await users.findOne(present, { projection: { _id: 1 } })) !== null;
    },
    find: (id: string) => users.findOne<Account>({ _id: id, ...present }, { projection: account }),
    listByIds: (ids: string[]): Promise<Account[]> =>
      users.find({ _id: { $in: ids }, ...present }, { projection: account }).toArray(),
    async findIdByUsername(username: string): Promise<string | undefined> {
      const found = await users.findOne({ username, ...present }, { projection: { _id: 1 } });
      return found?._id;
    },
    /** Whether any other account exists. */
    async hasOther(id: string): Promise<boolean> {
      return (await users.findOne({ _id: { $ne: id }, ...present }, { projection: { _id: 1 } })) !== null;
    },

    /** Null if the account does not exist. */
    change: changeAccount(users),
    ...administrationOperations(users),
    ...administratorOperations(users),
    ...credentialOperations(users),
    ...addressOperations(users),
    ...factorOperations(users),
    ...mailOperations(users),
    ...deletionOperations(users),
    ...unusedOperations(users),
  }),
});
