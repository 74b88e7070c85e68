/**
 * API tokens of people and of organizations. A token that counts against its owner's limit has one of the numbered
 * slots of a unique index, which expiry and revocation free. A revoked token stays until its event is in the audit log.
 */
import type { Collection } from "mongodb";
import type { CiOrigin } from "../../contract/payloads/accounts/ci.ts";
import { changeOf } from "../change.ts";
import type { CiTrust } from "../ci/trust.ts";
import { defineCollection } from "../collection.ts";
import { escapePattern } from "../escape-pattern.ts";
import { listIds } from "../ids.ts";
import { noticeIndexes, noticeOperations, type WithNotice } from "../mail/notices.ts";
import { removeSlice } from "../maintenance/slices.ts";
import type { EventRow, WithOutbox } from "../outbox.ts";

/** Owner of a token: a user or an organization. */
export type TokenOwner = { userId: string } | { tenantId: string };

export interface TokenDoc extends WithOutbox, WithNotice {
  _id: string;
  /** Set for personal tokens only. */
  userId?: string;
  /** Set for tokens of organizations only. */
  tenantId?: string;
  /** User who created the token of an organization. */
  createdBy?: string;
  name: string;
  /** SHA-256 of the token. */
  secretHash: string;
  /** For personal tokens: `tokenEpoch` of the user when its creator was authenticated. Absent is 0. */
  epoch?: number;
  /** Slot of the owner, from 0 up to the owner's limit. */
  slot?: number;
  scopes?: Record<string, string[]>;
  allowedFolderIds?: string[];
  /** The fields of a CI token: what its trust policy limits it to, and the run that it was exchanged by. */
  skillIds?: string[];
  policyId?: string;
  /** `epoch` of the policy at the exchange: the token is invalid once the policy has another. */
  policyEpoch?: number;
  run?: CiOrigin;
  trust?: CiTrust;
  /** As that of a session: inherited from the session or token that made it, or renewed with the token. */
  verifiedAt?: Date;
  /** Set for the login of a device, whose expiry is extended by each use; `machine` is the hashed id of the device. */
  login?: { machine?: string };
  createdAt: Date;
  /**
   * Set if it was created with another token: the time from which the age of that one counts, which tokens can't renew.
   */
  ageFrom?: Date;
  expiresAt?: Date;
  lastUsedAt?: Date;
  revokedAt?: Date;
}

/** Fields that lists read: without the hash of the secret and the outbox. */
export type ListedToken = Omit<TokenDoc, "secretHash" | keyof WithOutbox | "notice">;

const listed = { projection: { outbox: 0, pendingSince: 0, secretHash: 0 } } as const;

export const tokensCollection = defineCollection({
  name: "tokens",
  indexes: [
    { key: { secretHash: 1 }, unique: true, name: "token_secret" },
    {
      // One of the two owners is always missing, and counts as null.
      key: { userId: 1, tenantId: 1, slot: 1 },
      unique: true,
      name: "token_place",
      partialFilterExpression: { slot: { $type: "int" } },
    },
    { key: { userId: 1, revokedAt: 1, _id: -1 }, name: "token_of_user" },
    // A tenant has many CI tokens, which its list leaves out.
    { key: { tenantId: 1, policyId: 1, revokedAt: 1, _id: -1 }, name: "token_of_tenant_list" },
    { key: { createdBy: 1 }, sparse: true, name: "token_made_by" },
    { key: { userId: 1, "login.machine": 1 }, sparse: true, name: "token_of_machine" },
    { key: { expiresAt: 1 }, sparse: true },
    { key: { revokedAt: 1 }, sparse: true },
    ...noticeIndexes,
  ],
  outbox: true,
  open: (tokens: Collection<TokenDoc>) => ({
    /**
     * An owner's tokens that are not revoked, without CI tokens, newest first; `after` is the id of the last one of the
     * previous page, and `prefix` the beginning of a word of the name.
     */
    list: (
      owner: TokenOwner,
      after: string | undefined,
      limit: number,
      prefix = "",
    ): Promise<ListedToken[]> =>
      tokens
        .find(
          {
            ...owner,
            policyId: { $exists: false },
            revokedAt: { $exists: false },
            ...(after === undefined ? {} : { _id: { $lt: after } }),
            ...(prefix === "" ? {} : { name: new RegExp(`(^|\\W)${escapePattern(prefix)}`, "i") }),
          },
          listed,
        )
        .sort({ _id: -1 })
        .limit(limit)
        .toArray(),

    /** Slots in use, after those of expired tokens were freed. */
    async takenSlots(owner: TokenOwner, now: Date): Promise<number[]> {
      const none = { $exists: false };
      const held = { userId: none, tenantId: none, ...owner, slot: { $type: "int" } } as const;
      const rows = await tokens.find(held, { projection: { slot: 1, expiresAt: 1 } }).toArray();
      const isOver = (row: TokenDoc) => row.expiresAt !== undefined && row.expiresAt <= now;
      const over = rows.filter(isOver).map((row) => row._id);
      if (over.length > 0) await tokens.updateMany({ _id: { $in: over } }, { $unset: { slot: "" } });
      return rows.filter((row) => !isOver(row)).map((row) => row.slot!);
    },

    /** Revokes a token. False if the owner has no such token, or it was revoked before. */
    async revoke(id: string, owner: TokenOwner, now: Date, events: EventRow[]): Promise<boolean> {
      const revoked = await changeOf(tokens, { revokedAt: { $exists: false } })(id, {
        when: owner,
        set: { revokedAt: now },
        unset: ["slot"],
        events,
      });
      return revoked !== null;
    },
    findById: (id: string) => tokens.findOne({ _id: id }),
    /** Those of the ids whose token has neither expired nor been revoked. */
    listLive: (ids: string[], now: Date): Promise<string[]> =>
      listIds(tokens, {
        _id: { $in: ids },
        revokedAt: { $exists: false },
        $or: [{ expiresAt: { $exists: false } }, { expiresAt: { $gt: now } }],
      }),
    find: (id: string, owner: TokenOwner): Promise<ListedToken | null> =>
      tokens.findOne({ _id: id, ...owner, revokedAt: { $exists: false } }, listed),
    /** Records a use, and extends the expiry if one is given. */
    async touch(id: string, lastUsedAt: Date, expiresAt?: Date): Promise<void> {
      await tokens.updateOne(
        { _id: id, revokedAt: { $exists: false } },
        { $max: { lastUsedAt, ...(expiresAt ? { expiresAt } : {}) } },
      );
    },
    /** Records a verification by the holder of a personal token. False if it was revoked. */
    async verify(id: string, userId: string, now: Date): Promise<boolean> {
      const result = await tokens.updateOne(
        { _id: id, userId, revokedAt: { $exists: false } },
        { $max: { verifiedAt: now } },
      );
      return result.matchedCount === 1;
    },
    /** A user's logins of one machine that are not revoked and were created up to a time. */
    listOfMachine: (userId: string, machine: string, until: Date): Promise<ListedToken[]> =>
      tokens
        .find(
          { userId, "login.machine": machine, revokedAt: { $exists: false }, createdAt: { $lte: until } },
          listed,
        )
        .toArray(),

    /** Personal tokens of earlier epochs that are not revoked. */
    listOfEarlierEpochs: (userId: string, epoch: number, limit: number): Promise<ListedToken[]> =>
      tokens
        .find({ userId, revokedAt: { $exists: false }, epoch: { $not: { $gte: epoch } } }, listed)
        .limit(limit)
        .toArray(),
    /** Tokens of organizations that a user created up to a time and that are not revoked. */
    listMadeBy: (createdBy: string, until: Date, limit: number): Promise<ListedToken[]> =>
      tokens
        .find({ createdBy, revokedAt: { $exists: false }, createdAt: { $lte: until } }, listed)
        .limit(limit)
        .toArray(),

    /** Removes a slice of the tokens that ended before a time and whose events are in the log. */
    removeEnded: (before: Date) =>
      removeSlice(tokens, {
        $or: [{ expiresAt: { $lte: before } }, { revokedAt: { $lte: before } }],
        pendingSince: { $exists: false },
      }),
    /** Removes ended CI tokens, which no list shows. */
    removeEndedOfCi: (before: Date) =>
      removeSlice(tokens, {
        expiresAt: { $lte: before },
        policyId: { $exists: true },
        pendingSince: { $exists: false },
      }),
    /** Removes a slice of a user's tokens whose events are in the log, ended or not; returns how many were removed. */
    removePublishedOfUser: (userId: string) =>
      removeSlice(tokens, { userId, pendingSince: { $exists: false } }),
    listUnflushedOfUser: (userId: string, limit: number) =>
      tokens
        .find({ userId, pendingSince: { $exists: true } }, { projection: { outbox: 1 } })
        .limit(limit)
        .toArray(),
    ...noticeOperations(tokens),
  }),
});
