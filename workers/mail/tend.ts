/** Finds the mails that no job knows of: noted in an account while the queue was away, or given up by their job. */
import type { App } from "../../src/app.ts";

/** Mails younger than this are with the job that was queued for them. */
const mailAfterMs = 60_000;
const batch = 1000;

export async function tendMails(app: App): Promise<void> {
  const before = new Date(app.now().getTime() - mailAfterMs);
  for (const userId of await app.storage.users.listMailsDue(before, batch))
    await app.queue.enqueue("mail.account", { userId }, { jobId: userId });
}
