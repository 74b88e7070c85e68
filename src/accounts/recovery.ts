/** A forgotten password: a link to the account's address that works once, for an hour. */
import { limits } from "../../contract/limits.ts";
import { isId } from "../../storage/database.ts";
import type { Credentials, TokensEnding } from "../../storage/users/users.ts";
import type { Origin } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents } from "../audit/events.ts";
import { clientsAfterReset, knownClient, type ClientFacts } from "../auth/known-clients.ts";
import { dropSessions } from "../auth/sessions.ts";
import { ServiceError } from "../errors.ts";
import { queueMails } from "../mail/notice.ts";
import { checkLink, readLink } from "../mail/signed-link.ts";
import { hashSecret } from "../secrets.ts";
import { foldName } from "../users/schema.ts";
import { revokeEndedTokens } from "./end-tokens.ts";
import { mailDue, resetBinding } from "./mails/account-mails.ts";
import { badLink, eventOfOwner } from "./mails/mail-links.ts";
import type { ResetPassword } from "./schema.ts";

/**
 * Sends a link if there is such an account. The response waits for nothing that depends on it, so that neither message
 * nor time reports it. Throws `rate_limited` for a caller's own repeated requests only, whether the address is known or
 * not. All strangers together cause a few mails an hour and no error: each mail has a link that works for an hour, and
 * a client that has signed in before does not share their budget.
 */
export async function forgotPassword(app: App, email: string, client: ClientFacts): Promise<void> {
  const emailKey = foldName(email.trim());
  const caller = client.ipHash ?? "unknown";
  await app.rateLimits.consume("mail", hashSecret(`forgot\n${emailKey}\n${caller}`));
  app.background("send a link for a forgotten password", async () => {
    const user = await app.storage.users.findCredentials(emailKey);
    if (!user) return;
    if (!knownClient(app, user, client) && !(await hasStrangersMail(app, emailKey))) return;
    const expiresAt = new Date(app.now().getTime() + limits.resetPasswordMs);
    await app.storage.users.addMails(user._id, [mailDue(app, "reset-password", user.email, expiresAt)]);
    queueMails(app, user._id);
  });
}

async function hasStrangersMail(app: App, emailKey: string): Promise<boolean> {
  try {
    await app.rateLimits.consume("mail", hashSecret(`forgot\n${emailKey}`));
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/** The account of a link, which is not used by it. Throws `refused`. */
export async function readReset(app: App, token: string): Promise<Credentials> {
  const { id = "" } = readLink(token) ?? {};
  const user = isId(id) ? await app.storage.users.findCredentialsById(id) : null;
  if (!user) throw badLink("invalid");
  const state = checkLink(app, "reset-password", token, resetBinding(user));
  // Signed for a previous password, or forged: the two can't be distinguished.
  if (state !== "valid") throw badLink(state === "invalid" ? "used" : state);
  return user;
}

/**
 * Sets a new password by a link. Ends every session, device approval and other link, and on request all API tokens. Its
 * use proves that the address is the caller's. If nothing had confirmed it before, another person may have created the
 * account, so everything that acts for it ends too, including tokens and trust policies that it created for
 * organizations. All of that is one write of the account. Throws `refused`; of several concurrent uses one succeeds.
 */
export async function resetPassword(app: App, origin: Origin, input: ResetPassword): Promise<void> {
  const user = await readReset(app, input.token);
  const passwordHash = await app.passwords.hash(input.password);
  const now = app.now();
  const tokensEnding = endingOf(user, input, now);
  const event = eventOfOwner(app, user, origin, "user.password_changed", {
    by: "mail link",
    endedTokens: tokensEnding ? true : undefined,
  });
  const epoch = await app.storage.users.replacePassword(
    user,
    {
      passwordHash,
      keptSessionId: undefined,
      verifiedAt: user.emailVerifiedAt ?? now,
      tokensEnding,
      knownClients: clientsAfterReset(app, user._id, origin.ipHash),
      now,
      mails: [mailDue(app, tokensEnding ? "password-reset" : "password-changed", user.email)],
    },
    [event],
  );
  if (epoch === null) throw badLink("used");
  flushEvents(app, app.storage.users, user._id, [event]);
  dropSessions(app, user._id, { epoch, keptSessionId: undefined });
  if (tokensEnding) revokeEndedTokens(app, user._id);
  queueMails(app, user._id);
}

function endingOf(user: Credentials, { endTokens }: ResetPassword, since: Date): TokensEnding | undefined {
  if (!user.emailVerifiedAt) return { since, ofOrganizations: true };
  return endTokens ? { since } : undefined;
}
