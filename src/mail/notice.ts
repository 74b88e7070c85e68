/** Mails to the owner of an account about new sessions and tokens. */
import type { WithNotice } from "../../storage/mail/notices.ts";
import type { Account } from "../../storage/users/users.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import type { Budget } from "../http/request/rate-limit.ts";
import { hashSecret } from "../secrets.ts";

const noticeMs = 24 * 3_600_000;

type Recipient = Pick<Account, "_id" | "email" | "emailKey" | "emailVerifiedAt">;

/**
 * The mail that reports a new session or token, as a part of its document. Empty if the hourly limit of the account is
 * reached, since its owner has been warned by then. An address that is not confirmed may be another person's: it has a
 * lower limit, which all accounts that are created with it share.
 */
export async function noticeTo(app: App, account: Recipient): Promise<WithNotice> {
  try {
    await app.rateLimits.consume(...budgetOf(account));
  } catch (error) {
    if (error instanceof ServiceError) return {};
    throw error;
  }
  const createdAt = app.now();
  const expiresAt = new Date(createdAt.getTime() + noticeMs);
  return { notice: { userId: account._id, to: account.email, createdAt, expiresAt } };
}

/**
 * Creates a token, or ends a grant, with the mail that reports it. A creation that fails sends none and gives its point
 * back: otherwise calls that are bound to fail would use the budget up without a mail, and the next token would not be
 * reported.
 */
export async function withNotice<T>(
  app: App,
  userId: string,
  create: (notice: WithNotice) => Promise<T>,
): Promise<T> {
  const account = await app.storage.users.find(userId);
  const notice = account ? await noticeTo(app, account) : {};
  let created: T;
  try {
    created = await create(notice);
  } catch (error) {
    if (account && notice.notice) await app.rateLimits.refund(...budgetOf(account));
    throw error;
  }
  queueMails(app, userId);
  return created;
}

function budgetOf({ _id, emailKey, emailVerifiedAt }: Recipient): [Budget, string] {
  return emailVerifiedAt ? ["notice", _id] : ["mail", hashSecret(`notice\n${emailKey}`)];
}

/**
 * Sends the mails of an account that wait, even where an earlier one waits for its next attempt, since they may expire
 * before. The response does not wait for it and does not depend on the queue.
 */
export function queueMails(app: App, userId: string): void {
  app.background("queue mails of an account", () =>
    app.queue.enqueue("mail.account", { userId }, { jobId: userId, retime: true }),
  );
}
