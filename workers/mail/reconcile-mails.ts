/** Queues jobs for mails without one: written while the queue was unavailable, or given up by their job. */
import type { App } from "../../src/app.ts";

/** Mails younger than this still have the job that was queued for them. */
const mailAfterMs = 60_000;
const batch = 1000;

export async function reconcileMails(app: App): Promise<void> {
  const before = new Date(app.now().getTime() - mailAfterMs);
  const { users, sessions, tokens, oauthGrants } = app.storage;
  const waiting = await Promise.all([
    users.listMailsDue(before, batch),
    sessions.listNoticesDue(before, batch),
    tokens.listNoticesDue(before, batch),
    oauthGrants.listNoticesDue(before, batch),
  ]);
  for (const userId of new Set(waiting.flat()))
    await app.queue.enqueue("mail.account", { userId }, { jobId: userId });
}
