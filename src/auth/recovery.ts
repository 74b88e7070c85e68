/** A forgotten password: a link to the account's address, good for an hour and for one use. */
import { limits } from "../../contract/limits.ts";
import { isId } from "../../storage/database.ts";
import type { Credentials } from "../../storage/users.ts";
import type { Origin } from "../access/actor.ts";
import type { App } from "../app.ts";
import { settleEvents } from "../audit/events.ts";
import { checkLink, readLink } from "../mail/signed-link.ts";
import { hashSecret } from "../secrets.ts";
import { foldName } from "../users/schema.ts";
import { mailDue, queueMails, resetBinding } from "./account-mails.ts";
import { badLink, eventOfOwner } from "./mail-links.ts";
import { hashPassword } from "./passwords.ts";
import type { ResetPassword } from "./schema.ts";
import { dropSessions } from "./sessions.ts";

/**
 * Has a link sent where there is such an account. The answer waits for nothing that depends on it, so that neither
 * words nor time tell. Throws `rate_limited`, by address whether it is known or not.
 */
export async function forgotPassword(app: App, email: string): Promise<void> {
  const emailKey = foldName(email.trim());
  await app.rateLimits.consume("mail", hashSecret(emailKey));
  app.background("send a link for a forgotten password", async () => {
    const user = await app.storage.users.findCredentials(emailKey);
    if (!user) return;
    const expiresAt = new Date(app.now().getTime() + limits.resetPasswordMs);
    await app.storage.users.addMails(user._id, [mailDue(app, "reset-password", user.email, expiresAt)]);
    queueMails(app, user._id);
  });
}

/** The account of a link, which is not used by it. Throws `refused`. */
export async function readReset(app: App, token: string): Promise<Credentials> {
  const { id = "" } = readLink(token) ?? {};
  const user = isId(id) ? await app.storage.users.findCredentialsById(id) : null;
  if (!user) throw badLink("invalid");
  const state = checkLink(app, "reset-password", token, resetBinding(user));
  // Made for a password that is over, or made up: the two can't be told apart.
  if (state !== "valid") throw badLink(state === "invalid" ? "used" : state);
  return user;
}

/**
 * Sets a new password by a link. Ends every session and each other link; API tokens stay. Its reader has shown that the
 * address is theirs. Throws `refused`; of several uses at once one succeeds.
 */
export async function resetPassword(app: App, origin: Origin, input: ResetPassword): Promise<void> {
  const user = await readReset(app, input.token);
  const passwordHash = await hashPassword(input.password);
  const event = eventOfOwner(app, user, origin, "user.password_changed", { by: "mail link" });
  const now = app.now();
  const epoch = await app.storage.users.replacePassword(
    user,
    {
      passwordHash,
      keptSessionId: undefined,
      verifiedAt: user.emailVerifiedAt ?? now,
      now,
      mails: [mailDue(app, "password-changed", user.email)],
    },
    [event],
  );
  if (epoch === null) throw badLink("used");
  settleEvents(app, app.storage.users, user._id, [event]);
  dropSessions(app, user._id, { epoch, keptSessionId: undefined });
  queueMails(app, user._id);
}
