/**
 * Confirmation of addresses. A link that is sent to the address proves it, together with a session of the account,
 * since the reader of the mail may not be the creator of the account. A request for an address in use has the same
 * response as any other; only the mail to that address reports it.
 */
import { limits } from "../../contract/limits.ts";
import type { EmailChangePayload } from "../../contract/payloads/accounts/accounts.ts";
import { isId } from "../../storage/database.ts";
import type { Account, UserDoc } from "../../storage/users/users.ts";
import type { Actor, Origin } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents } from "../audit/events.ts";
import { concurrentChange } from "../auth/credentials.ts";
import { ServiceError, forbidden, unauthenticated } from "../errors.ts";
import { queueMails } from "../mail/notice.ts";
import { checkLink, readLink } from "../mail/signed-link.ts";
import { joinAutomatically } from "../orgs/auto-join/join.ts";
import { hashSecret } from "../secrets.ts";
import { nameTaken, requireUnrestricted, requireUser } from "../users/load.ts";
import { foldName } from "../users/schema.ts";
import { mailDue } from "./mails/account-mails.ts";
import { badLink, eventOfOwner } from "./mails/mail-links.ts";
import { proveOwnership } from "./prove-ownership.ts";
import type { ChangeEmail } from "./schema.ts";

/** A fresh link for an address, as it is kept in the account's document. */
export function newConfirmation(app: App): { id: string; expiresAt: Date } {
  return { id: app.newId(), expiresAt: new Date(app.now().getTime() + limits.confirmEmailMs) };
}

/**
 * Counts a mail that asks an address for its first confirmation, by address: repeated sign-ups with the address of
 * another person must not flood that person's mailbox. Throws `rate_limited`.
 */
export async function consumeConfirmation(app: App, emailKey: string): Promise<void> {
  await app.rateLimits.consume("mail", confirmationKey(emailKey));
}

/** Gives back what `consumeConfirmation` has counted for a mail that is not sent. */
export async function returnConfirmation(app: App, emailKey: string): Promise<void> {
  await app.rateLimits.refund("mail", confirmationKey(emailKey));
}

const confirmationKey = (emailKey: string) => hashSecret(`confirm\n${emailKey}`);

/**
 * Asks the new address for its confirmation and notifies the old one. Nothing changes until it is confirmed. Throws
 * what `proveOwnership` throws, `refused` or `conflict`.
 */
export async function requestEmailChange(
  app: App,
  actor: Actor,
  input: ChangeEmail,
): Promise<EmailChangePayload> {
  const caller = requireUnrestricted(actor, "change the e-mail address");
  const account = await proveOwnership(app, caller, input.password, "change the e-mail address");
  const { email } = input;
  const emailKey = foldName(email);
  if (email === account.email)
    throw new ServiceError("refused", "This is the address of your account already.");
  await app.rateLimits.consume("mail", `user:${caller.userId}`);
  await app.rateLimits.consume("mail", hashSecret(`change\n${emailKey}`));

  const change = { ...newConfirmation(app), email, emailKey };
  const mails = [
    mailDue(app, "confirm-change", email, change.expiresAt),
    mailDue(app, "change-requested", account.email),
  ];
  if (!(await app.storage.users.requestEmailChange(account, change, mails))) throw concurrentChange();
  queueMails(app, caller.userId);
  return { email, expiresAt: change.expiresAt.toISOString() };
}

/** Sends another link for the current address, instead of the last one. Throws `refused` when it is confirmed. */
export async function resendConfirmation(app: App, actor: Actor): Promise<void> {
  const caller = requireUnrestricted(actor, "confirm the e-mail address");
  const account = await app.storage.users.find(caller.userId);
  if (!account || account.emailVerifiedAt)
    throw new ServiceError("refused", "The address of your account is confirmed already.");
  await consumeConfirmation(app, account.emailKey);

  const verification = newConfirmation(app);
  const mails = [mailDue(app, "confirm-email", account.email, verification.expiresAt)];
  const { users } = app.storage;
  if (!(await users.requestVerification(caller.userId, account.emailKey, verification, mails)))
    throw concurrentChange();
  queueMails(app, caller.userId);
}

/** The account and the request of a confirmation link. */
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
 * Requires a session of the account that a link is about. Without it, a stranger who has signed up with the address of
 * another person would need only that person's click to own a confirmed account. Throws `unauthenticated` or
 * `forbidden`.
 */
export function requireSessionOf(actor: Actor, user: Pick<Account, "_id">): void {
  if (actor.kind === "anonymous")
    throw unauthenticated("Sign in to the account that this link is for, then open the link again.");
  const caller = requireUser(actor);
  if (caller.via.kind !== "session")
    throw forbidden("An e-mail address is confirmed in a browser session, not with an API token.");
  if (caller.userId !== user._id)
    throw forbidden(
      `This link is for another account than "${caller.username}": sign out, then sign in to that account.`,
    );
}

/**
 * Uses a link, once, in a session of its account: the address is confirmed, and a new one replaces the old. Throws
 * `refused`, what `requireSessionOf` throws, or `already_exists` when another account has taken the address.
 */
export async function confirmEmail(
  app: App,
  actor: Actor,
  token: string,
): Promise<{ email: string; changed: boolean }> {
  const { user, requestId, change } = await readConfirmation(app, token);
  requireSessionOf(actor, user);
  if (change) return { email: await applyChange(app, actor.origin, user, change), changed: true };
  const confirmed = await app.storage.users.applyVerification(user._id, requestId, app.now());
  if (!confirmed) throw badLink("used");
  await joinAutomatically(app, confirmed, actor.origin);
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
  await joinAutomatically(app, changed, origin);
  flushEvents(app, app.storage.users, user._id, [event]);
  queueMails(app, user._id);
  return changed.email;
}
