/** What an account's owner does to the account itself: its password and its sessions. */
import { isId } from "../../storage/database.ts";
import type { SessionDoc } from "../../storage/sessions.ts";
import type { Actor, UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent, settleEvents } from "../audit/events.ts";
import { ServiceError, notFound, unauthenticated } from "../errors.ts";
import type { Cookie } from "../http/route.ts";
import { requireUnrestricted } from "../users/load.ts";
import { mailDue, queueMails } from "./account-mails.ts";
import { changedMeanwhile, checkOwnPassword } from "./credentials.ts";
import { hashPassword } from "./passwords.ts";
import type { ChangePassword } from "./schema.ts";
import { clearedCookie, dropSessions, openSession } from "./sessions.ts";

/**
 * Puts a new password in the place of the current one. Ends all other sessions, in the same write, and gives the
 * caller's own a new secret; a change of address that waits ends too. API tokens stay. Throws `invalid_credentials`,
 * `rate_limited`, `refused` or `conflict`. Answers the cookie of the new session, where the caller has one.
 */
export async function changePassword(
  app: App,
  actor: Actor,
  input: ChangePassword,
  userAgent: string,
): Promise<Cookie | undefined> {
  const caller = requireUnrestricted(actor, "change the password");
  const account = await checkOwnPassword(app, caller, input.currentPassword);
  if (input.newPassword.normalize("NFC") === input.currentPassword.normalize("NFC"))
    throw new ServiceError("refused", "The new password is the current one: choose another.");
  const passwordHash = await hashPassword(input.newPassword);

  // First, so that nothing is left to fail between the change and its answer. Until then it is a session like others.
  const session = caller.via.kind === "session" ? await openSession(app, account, { userAgent }) : undefined;
  const event = ownEvent(app, caller, "user.password_changed");
  const keptSessionId = session?.sessionId;
  const now = app.now();
  const mails = [mailDue(app, "password-changed", account.email)];
  const change = { passwordHash, keptSessionId, now, mails };
  const epoch = await app.storage.users.replacePassword(account, change, [event]);
  if (epoch === null) {
    if (session) await app.storage.sessions.remove(session.sessionId);
    throw changedMeanwhile();
  }
  settleEvents(app, app.storage.users, caller.userId, [event]);
  dropSessions(app, caller.userId, { epoch, keptSessionId });
  queueMails(app, caller.userId);
  return session?.cookie;
}

/** A page of the caller's sessions, newest first, before an id where one is given. */
export async function listSessions(
  app: App,
  actor: Actor,
  page: { before: string | undefined; limit: number },
): Promise<SessionDoc[]> {
  const { userId } = requireUnrestricted(actor, "see sessions");
  const rule = await app.storage.users.findSessionRule(userId);
  if (!rule) throw unauthenticated("This account no longer exists.");
  return app.storage.sessions.listOfUser(userId, rule, app.now(), page.before, page.limit);
}

/** Ends one of the caller's sessions. Answers the cookie that clears their own, where it was that. */
export async function endOneSession(app: App, actor: Actor, sessionId: string): Promise<Cookie | undefined> {
  const caller = requireUnrestricted(actor, "end sessions");
  const event = ownEvent(app, caller, "user.sessions_ended", { sessionId });
  if (!isId(sessionId)) throw notFound("session", sessionId);
  if (!(await app.storage.sessions.end(sessionId, caller.userId, app.now(), [event])))
    throw notFound("session", sessionId);
  settleEvents(app, app.storage.sessions, sessionId, [event]);
  const isOwn = caller.via.kind === "session" && caller.via.sessionId === sessionId;
  return isOwn ? clearedCookie(app) : undefined;
}

/** Ends all sessions but the one that the caller came by; by a token, all of them. */
export async function endOtherSessions(app: App, actor: Actor): Promise<void> {
  const caller = requireUnrestricted(actor, "end sessions");
  const { via, userId } = caller;
  const { sessions, users } = app.storage;
  const own =
    via.kind === "session" ? await sessions.findOfUser(via.sessionId, userId, app.now()) : undefined;
  const event = ownEvent(app, caller, "user.sessions_ended", { all: true });
  // Of several at once that would end each other, the first is the one that stays.
  const epoch = own === null ? null : await users.endSessions(userId, own, [event]);
  if (epoch === null) throw unauthenticated("This session was ended meanwhile.");
  settleEvents(app, users, userId, [event]);
  dropSessions(app, userId, { epoch, keptSessionId: own?._id });
}

function ownEvent(
  app: App,
  caller: UserActor,
  name: "user.password_changed" | "user.sessions_ended",
  metadata?: Record<string, unknown>,
) {
  const subject = { resourceType: "user", resourceId: caller.userId } as const;
  return makeEvent(app, caller, name, { ...subject, ...(metadata ? { metadata } : {}) });
}
