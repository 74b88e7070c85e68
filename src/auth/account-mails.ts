/**
 * Mails to the owner of an account. Each is noted in the account's document, in the same write as what it tells, and
 * sent by the job `mail.account`; one that could not be queued is found there by the reconcile job.
 */
import type { Account, Credentials, MailDue } from "../../storage/users.ts";
import type { App } from "../app.ts";
import { composeMail, type MailText } from "../mail/compose.ts";
import type { Mail } from "../mail/mailer.ts";
import { signLink } from "../mail/signed-link.ts";

const noticeMs = 24 * 3_600_000;

/** A mail to be noted in an account's document. One whose link ends is not sent after that. */
export function mailDue(app: App, kind: MailDue["kind"], to: string, expiresAt?: Date): MailDue {
  const createdAt = app.now();
  return {
    id: app.newId(),
    kind,
    to,
    createdAt,
    expiresAt: expiresAt ?? new Date(createdAt.getTime() + noticeMs),
  };
}

/**
 * Has an account's noted mails sent, now even where an earlier one waits for its next try, since they may not hold as long.
 * The answer does not wait for it, nor need the queue be there.
 */
export function queueMails(app: App, userId: string): void {
  app.background("queue mails of an account", () =>
    app.queue.enqueue("mail.account", { userId }, { jobId: userId, retime: true }),
  );
}

/** What ends a link for a forgotten password: its use, any other change of the password, and another address. */
export function resetBinding(user: Pick<Credentials, "emailKey" | "passwordHash">): string {
  return `${user.emailKey}\n${user.passwordHash}`;
}

/** The id that a confirmation's link carries: the account, and which of its requests. */
export const confirmationId = (userId: string, requestId: string) => `${userId}-${requestId}`;

/** A noted mail as it is to be sent now. Undefined when what it tells is over: used, replaced or too late. */
export async function writeMail(app: App, user: Credentials, due: MailDue): Promise<Mail | undefined> {
  if (due.expiresAt <= app.now()) return undefined;
  const text = await writers[due.kind](app, user, due);
  return text && { to: due.to, ...composeMail(app.config.baseUrl, text) };
}

type Writer = (
  app: App,
  user: Credentials,
  due: MailDue,
) => MailText | undefined | Promise<MailText | undefined>;

const writers: Record<MailDue["kind"], Writer> = {
  "confirm-email"(app, user, { to }) {
    if (!user.verification || user.email !== to) return undefined;
    return {
      subject: "Confirm your e-mail address",
      before: [`The account "${user.username}" was made with this address. Please confirm that it is yours.`],
      link: { label: "Confirm the address", url: confirmUrl(app, user._id, user.verification) },
      after: ["The link holds for 24 hours. If you made no account, do nothing."],
    };
  },
  async "confirm-change"(app, user, { to }) {
    if (user.emailChange?.email !== to) return undefined;
    if (await isTaken(app, user, user.emailChange.emailKey)) return takenText;
    return {
      subject: "Confirm your new e-mail address",
      before: [
        `The account "${user.username}" is to have this address from now on. Please confirm that it is yours.`,
      ],
      link: { label: "Confirm the new address", url: confirmUrl(app, user._id, user.emailChange) },
      after: ["The link holds for 24 hours. If you asked for no change, do nothing."],
    };
  },
  "change-requested": (_, user) => ({
    subject: "Your e-mail address is about to change",
    before: [
      `Somebody who knows the password of your account "${user.username}" asked for another e-mail address. It changes when the new address is confirmed.`,
    ],
    after: ["If it was not you, change your password now: the request ends with it."],
  }),
  "email-changed": (_, user) => ({
    subject: "Your e-mail address was changed",
    before: [
      `Your account "${user.username}" has another e-mail address now. Nothing more is sent to this one.`,
    ],
    after: ["If it was not you, write to the administrator of this service."],
  }),
  "password-changed": (_, user) => ({
    subject: "Your password was changed",
    before: [
      `The password of your account "${user.username}" was changed, and its other sessions were ended. API tokens go on working.`,
    ],
    after: ["If it was not you, ask for a new password on the sign-in page and revoke your API tokens."],
  }),
  "reset-password"(app, user, { to, expiresAt }) {
    if (user.email !== to) return undefined;
    const link = { id: user._id, expiresAt, bind: resetBinding(user) };
    const url = `${app.config.baseUrl}/reset-password?token=${signLink(app, "reset-password", link)}`;
    return {
      subject: "Choose a new password",
      before: [`A new password was asked for, for your account "${user.username}".`],
      link: { label: "Choose a new password", url },
      after: [
        "The link holds for an hour and works once. If you did not ask, do nothing: the password stays.",
      ],
    };
  },
};

const takenText: MailText = {
  subject: "This address has an account already",
  before: [
    "Somebody wants to use this address for their account, but you have an account with it. Nothing was changed.",
  ],
  after: ["If it was you, sign in to that account with this address, or choose another address."],
};

async function isTaken(app: App, user: Account, emailKey: string): Promise<boolean> {
  const holder = await app.storage.users.findCredentials(emailKey);
  return holder !== null && holder._id !== user._id;
}

function confirmUrl(app: App, userId: string, request: { id: string; expiresAt: Date }): string {
  const link = { id: confirmationId(userId, request.id), expiresAt: request.expiresAt };
  return `${app.config.baseUrl}/confirm-email?token=${signLink(app, "confirm-email", link)}`;
}
