/** Mails about a session or token that wait in its own document, written with it; a job sends them. */
import type { Collection, Document, Filter, IndexDescription } from "mongodb";

export interface Notice {
  /** Account whose owner gets the mail. */
  userId: string;
  /** Its address when the session or token was made: a later change of it must not redirect the mail. */
  to: string;
  createdAt: Date;
  /** The mail is not sent after that. */
  expiresAt: Date;
}

export interface WithNotice {
  notice?: Notice;
}

export const noticeIndexes: IndexDescription[] = [
  { key: { "notice.userId": 1 }, sparse: true },
  { key: { "notice.createdAt": 1 }, sparse: true },
];

export function noticeOperations<T extends Document & WithNotice & { _id: string }>(
  collection: Collection<T>,
) {
  const to = (userId: string): Document => ({ "notice.userId": userId });
  const since = (before: Date): Document => ({ "notice.createdAt": { $lt: before } });
  const removal: Document = { $unset: { notice: true } };
  return {
    /** Documents with a mail to an account's owner. */
    listNoticesTo: (userId: string, limit: number) =>
      collection
        .find(to(userId) as Filter<T>)
        .limit(limit)
        .toArray(),
    async removeNotice(id: string): Promise<void> {
      await collection.updateOne({ _id: id } as Filter<T>, removal);
    },
    /** Accounts whose mails wait since before a time. */
    async listNoticesDue(before: Date, limit: number): Promise<string[]> {
      const rows = await collection
        .find(since(before) as Filter<T>)
        .limit(limit)
        .toArray();
      return rows.flatMap((row) => row.notice?.userId ?? []);
    },
  };
}
