/** Password of an account, and the end of its sessions and API tokens. */
import type { Collection, Filter } from "mongodb";
import { rememberedClient, type KnownClients } from "../credentials/known-clients.ts";
import { listIds } from "../ids.ts";
import type { EventRow } from "../outbox.ts";
import {
  changeAccount,
  addMails,
  credentials,
  present,
  type Credentials,
  type MailDue,
  type TokensEnding,
  type UserDoc,
} from "./document.ts";

export function credentialOperations(users: Collection<UserDoc>) {
  const change = changeAccount(users);
  return {
    findCredentials: (emailKey: string) =>
      users.findOne<Credentials>({ emailKey, ...present }, { projection: credentials }),
    findCredentialsById: (id: string) =>
      users.findOne<Credentials>({ _id: id, ...present }, { projection: credentials }),
    /** Fields by which sessions are checked; null if the user does not exist. */
    findSessionRule: (id: string) =>
      users.findOne<Pick<UserDoc, "sessionEpoch" | "keptSessionId">>(
        { _id: id, ...present },
        { projection: { sessionEpoch: 1, keptSessionId: 1 } },
      ),
    /**
     * Ends all sessions except the kept one in one write, including sessions that a concurrent sign-in creates with the
     * earlier epoch. Returns the epoch of new sessions, or null if the user does not exist or the session to be kept
     * has ended.
     */
    async endSessions(
      id: string,
      kept: { _id: string; epoch?: number } | undefined,
      events: EventRow[],
    ): Promise<number | null> {
      const stillHeld = kept && {
        $or: [{ sessionEpoch: kept.epoch || { $in: [0, null] } }, { keptSessionId: kept._id }],
      };
      const updated = await change(id, {
        when: stillHeld as Filter<UserDoc>,
        set: { keptSessionId: kept?._id ?? null },
        inc: { sessionEpoch: 1 },
        events,
      });
      return updated?.sessionEpoch ?? null;
    },

    /**
     * Replaces the password that was checked, ends all sessions except the kept one, and drops a pending change of
     * address, since its requester knew the old password. `verifiedAt` also confirms the current address,
     * `tokensEnding` also ends all API tokens. Returns the epoch as `endSessions` does, or null if password or address
     * have changed.
     */
    async replacePassword(
      seen: Pick<UserDoc, "_id" | "passwordHash" | "emailKey">,
      replacement: {
        passwordHash: string;
        keptSessionId: string | undefined;
        verifiedAt?: Date;
        tokensEnding?: TokensEnding;
        /** Replaces the known clients of the account. */
        knownClients?: Required<KnownClients>;
        now: Date;
        mails: MailDue[];
      },
      events: EventRow[],
    ): Promise<number | null> {
      const { passwordHash, keptSessionId, verifiedAt, tokensEnding, knownClients, now, mails } = replacement;
      const updated = await change(seen._id, {
        when: { passwordHash: seen.passwordHash, emailKey: seen.emailKey },
        set: {
          passwordHash,
          emailVerifiedAt: verifiedAt,
          tokensEnding,
          ...knownClients,
          keptSessionId: keptSessionId ?? null,
        },
        unset: ["emailChange", "passwordless", ...(verifiedAt ? ["verification"] : [])],
        inc: { sessionEpoch: 1, tokenEpoch: tokensEnding && 1 },
        push: addMails(mails),
        now,
        events,
      });
      return updated?.sessionEpoch ?? null;
    },
    /** Records a client that has signed in, by its hashes. */
    async noteClient(id: string, hashes: { device: string; address?: string }, now: Date): Promise<void> {
      await users.updateOne({ _id: id, ...present }, rememberedClient(hashes, now));
    },
    /** Accounts whose ended tokens are still to be marked as revoked, since before a time. */
    listTokensEnding: (before: Date, limit: number) =>
      listIds(users, { "tokensEnding.since": { $lt: before } }, { limit }),
    async clearTokensEnding(id: string, since: Date): Promise<void> {
      await users.updateOne({ _id: id, "tokensEnding.since": since }, { $unset: { tokensEnding: true } });
    },
  };
}
