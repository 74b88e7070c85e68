/** The password and the sessions of an account. */
import type { SessionDoc } from "../../storage/credentials/sessions.ts";
import { isId } from "../../storage/database.ts";
import type { Actor, UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent, flushEvents } from "../audit/events.ts";
import { concurrentChange, checkOwnPassword } from "../auth/credentials.ts";
import { clearedCookie, dropSessions, openSession } from "../auth/sessions.ts";
import { ServiceError, notFound, unauthenticated } from "../errors.ts";
import type { Cookie } from "../http/route.ts";
import { queueMails } from "../mail/notice.ts";
import { hashSecret } from "../secrets.ts";
import { requireUnrestricted } from "../users/load.ts";
import { requireRecentFactor } from "../users/recent-verification.ts";
import { mailDue } from "./mails/account-mails.ts";
import type { ChangePassword } from "./schema.ts";

/**
 * Replaces the password. The same write ends all other sessions and a pending change of the address, and the caller's
 * session gets a new secret. API tokens stay. Throws `invalid_credentials`, `rate_limited`, `refused` or `conflict`.
 * Returns the cookie of the new session if the caller has a session.
 */
export async function changePassword(
  app: App,
  actor: Actor,
  input: ChangePassword,
  userAgent: string,
): Promise<Cookie | undefined> {
  const caller = requireUnrestricted(actor, "change the password");
  requireRecentFactor(app, caller, "change the password");
  if (caller.account?.passwordless)
    throw new ServiceError(
      "refused",
      "Your account has no password: choose one by the link of POST /api/auth/password/forgot.",
    );
  const account = await checkOwnPassword(app, caller, input.currentPassword);
  if (input.newPassword.normalize("NFC") === input.currentPassword.normalize("NFC"))
    throw new ServiceError("refused", "The new password is the current one: choose another.");
  // Each change sends a mail, to an address that may be another person's.
  await app.rateLimits.consume("mail", hashSecret(`password\n${account.emailKey}`));
  const passwordHash = await app.passwords.hash(input.newPassword);

  // First, so that nothing can fail between the change and the response. Until then it is an ordinary session.
  const { via } = caller;
  const opened = { userAgent, methods: ["password"], verifiedAt: via.verifiedAt } as const;
  const session =
    via.kind === "session"
      ? await openSession(app, account, { ...opened, sso: via.sso, breakGlass: via.breakGlass })
      : undefined;
  const event = ownEvent(app, caller, "user.password_changed");
  const keptSessionId = session?.sessionId;
  const now = app.now();
  const mails = [mailDue(app, "password-changed", account.email)];
  const change = { passwordHash, keptSessionId, now, mails };
  const epoch = await app.storage.users.replacePassword(account, change, [event]);
  if (epoch === null) {
    if (session) await app.storage.sessions.remove(session.sessionId, app.now());
    throw concurrentChange();
  }
  flushEvents(app, app.storage.users, caller.userId, [event]);
  dropSessions(app, caller.userId, { epoch, keptSessionId });
  queueMails(app, caller.userId);
  return session?.cookie;
}

/** A page of the caller's sessions, newest first; with `before`, those older than that session. */
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

/** Ends one of the caller's sessions. Returns the cookie that clears it if it is the session of this call. */
export async function endOneSession(app: App, actor: Actor, sessionId: string): Promise<Cookie | undefined> {
  const caller = requireUnrestricted(actor, "end sessions");
  const event = ownEvent(app, caller, "user.sessions_ended", { sessionId });
  if (!isId(sessionId)) throw notFound("session", sessionId);
  if (!(await app.storage.sessions.end(sessionId, caller.userId, app.now(), [event])))
    throw notFound("session", sessionId);
  flushEvents(app, app.storage.sessions, sessionId, [event]);
  const isOwn = caller.via.kind === "session" && caller.via.sessionId === sessionId;
  return isOwn ? clearedCookie(app) : undefined;
}

/** Ends all sessions except that of the call; called with a token, all of them. */
export async function endOtherSessions(app: App, actor: Actor): Promise<void> {
  const caller = requireUnrestricted(actor, "end sessions");
  const { via, userId } = caller;
  const { sessions, users } = app.storage;
  const own =
    via.kind === "session" ? await sessions.findOfUser(via.sessionId, userId, app.now()) : undefined;
  const event = ownEvent(app, caller, "user.sessions_ended", { all: true });
  // If concurrent calls would end each other's sessions, the first one keeps its session.
  const epoch = own === null ? null : await users.endSessions(userId, own, [event]);
  if (epoch === null) throw unauthenticated("This session was ended concurrently. Sign in again.");
  flushEvents(app, users, userId, [event]);
  dropSessions(app, userId, { epoch, keptSessionId: own?._id });
}

function ownEvent(
  app: App,
  caller: UserActor,
  name: "user.password_changed" | "user.sessions_ended",
  metadata?: Record<string, unknown>,
) {
  const subject = { resourceType: "user", resourceId: caller.userId } as const;
  return makeEvent(app, caller, name, { ...subject, metadata });
}
