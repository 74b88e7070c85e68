/**
 * Budgets of mails that people cause the service to send to others: per recipient, per sender and per organization.
 * They outlast the subject of the mails, so that replacing an invitation does not allow more mails.
 */
import type { Collection } from "mongodb";
import { defineCollection } from "../collection.ts";
import { isDuplicate } from "../database.ts";

export interface MailBudgetDoc {
  /** `recipient:`, `inviter:` or `organization:` and an id; a recipient's address is hashed. */
  _id: string;
  /** Mails within the budget's window, oldest first. */
  sent: { id: string; at: Date }[];
  /** Time at which all mails have left the window. */
  expiresAt: Date;
}

export interface MailBudget {
  /** Maximum number of mails in a window. */
  limit: number;
  windowMs: number;
  /** Minimum time between two mails. */
  pauseMs?: number;
}

export const mailBudgetsCollection = defineCollection({
  name: "mail_budgets",
  indexes: [{ key: { expiresAt: 1 } }],
  open: (budgets: Collection<MailBudgetDoc>) => ({
    /**
     * Takes one mail from a budget, in one write; the same mail counts once. Returns undefined, or the time at which
     * the budget allows the mail.
     */
    async take(key: string, mailId: string, budget: MailBudget, now: Date): Promise<Date | undefined> {
      const { limit, windowMs, pauseMs = 0 } = budget;
      const since = new Date(now.getTime() - windowMs);
      const kept = { $filter: { input: { $ifNull: ["$sent", []] }, cond: { $gt: ["$$this.at", since] } } };
      const latest = { $ifNull: [{ $max: "$sent.at" }, new Date(0)] };
      const hasRoom = {
        $and: [
          { $lt: [{ $size: "$sent" }, limit] },
          ...(pauseMs > 0 ? [{ $lte: [latest, new Date(now.getTime() - pauseMs)] }] : []),
          { $not: [{ $in: [mailId, "$sent.id"] }] },
        ],
      };
      const added = { $concatArrays: ["$sent", [{ id: mailId, at: now }]] };
      const after = await retryDuplicate(() =>
        budgets.findOneAndUpdate(
          { _id: key },
          [
            { $set: { sent: kept, expiresAt: new Date(now.getTime() + windowMs) } },
            { $set: { sent: { $cond: [hasRoom, added, "$sent"] } } },
          ],
          { upsert: true, returnDocument: "after" },
        ),
      );
      const sent = after?.sent ?? [];
      if (sent.some(({ id }) => id === mailId)) return undefined;
      const last = sent.at(-1)?.at.getTime() ?? 0;
      const first = sent[Math.max(0, sent.length - limit)]?.at.getTime() ?? 0;
      const isFull = sent.length >= limit;
      return new Date(Math.max(last + pauseMs, isFull ? first + windowMs + 1 : 0));
    },
    /** Returns a mail that was not sent to the budget. */
    async giveBack(key: string, mailId: string): Promise<void> {
      await budgets.updateOne({ _id: key }, { $pull: { sent: { id: mailId } } });
    },
    removeExpired: async (now: Date): Promise<number> =>
      (await budgets.deleteMany({ expiresAt: { $lte: now } })).deletedCount,
  }),
});

/**
 * Retries a write once: of two concurrent upserts, both may try to insert, and the second one then finds the document.
 */
async function retryDuplicate<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return write();
  }
}
