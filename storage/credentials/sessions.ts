/**
 * Browser sessions, found by the hash of the secret in the cookie. A session is valid while its epoch is that of its
 * user, or its user names it as the kept one (`users.ts`), so one write ends all of them. A session that is ended
 * singly is marked, and removed once its event is in the audit log.
 */
import type { Collection, Filter } from "mongodb";
import { changeOf } from "../change.ts";
import { defineCollection } from "../collection.ts";
import { listIds } from "../ids.ts";
import { noticeIndexes, noticeOperations, type WithNotice } from "../mail/notices.ts";
import { removeSlice } from "../maintenance/slices.ts";
import { outboxUpdate, type EventRow, type WithOutbox } from "../outbox.ts";

export type SignInMethod = "password" | "totp" | "passkey" | "recovery" | "sso";

/** A sign-in through an identity provider of an organization. */
export interface SsoProof {
  tenantId: string;
  providerId: string;
  at: Date;
}

/** The use of an owner's second factor instead of a sign-in through the provider that an organization enforces. */
export interface BreakGlass {
  tenantId: string;
  at: Date;
}

/** Uses that a session keeps: older ones have ended. */
const keptUses = 100;

export interface SessionDoc extends WithOutbox, WithNotice {
  _id: string;
  userId: string;
  /** SHA-256 of the cookie's value. */
  secretHash: string;
  /** Session epoch of the user when the password was checked. Absent is 0. */
  epoch?: number;
  /** Proofs that the sign-in and later verifications gave. */
  methods?: SignInMethod[];
  /** Sign-ins through identity providers: the last one of each organization. */
  sso?: SsoProof[];
  /** Each of them is in the log of its organization. */
  breakGlass?: BreakGlass[];
  /** Last time at which a second factor was verified, or the password of an account without one. */
  verifiedAt?: Date;
  /** Browser and system by their families: `Firefox on Linux`. */
  client?: string;
  createdAt: Date;
  lastSeenAt: Date;
  /** The earlier of the idle and the absolute end. */
  expiresAt: Date;
  endedAt?: Date;
}

/** Condition of a user's valid sessions. */
export interface SessionRule {
  sessionEpoch?: number;
  keptSessionId?: string | null;
}

/** Whether a session has neither expired nor been ended; `isSessionCurrent` is to be checked as well. */
export function isSessionLive({ expiresAt, endedAt }: SessionDoc, now: Date): boolean {
  return expiresAt > now && endedAt === undefined;
}

export function isSessionCurrent(session: Pick<SessionDoc, "_id" | "epoch">, rule: SessionRule): boolean {
  return (session.epoch ?? 0) === (rule.sessionEpoch ?? 0) || session._id === rule.keptSessionId;
}

export const sessionsCollection = defineCollection({
  name: "sessions",
  indexes: [
    { key: { secretHash: 1 }, unique: true, name: "session_secret" },
    { key: { userId: 1, _id: -1 } },
    { key: { expiresAt: 1 } },
    ...noticeIndexes,
  ],
  outbox: true,
  open: (sessions: Collection<SessionDoc>) => ({
    /** A page of a user's valid sessions, newest first; `before` is the id of the last one of the previous page. */
    listOfUser: (
      userId: string,
      rule: SessionRule,
      now: Date,
      before: string | undefined,
      limit: number,
    ): Promise<SessionDoc[]> =>
      sessions
        .find({
          userId,
          ...live(now),
          ...(before === undefined ? {} : { _id: { $lt: before } }),
          $or: [{ epoch: rule.sessionEpoch || { $in: [0, null] } }, { _id: rule.keptSessionId ?? "" }],
        } as Filter<SessionDoc>)
        .sort({ _id: -1 })
        .limit(limit)
        .toArray(),
    findById: (id: string) => sessions.findOne({ _id: id }),
    /** Those of the ids whose session has neither expired nor been ended. */
    listLive: (ids: string[], now: Date): Promise<string[]> =>
      listIds(sessions, { _id: { $in: ids }, ...live(now) }),
    findOfUser: (id: string, userId: string, now: Date) =>
      sessions.findOne({ _id: id, userId, ...live(now) }),
    /** Ends one session. False if it has ended, or belongs to another user. */
    async end(id: string, userId: string, now: Date, events: EventRow[]): Promise<boolean> {
      const set = { endedAt: now, expiresAt: now };
      return (await changeOf(sessions, live(now))(id, { when: { userId }, set, events })) !== null;
    },
    /** Extends a session. A session that was ended concurrently stays ended. */
    async touch(id: string, lastSeenAt: Date, expiresAt: Date): Promise<void> {
      await sessions.updateOne({ _id: id, endedAt: { $exists: false } }, { $max: { lastSeenAt, expiresAt } });
    },
    /** Records a verification by the holder of a session. False if it has ended. */
    async verify(
      id: string,
      userId: string,
      method: SignInMethod,
      now: Date,
      { events, uses }: { events: EventRow[]; uses: BreakGlass[] },
    ): Promise<boolean> {
      const outbox = outboxUpdate(events);
      const breakGlass = { $each: uses, $slice: -keptUses };
      const result = await sessions.updateOne(
        { _id: id, userId, ...live(now) },
        {
          $max: { verifiedAt: now },
          $addToSet: { methods: method },
          ...(events.length > 0 ? { $set: outbox.$set, $push: { ...outbox.$push, breakGlass } } : {}),
        },
      );
      return result.matchedCount === 1;
    },
    /** Lets the owner who begins an enforcement keep their access in their session. */
    async addBreakGlass(id: string, userId: string, use: BreakGlass): Promise<void> {
      await sessions.updateOne(
        { _id: id, userId, ...live(use.at) },
        { $push: { breakGlass: { $each: [use], $slice: -keptUses } } },
      );
    },
    /** Removes a session. If its mail is pending, the session is only ended, so that the mail is still sent. */
    async remove(id: string, now: Date): Promise<void> {
      await sessions.updateOne(
        { _id: id, notice: { $exists: true }, ...live(now) },
        { $set: { endedAt: now, expiresAt: now } },
      );
      await sessions.deleteOne({ _id: id, ...withoutNotice });
    },
    /**
     * Removes up to a slice of sessions that ended, whose events are in the log and whose mails are sent or expired.
     */
    removeExpired: (now: Date) =>
      removeSlice(sessions, {
        expiresAt: { $lte: now },
        pendingSince: { $exists: false },
        $or: [withoutNotice, { "notice.expiresAt": { $lte: now } }],
      }),
    /**
     * Removes up to a slice of a user's sessions that an epoch has ended, or all if none is given, except those with a
     * pending mail.
     */
    removeOfUser: (userId: string, left?: { epoch: number; keptSessionId: string | undefined }) =>
      removeSlice(sessions, {
        userId,
        pendingSince: { $exists: false },
        ...(left
          ? {
              epoch: { $not: { $gte: left.epoch } },
              _id: { $ne: left.keptSessionId ?? "" },
              ...withoutNotice,
            }
          : {}),
      }),
    ...noticeOperations(sessions),
  }),
});

const withoutNotice = { notice: { $exists: false } } as const;
const live = (now: Date) => ({ expiresAt: { $gt: now }, endedAt: { $exists: false } }) as const;
