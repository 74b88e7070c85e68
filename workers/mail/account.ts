/** Sends the pending mails of an account, each once unless a crash occurs between sending and removal. */
import { writeAccessMail } from "../../src/accounts/mails/access-mails.ts";
import { writeMail } from "../../src/accounts/mails/account-mails.ts";
import type { App } from "../../src/app.ts";
import { MailError, type Mail } from "../../src/mail/mailer.ts";

/** Larger backlogs occur only while the mail server is unavailable; the next job sends the rest. */
const batch = 100;

type Account = NonNullable<Awaited<ReturnType<App["storage"]["users"]["findWithMails"]>>>;

/** A pending mail, in the document of the account, or of a session, token or grant. */
interface Waiting {
  kind: string;
  write(): Mail | undefined | Promise<Mail | undefined>;
  remove(): Promise<void>;
}

/** Tries every mail, then throws the first error that a retry may resolve. */
export async function sendAccountMails(app: App, { userId }: { userId: string }): Promise<void> {
  const user = await app.storage.users.findWithMails(userId);
  if (!user) return;
  let failure: unknown;
  for (const { kind, write, remove } of [...ofAccount(app, user), ...(await ofAccess(app, user))]) {
    try {
      const mail = await write();
      if (mail) await app.mail.send(mail);
    } catch (error) {
      if (!(error instanceof MailError) || error.retryable) {
        failure ??= error;
        continue;
      }
      app.log.warn({ error, userId, kind }, "dropped a mail that was permanently refused");
    }
    await remove();
  }
  if (failure) throw failure;
}

function ofAccount(app: App, user: Account): Waiting[] {
  return (user.mailsDue ?? []).map((due) => ({
    kind: due.kind,
    write: () => writeMail(app, user, due),
    remove: () => app.storage.users.removeMail(user._id, due.id),
  }));
}

async function ofAccess(app: App, user: Account): Promise<Waiting[]> {
  const { sessions, tokens, oauthGrants: grants } = app.storage;
  const [newSessions, newTokens, newGrants] = await Promise.all([
    sessions.listNoticesTo(user._id, batch),
    tokens.listNoticesTo(user._id, batch),
    grants.listNoticesTo(user._id, batch),
  ]);
  return [
    ...newSessions.map((record) => ({
      kind: "new-session",
      write: () => writeAccessMail(app, user, { kind: "session", record }),
      remove: () => sessions.removeNotice(record._id),
    })),
    ...newTokens.map((record) => ({
      kind: "new-token",
      write: () => writeAccessMail(app, user, { kind: "token", record }),
      remove: () => tokens.removeNotice(record._id),
    })),
    ...newGrants.map((record) => ({
      kind: "new-grant",
      write: () => writeAccessMail(app, user, { kind: "grant", record }),
      remove: () => grants.removeNotice(record._id),
    })),
  ];
}
