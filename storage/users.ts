/** People with an account. */
import type { Filter, IndexDescription } from "mongodb";
import type { Database } from "./database.ts";
import { rememberedClient, type KnownClients } from "./known-clients.ts";
import { outboxUpdate, outboxOperations, type EventRow, type WithOutbox } from "./outbox.ts";

export interface UserDoc extends WithOutbox, KnownClients {
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
  /** Since when the address is known to be its owner's. */
  emailVerifiedAt?: Date;
  /** The link that confirms the present address. */
  verification?: { id: string; expiresAt: Date };
  /** The address that replaces the present one when its owner confirms it. */
  emailChange?: { id: string; email: string; emailKey: string; expiresAt: Date };
  /** Goes up when all sessions end at once: one of an earlier number is over, save the kept one. Absent is 0. */
  sessionEpoch?: number;
  keptSessionId?: string | null;
  /** Goes up when all API tokens of the account end at once: a token of another number is not valid. Absent is 0. */
  tokenEpoch?: number;
  /** Set in the write that ended tokens, until the records of those tokens are marked as revoked. */
  tokensEnding?: TokensEnding;
  /** Mails to be sent, added in the same write as the change that they report. */
  mailsDue?: MailDue[];
  /** Set while the account is being removed: from then on no look-up finds it. */
  deletedAt?: Date;
  /** Set when there is no way back: its names are free, and nothing but its id and its events are left. */
  erasing?: true;
  /** On the first account of the service and no other: the unique index makes it so. */
  founder?: true;
  createdAt: Date;
  updatedAt: Date;
}

export interface TokensEnding {
  since: Date;
  /** Also the tokens that this account made for organizations. */
  ofOrganizations?: true;
}

/** A mail to be sent to an account. Its text and its link are created when it is sent. */
export interface MailDue {
  id: string;
  kind:
    | "confirm-email"
    | "confirm-change"
    | "change-requested"
    | "email-changed"
    | "reset-password"
    | "password-changed"
    | "password-reset"
    | "skill-taken-down"
    | "takedown-lifted";
  to: string;
  /** The skill as `org/slug`, and the administrator's reason; of mails about takedowns. */
  about?: { skill: string; reason: string };
  createdAt: Date;
  /** From then on it is not sent any more; also the end of its link. */
  expiresAt: Date;
}

/** A user without what only the sign-in needs, and without what is to be copied elsewhere. */
export type Account = Omit<
  UserDoc,
  "passwordHash" | "outbox" | "unsettledAt" | "mailsDue" | "deletedAt" | "erasing" | keyof KnownClients
>;
export type Credentials = Account & Pick<UserDoc, "passwordHash"> & KnownClients;

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
  { key: { "mailsDue.createdAt": 1 }, sparse: true },
  { key: { deletedAt: 1 }, sparse: true },
  { key: { "tokensEnding.since": 1 }, sparse: true },
];

const credentials = { outbox: 0, unsettledAt: 0, mailsDue: 0 } as const;
const account = { ...credentials, passwordHash: 0, knownDevices: 0, knownAddresses: 0 } as const;
const present = { deletedAt: { $exists: false } } as const;

/** More pending mails than that are only caused by flooding. */
const mailsWaiting = 20;
const addMails = (mails: MailDue[]) => ({ mailsDue: { $each: mails, $slice: -mailsWaiting } });

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
      return (await users.findOne(present, { projection: { _id: 1 } })) !== null;
    },
    find: (id: string) => users.findOne<Account>({ _id: id, ...present }, { projection: account }),
    listByIds: (ids: string[]) =>
      users.find({ _id: { $in: ids }, ...present }, { projection: account }).toArray() as Promise<Account[]>,
    async findIdByUsername(username: string): Promise<string | undefined> {
      const found = await users.findOne({ username, ...present }, { projection: { _id: 1 } });
      return found?._id;
    },
    findCredentials: (emailKey: string) =>
      users.findOne<Credentials>({ emailKey, ...present }, { projection: credentials }),
    findCredentialsById: (id: string) =>
      users.findOne<Credentials>({ _id: id, ...present }, { projection: credentials }),
    /** Which sessions of a user still hold; null when there is no such user. */
    findSessionRule: (id: string) =>
      users.findOne<Pick<UserDoc, "sessionEpoch" | "keptSessionId">>(
        { _id: id, ...present },
        { projection: { sessionEpoch: 1, keptSessionId: 1 } },
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
        { _id: id, ...present },
        { $set: { ...fields, updatedAt: now, ...outbox.$set }, $push: outbox.$push },
        { returnDocument: "after", projection: account },
      );
    },

    /**
     * Ends all sessions but the kept one in this very write, which also ends those that a sign-in under way is about to
     * make of what it read before. Answers the epoch of the sessions that come now; null when there is no such user, or
     * the one to be kept is over itself.
     */
    async endSessions(
      id: string,
      kept: { _id: string; epoch?: number } | undefined,
      events: EventRow[],
    ): Promise<number | null> {
      const outbox = outboxUpdate(events);
      const stillHeld = kept && {
        $or: [{ sessionEpoch: kept.epoch || { $in: [0, null] } }, { keptSessionId: kept._id }],
      };
      const updated = await users.findOneAndUpdate(
        { _id: id, ...present, ...stillHeld } as Filter<UserDoc>,
        {
          $set: { keptSessionId: kept?._id ?? null, ...outbox.$set },
          $inc: { sessionEpoch: 1 },
          $push: outbox.$push,
        },
        { returnDocument: "after", projection: { sessionEpoch: 1 } },
      );
      return updated?.sessionEpoch ?? null;
    },

    /**
     * Replaces the password that was checked, ends all sessions but the kept one, and drops a pending change of
     * address, since its requester knew the old password. `verifiedAt` also confirms the present address,
     * `tokensEnding` also ends all API tokens. Returns the epoch as `endSessions` does; null when password or address
     * have changed.
     */
    async replacePassword(
      seen: Pick<UserDoc, "_id" | "passwordHash" | "emailKey">,
      change: {
        passwordHash: string;
        keptSessionId: string | undefined;
        verifiedAt?: Date;
        tokensEnding?: TokensEnding | undefined;
        /** Replace the known clients of the account. */
        knownClients?: Required<KnownClients>;
        now: Date;
        mails: MailDue[];
      },
      events: EventRow[],
    ): Promise<number | null> {
      const { passwordHash, keptSessionId, verifiedAt, tokensEnding, knownClients, now, mails } = change;
      const outbox = outboxUpdate(events);
      const updated = await users.findOneAndUpdate(
        { _id: seen._id, passwordHash: seen.passwordHash, emailKey: seen.emailKey, ...present },
        {
          $set: {
            passwordHash,
            updatedAt: now,
            ...(verifiedAt ? { emailVerifiedAt: verifiedAt } : {}),
            ...(tokensEnding ? { tokensEnding } : {}),
            ...knownClients,
            keptSessionId: keptSessionId ?? null,
            ...outbox.$set,
          },
          $unset: { emailChange: true, ...(verifiedAt ? { verification: true } : {}) },
          $inc: { sessionEpoch: 1, ...(tokensEnding ? { tokenEpoch: 1 } : {}) },
          $push: { ...outbox.$push, ...addMails(mails) },
        },
        { returnDocument: "after", projection: { sessionEpoch: 1 } },
      );
      return updated?.sessionEpoch ?? null;
    },
    /** Remembers a client that has signed in, by its hashes. */
    async noteClient(id: string, hashes: { device: string; address?: string }, now: Date): Promise<void> {
      await users.updateOne({ _id: id, ...present }, rememberedClient(hashes, now));
    },
    /** Accounts whose ended tokens are still to be marked as revoked, since before a time. */
    async listTokensEnding(before: Date, limit: number): Promise<string[]> {
      const rows = await users
        .find({ "tokensEnding.since": { $lt: before } }, { projection: { _id: 1 } })
        .limit(limit)
        .toArray();
      return rows.map((row) => row._id);
    },
    async clearTokensEnding(id: string, since: Date): Promise<void> {
      await users.updateOne({ _id: id, "tokensEnding.since": since }, { $unset: { tokensEnding: true } });
    },

    /** Notes an address that waits for its confirmation; one that waited before gives way. False as above. */
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
     * Makes the address that waits the account's own, once. Null when another one waits, or none any more. Throws a
     * duplicate error of index `user_email` if another account has taken it concurrently.
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

    /** Makes a new link for the present address; the one before is worth nothing any more. */
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
    /** Marks the present address as confirmed, once. Null when another link was made, or this one was used. */
    applyVerification: (id: string, verificationId: string, now: Date): Promise<Account | null> =>
      users.findOneAndUpdate(
        { _id: id, "verification.id": verificationId, ...present },
        { $set: { emailVerifiedAt: now }, $unset: { verification: true } },
        { returnDocument: "after", projection: account },
      ),

    /** Marks an address as its owner's, on proof by a mail that was sent there. */
    async markVerified(id: string, emailKey: string, now: Date): Promise<void> {
      await users.updateOne(
        { _id: id, emailKey, emailVerifiedAt: { $exists: false }, ...present },
        { $set: { emailVerifiedAt: now }, $unset: { verification: true } },
      );
    },

    async addMails(id: string, mails: MailDue[]): Promise<void> {
      await users.updateOne({ _id: id, ...present }, { $push: addMails(mails) });
    },
    /** The account with its mails that wait; null when there is none. */
    findWithMails: (id: string) =>
      users.findOne<Credentials & Pick<UserDoc, "mailsDue">>(
        { _id: id, ...present },
        { projection: { outbox: 0, unsettledAt: 0 } },
      ),
    async removeMail(id: string, mailId: string): Promise<void> {
      await users.updateOne({ _id: id }, { $pull: { mailsDue: { id: mailId } } });
    },
    /** Accounts whose mails wait since before a time, those that wait longest first. */
    async listMailsDue(before: Date, limit: number): Promise<string[]> {
      const rows = await users
        .find({ "mailsDue.createdAt": { $lt: before }, ...present }, { projection: { _id: 1 } })
        .sort({ "mailsDue.createdAt": 1 })
        .limit(limit)
        .toArray();
      return rows.map((row) => row._id);
    },

    /** Whether there is any account but this one. */
    async hasOther(id: string): Promise<boolean> {
      return (await users.findOne({ _id: { $ne: id }, ...present }, { projection: { _id: 1 } })) !== null;
    },
    /**
     * Marks an account as deleted, so that no look-up finds it. False if it is marked already or its password has
     * changed.
     */
    async markDeleted(seen: Pick<UserDoc, "_id" | "passwordHash">, now: Date): Promise<boolean> {
      const result = await users.updateOne(
        { _id: seen._id, passwordHash: seen.passwordHash, ...present },
        { $set: { deletedAt: now } },
      );
      return result.modifiedCount === 1;
    },
    /** Takes the mark back, unless there is no way back any more. */
    async unmarkDeleted(id: string): Promise<void> {
      await users.updateOne({ _id: id, erasing: { $exists: false } }, { $unset: { deletedAt: true } });
    },
    /** Strips a marked account of what it was, so that its names are free for others. False when it was before. */
    async commitDeletion(id: string, events: EventRow[]): Promise<boolean> {
      const outbox = outboxUpdate(events);
      // No real name or address has a colon in it.
      const nobody = `gone:${id}`;
      const stripped = { email: "", emailKey: nobody, username: nobody, name: "", passwordHash: "" };
      const result = await users.updateOne(
        { _id: id, deletedAt: { $exists: true }, erasing: { $exists: false } },
        {
          $set: { ...stripped, isAdministrator: false, erasing: true, ...outbox.$set },
          $unset: {
            founder: true,
            verification: true,
            emailChange: true,
            mailsDue: true,
            knownDevices: true,
            knownAddresses: true,
          },
          $push: outbox.$push,
        },
      );
      return result.modifiedCount === 1;
    },
    findDeleted: (id: string) => users.findOne({ _id: id, deletedAt: { $exists: true } }),
    /** Accounts that were marked before a time, oldest first. */
    async listDeleted(before: Date, limit: number): Promise<string[]> {
      const rows = await users
        .find({ deletedAt: { $lt: before } }, { projection: { _id: 1 } })
        .sort({ deletedAt: 1 })
        .limit(limit)
        .toArray();
      return rows.map((row) => row._id);
    },
    /** Removes an account's document, once its events are in the log. */
    async removeDeleted(id: string): Promise<void> {
      await users.deleteOne({ _id: id, erasing: true, unsettledAt: { $exists: false } });
    },

    ...outboxOperations(users),
  };
}
