/**
 * Second factors of an account. They are part of its document, so that a factor changes in the same write as the end of
 * the account's sessions, its mails and its audit events. Only `hasFactor` is part of `Account`.
 */
import type { Collection } from "mongodb";
import type { EventRow } from "../outbox.ts";
import {
  changeAccount,
  addMails,
  credentials,
  present,
  type Credentials,
  type MailDue,
  type UserDoc,
} from "./document.ts";
import type { Factors, Passkey } from "./factor-document.ts";

/** A change of the set of factors, applied to the revision that was read. */
export interface FactorChange {
  set?: Partial<Factors>;
  unset?: readonly (keyof Factors)[];
  addPasskey?: Passkey;
  removePasskey?: string;
  hasFactor: boolean;
  /** Ends all sessions except this one. */
  keptSessionId?: string | null;
  now: Date;
  mails: MailDue[];
}

const within = (fields: object) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`factors.${name}`, value as unknown]));

export const factorOperations = (users: Collection<UserDoc>) => ({
  ...changeOperations(users),
  ...accountOperations(users),
  ...useOperations(users),
});

function changeOperations(users: Collection<UserDoc>) {
  return {
    /**
     * Applies a change. Returns the epoch of new sessions, or null if the factors or the sessions of the account have
     * changed since they were read. Throws a duplicate error of index `user_passkey`.
     */
    async changeFactors(
      { _id, factors, sessionEpoch }: Pick<UserDoc, "_id" | "factors" | "sessionEpoch">,
      change: FactorChange,
      events: EventRow[],
    ): Promise<number | null> {
      const { unset = [], addPasskey, removePasskey, hasFactor, keptSessionId, mails } = change;
      const updated = await changeAccount(users)(_id, {
        when: {
          "factors.revision": factors?.revision ?? { $exists: false },
          sessionEpoch: sessionEpoch ?? { $exists: false },
        },
        set: { ...within(change.set ?? {}), hasFactor: hasFactor || undefined, keptSessionId },
        unset: [...unset.map((name) => `factors.${name}`), ...(hasFactor ? [] : ["hasFactor"])],
        inc: { "factors.revision": 1, sessionEpoch: keptSessionId === undefined ? undefined : 1 },
        push: {
          ...(mails.length > 0 ? addMails(mails) : {}),
          "factors.passkeys": addPasskey,
        },
        pull: removePasskey === undefined ? undefined : { "factors.passkeys": { id: removePasskey } },
        now: change.now,
        events: events.length > 0 ? events : undefined,
      });
      return updated ? (updated.sessionEpoch ?? 0) : null;
    },
  };
}

function accountOperations(users: Collection<UserDoc>) {
  return {
    /** Accounts whose recovery codes have no keys of their own. */
    eachWithoutRecoveryKeys: (): AsyncIterable<Pick<UserDoc, "_id">> =>
      users.find(
        { "factors.recovery.0": { $exists: true }, "factors.recoveryKeys": { $exists: false } },
        { projection: { _id: 1 } },
      ),
    async setRecoveryKeys(id: string, recoveryKeys: string): Promise<void> {
      await users.updateOne(
        { _id: id, "factors.recovery.0": { $exists: true }, "factors.recoveryKeys": { $exists: false } },
        { $set: { "factors.recoveryKeys": recoveryKeys } },
      );
    },
    /** Removes all factors and ends all sessions. Returns the epoch of new ones; null if there is no factor. */
    async resetFactors(id: string, now: Date, mails: MailDue[], events: EventRow[]): Promise<number | null> {
      const updated = await changeAccount(users)(id, {
        when: { hasFactor: true },
        set: { keptSessionId: null },
        unset: ["factors", "hasFactor"],
        inc: { sessionEpoch: 1 },
        push: addMails(mails),
        now,
        events,
      });
      return updated?.sessionEpoch ?? null;
    },
    async renamePasskey(id: string, passkeyId: string, name: string): Promise<boolean> {
      const result = await users.updateOne(
        { _id: id, "factors.passkeys.id": passkeyId, ...present },
        { $set: { "factors.passkeys.$.name": name } },
      );
      return result.matchedCount === 1;
    },
    findByPasskey: (passkeyId: string) =>
      users.findOne<Credentials>(
        { "factors.passkeys.id": passkeyId, ...present },
        { projection: credentials },
      ),
  };
}

function useOperations(users: Collection<UserDoc>) {
  return {
    /** Uses the code of a time step, once. False if this or a later one was used, or the secret was replaced. */
    async useTotpStep(id: string, sealed: string, step: number): Promise<boolean> {
      const result = await users.updateOne(
        { _id: id, "factors.totp.sealed": sealed, "factors.totp.lastStep": { $lt: step }, ...present },
        { $set: { "factors.totp.lastStep": step } },
      );
      return result.modifiedCount === 1;
    },
    /** Uses a recovery code, once. False if the account has no such code. */
    async useRecoveryCode(id: string, hash: string, mails: MailDue[], events: EventRow[]): Promise<boolean> {
      const changed = await changeAccount(users)(id, {
        when: { "factors.recovery": hash },
        pull: { "factors.recovery": hash },
        push: addMails(mails),
        events,
      });
      return changed !== null;
    },
    /** Records the use of a passkey. False if it was removed, or a later use was recorded before. */
    async usePasskey(
      id: string,
      use: { passkeyId: string; counter: number; backedUp: boolean },
      now: Date,
    ): Promise<boolean> {
      const { passkeyId, counter, backedUp } = use;
      const seen = counter === 0 ? 0 : { $lt: counter };
      const result = await users.updateOne(
        { _id: id, "factors.passkeys": { $elemMatch: { id: passkeyId, counter: seen } }, ...present },
        {
          $set: {
            "factors.passkeys.$.counter": counter,
            "factors.passkeys.$.backedUp": backedUp,
            "factors.passkeys.$.lastUsedAt": now,
          },
        },
      );
      return result.matchedCount === 1;
    },
  };
}
