/** Browser sessions, found by the hash of the secret in the cookie. */
import type { IndexDescription } from "mongodb";
import type { Database } from "./database.ts";

export interface SessionDoc {
  _id: string;
  userId: string;
  /** SHA-256 of the cookie's value. */
  secretHash: string;
  createdAt: Date;
  lastSeenAt: Date;
  /** The nearer of the idle and the absolute end. */
  expiresAt: Date;
}

export const sessionIndexes: IndexDescription[] = [
  { key: { secretHash: 1 }, unique: true, name: "session_secret" },
  { key: { userId: 1 } },
  { key: { expiresAt: 1 } },
];

export type Sessions = ReturnType<typeof openSessions>;

export function openSessions(database: Database) {
  const sessions = database.collection<SessionDoc>("sessions");
  return {
    async insert(session: SessionDoc): Promise<void> {
      await sessions.insertOne(session);
    },
    findLive: (secretHash: string, now: Date) => sessions.findOne({ secretHash, expiresAt: { $gt: now } }),
    /** Moves a session's idle end. One that was ended meanwhile stays ended. */
    async touch(id: string, lastSeenAt: Date, expiresAt: Date): Promise<void> {
      await sessions.updateOne({ _id: id }, { $max: { lastSeenAt, expiresAt } });
    },
    async remove(id: string): Promise<void> {
      await sessions.deleteOne({ _id: id });
    },
    /** Removes up to `slice` sessions that ended; answers how many went. */
    async removeExpired(now: Date, slice = 1000): Promise<number> {
      const ended = { expiresAt: { $lte: now } };
      const rows = await sessions
        .find(ended, { projection: { _id: 1 } })
        .limit(slice)
        .toArray();
      if (rows.length === 0) return 0;
      return (await sessions.deleteMany({ ...ended, _id: { $in: rows.map((row) => row._id) } })).deletedCount;
    },
  };
}
