/** Sends what waits to be told to the owner of an account, each mail once unless a stop comes between it and its note. */
import type { App } from "../../src/app.ts";
import { writeMail } from "../../src/auth/account-mails.ts";
import { MailError, sendMail } from "../../src/mail/mailer.ts";

/** Throws the first trouble that another try may mend, after every other mail had its turn. */
export async function sendAccountMails(app: App, { userId }: { userId: string }): Promise<void> {
  const user = await app.storage.users.findWithMails(userId);
  if (!user) return;
  let trouble: unknown;
  for (const due of user.mailsDue ?? []) {
    try {
      const mail = await writeMail(app, user, due);
      if (mail) await sendMail(app, mail);
    } catch (error) {
      if (!(error instanceof MailError) || error.retryable) {
        trouble ??= error;
        continue;
      }
      app.log.warn({ error, userId, kind: due.kind }, "a mail was refused for good and is given up");
    }
    await app.storage.users.removeMail(userId, due.id);
  }
  if (trouble) throw trouble;
}
