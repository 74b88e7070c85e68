/**
 * Whose an address is. A link proves it, sent there and followed by its reader. An address in use is told to nobody but
 * whoever reads its mail: a request for one that is taken gets the same answer, and the mail says so instead.
 */
import { limits } from "../../contract/limits.ts";
import type { EmailChangePayload } from "../../contract/payloads-accounts.ts";
import { isId } from "../../storage/database.ts";
import type { Account, UserDoc } from "../../storage/users.ts";
import type { Actor, Origin } from "../access/actor.ts";
import type { App } from "../app.ts";
import { settleEvents } from "../audit/events.ts";
import { ServiceError } from "../errors.ts";
import { checkLink, readLink } from "../mail/signed-link.ts";
import { hashSecret } from "../secrets.ts";
import { nameTaken, requireUnrestricted } from "../users/load.ts";
import { foldName } from "../users/schema.ts";
import { mailDue, queueMails } from "./account-mails.ts";
import { changedMeanwhile, checkOwnPassword } from "./credentials.ts";
import { badLink, eventOfOwner } from "./mail-links.ts";
import type { ChangeEmail } from "./schema.ts";

/** A fresh link for an address, as it is kept in the account's document. */
export function newConfirmation(app: App): { id: string; expiresAt: Date } {
  return { id: app.newId(), expiresAt: new Date(app.now().getTime() + limits.confirmEmailMs) };
}

/**
 * Asks the new address for its confirmation and tells the old one. Nothing changes until then. Throws
 * `invalid_credentials`, `rate_limited`, `refused` or `conflict`.
 */
export async function requestEmailChange(
  app: App,
  actor: Actor,
  input: ChangeEmail,
): Promise<EmailChangePayload> {
  const caller = requireUnrestricted(actor, "change the e-mail address");
  const account = await checkOwnPassword(app, caller, input.password);
  const { email } = input;
  const emailKey = foldName(email);
  if (email === account.email)
    throw new ServiceError("refused", "This is the address of your account already.");
  await app.rateLimits.consume("mail", `user:${caller.userId}`);
  await app.rateLimits.consume("mail", hashSecret(emailKey));

  const change = { ...newConfirmation(app), email, emailKey };
  const mails = [
    mailDue(app, "confirm-change", email, change.expiresAt),
    mailDue(app, "change-requested", account.email),
  ];
  if (!(await app.storage.users.requestEmailChange(account, change, mails))) throw changedMeanwhile();
  queueMails(app, caller.userId);
  return { email, expiresAt: change.expiresAt.toISOString() };
}

/** Sends the link for the present address again; the one before ends. Throws `refused` when it is confirmed. */
export async function resendConfirmation(app: App, actor: Actor): Promise<void> {
  const caller = requireUnrestricted(actor, "confirm the e-mail address");
  const account = await app.storage.users.find(caller.userId);
  if (!account || account.emailVerifiedAt)
    throw new ServiceError("refused", "The address of your account is confirmed already.");
  await app.rateLimits.consume("mail", `user:${caller.userId}`);
  await app.rateLimits.consume("mail", hashSecret(account.emailKey));

  const verification = newConfirmation(app);
  const mails = [mailDue(app, "confirm-email", account.email, verification.expiresAt)];
  const { users } = app.storage;
  if (!(await users.requestVerification(caller.userId, account.emailKey, verification, mails)))
    throw changedMeanwhile();
  queueMails(app, caller.userId);
}

/** What a confirmation's link is about. */
interface Confirmation {
  user: Account;
  requestId: string;
  /** Set where the link makes another address the account's own. */
  change: UserDoc["emailChange"];
}

/** Reads a link without using it. Throws `refused`. */
export async function readConfirmation(app: App, token: string): Promise<Confirmation> {
  const state = checkLink(app, "confirm-email", token);
  if (state !== "valid") throw badLink(state);
  const [userId = "", requestId = ""] = readLink(token)?.id.split("-") ?? [];
  const user = isId(userId) ? await app.storage.users.find(userId) : null;
  const change = user?.emailChange?.id === requestId ? user.emailChange : undefined;
  if (!user || (!change && user.verification?.id !== requestId)) throw badLink("used");
  return { user, requestId, change };
}

/**
 * Uses a link, once: the address is confirmed, and where it is a new one it takes the place of the old. Needs no
 * session, since only the address's owner has the link. Throws `refused`, or `already_exists` when somebody else has
 * taken the address meanwhile.
 */
export async function confirmEmail(
  app: App,
  origin: Origin,
  token: string,
): Promise<{ email: string; changed: boolean }> {
  const { user, requestId, change } = await readConfirmation(app, token);
  if (change) return { email: await applyChange(app, origin, user, change), changed: true };
  const confirmed = await app.storage.users.applyVerification(user._id, requestId, app.now());
  if (!confirmed) throw badLink("used");
  return { email: confirmed.email, changed: false };
}

async function applyChange(
  app: App,
  origin: Origin,
  user: Account,
  change: NonNullable<UserDoc["emailChange"]>,
): Promise<string> {
  // Without the addresses: the entry outlives an account that is deleted.
  const event = eventOfOwner(app, user, origin, "user.email_changed");
  const notice = mailDue(app, "email-changed", user.email);
  let changed: Account | null;
  try {
    changed = await app.storage.users.applyEmailChange(user._id, change, app.now(), [notice], [event]);
  } catch (error) {
    throw nameTaken(error, { email: change.email });
  }
  if (!changed) throw badLink("used");
  settleEvents(app, app.storage.users, user._id, [event]);
  queueMails(app, user._id);
  return changed.email;
}
