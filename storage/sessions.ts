/**
 * Browser sessions, found by the hash of the secret in the cookie. One holds while its epoch is its user's, or its user
 * names it as the kept one (`users.ts`): so all of them end in one write. One that is ended alone is marked, and
 * removed once its event is in the audit log.
 */
import type { Filter, IndexDescription } from "mongodb";
import type { Database } from "./database.ts";
import { noticeIndexes, noticeOperations, type WithNotice } from "./notices.ts";
import { outboxUpdate, outboxOperations, type EventRow, type WithOutbox } from "./outbox.ts";
import { removeSlice } from "./slices.ts";

export interface SessionDoc extends WithOutbox, WithNotice {
  _id: string;
  userId: string;
  /** SHA-256 of the cookie's value. */
  secretHash: string;
  /** The user's when their password was checked. Absent is 0. */
  epoch?: number;
  /** Browser and system by their families: `Firefox on Linux`. */
  client?: string;
  createdAt: Date;
  lastSeenAt: Date;
  /** The nearer of the idle and the absolute end. */
  expiresAt: Date;
  endedAt?: Date;
}

/** Which of a user's sessions hold. */
export interface SessionRule {
  sessionEpoch?: number;
  keptSessionId?: string | null;
}

export function isSessionCurrent(session: Pick<SessionDoc, "_id" | "epoch">, rule: SessionRule): boolean {
  return (session.epoch ?? 0) === (rule.sessionEpoch ?? 0) || session._id === rule.keptSessionId;
}

export const sessionIndexes: IndexDescription[] = [
  { key: { secretHash: 1 }, unique: true, name: "session_secret" },
  { key: { userId: 1, _id: -1 } },
  { key: { expiresAt: 1 } },
  { key: { unsettledAt: 1 }, sparse: true },
  ...noticeIndexes,
];

export type Sessions = ReturnType<typeof openSessions>;

export function openSessions(database: Database) {
  const sessions = database.collection<SessionDoc>("sessions");
  return {
    async insert(session: SessionDoc): Promise<void> {
      await sessions.insertOne(session);
    },
    findLive: (secretHash: string, now: Date) => sessions.findOne({ secretHash, ...live(now) }),
    /** A page of the sessions of a user that hold, newest first, before an id where one is given. */
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
    findOfUser: (id: string, userId: string, now: Date) =>
      sessions.findOne({ _id: id, userId, ...live(now) }),
    /** Ends one session. False when it ended before, or is not that user's. */
    async end(id: string, userId: string, now: Date, events: EventRow[]): Promise<boolean> {
      const outbox = outboxUpdate(events);
      const result = await sessions.updateOne(
        { _id: id, userId, ...live(now) },
        { $set: { endedAt: now, expiresAt: now, ...outbox.$set }, $push: outbox.$push },
      );
      return result.modifiedCount === 1;
    },
    /** Extends a session. A session that was ended concurrently stays ended. */
    async touch(id: string, lastSeenAt: Date, expiresAt: Date): Promise<void> {
      await sessions.updateOne({ _id: id, endedAt: { $exists: false } }, { $max: { lastSeenAt, expiresAt } });
    },
    /** Removes a session. One whose mail still waits is only ended: its end must not keep the mail from its owner. */
    async remove(id: string, now: Date): Promise<void> {
      await sessions.updateOne(
        { _id: id, notice: { $exists: true }, ...live(now) },
        { $set: { endedAt: now, expiresAt: now } },
      );
      await sessions.deleteOne({ _id: id, ...withoutNotice });
    },
    /**
     * Removes up to a slice of sessions that ended, whose events are in the log and whose mails are sent or too late.
     */
    removeExpired: (now: Date) =>
      removeSlice(sessions, {
        expiresAt: { $lte: now },
        unsettledAt: { $exists: false },
        $or: [withoutNotice, { "notice.expiresAt": { $lte: now } }],
      }),
    /**
     * Removes up to a slice of a user's sessions that an epoch has ended, except those whose mails wait; all of the
     * user's where none is given.
     */
    removeOfUser: (userId: string, left?: { epoch: number; keptSessionId: string | undefined }) =>
      removeSlice(sessions, {
        userId,
        unsettledAt: { $exists: false },
        ...(left
          ? {
              epoch: { $not: { $gte: left.epoch } },
              _id: { $ne: left.keptSessionId ?? "" },
              ...withoutNotice,
            }
          : {}),
      }),

    ...outboxOperations(sessions),
    ...noticeOperations(sessions),
  };
}

const withoutNotice = { notice: { $exists: false } } as const;
const live = (now: Date) => ({ expiresAt: { $gt: now }, endedAt: { $exists: false } }) as const;
