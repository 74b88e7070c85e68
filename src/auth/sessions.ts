/** Browser sessions: started at sign-in, slid while they are used, ended at sign-out. */
import { randomBytes } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { SessionDoc } from "../../storage/sessions.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import type { Cookie } from "../http/route.ts";
import { sessionCookieName } from "../http/server.ts";
import { hashSecret } from "../secrets.ts";
import { clientOf } from "./user-agent.ts";

/** How often a session's or a token's last use is written, at most. */
export const lastUseStepMs = 60_000;

/** What a session is made of: the account as it was when its password was checked, and the browser's own words. */
interface SessionOwner {
  _id: string;
  sessionEpoch?: number;
}

/**
 * Starts a session in place of the one that the caller came with, so that a secret known before a sign-in is worth
 * nothing after it. Answers the cookie that carries the new one.
 */
export async function startSession(
  app: App,
  user: SessionOwner,
  before: Actor,
  userAgent: string,
): Promise<{ sessionId: string; cookie: Cookie }> {
  const session = await openSession(app, user, { userAgent });
  await endSession(app, before);
  return session;
}

/**
 * A new session beside those that there are. It has the epoch of the account that its maker has read: where all
 * sessions were ended since, this one is over before it begins.
 */
export async function openSession(
  app: App,
  user: SessionOwner,
  { userAgent }: { userAgent: string },
): Promise<{ sessionId: string; cookie: Cookie }> {
  const secret = randomBytes(32).toString("base64url");
  const sessionId = app.newId();
  const now = app.now();
  const client = clientOf(userAgent);
  await app.storage.sessions.insert({
    _id: sessionId,
    userId: user._id,
    secretHash: hashSecret(secret),
    epoch: user.sessionEpoch ?? 0,
    ...(client === undefined ? {} : { client }),
    createdAt: now,
    lastSeenAt: now,
    expiresAt: endOf(now, now),
  });
  const name = sessionCookieName(app.config.baseUrl);
  return { sessionId, cookie: { name, value: secret, maxAgeMs: limits.sessionAbsoluteMs } };
}

/** Ends the session that the caller came by, if they did. Answers the cookie that clears it in the browser. */
export async function endSession(app: App, actor: Actor): Promise<Cookie> {
  if (actor.kind === "user" && actor.via.kind === "session") {
    await app.storage.sessions.remove(actor.via.sessionId);
  }
  return clearedCookie(app);
}

export function clearedCookie(app: App): Cookie {
  return { name: sessionCookieName(app.config.baseUrl), value: "" };
}

/** Removes what a write that ended sessions has left behind. They are over already, so this only frees room. */
export function dropSessions(
  app: App,
  userId: string,
  left: { epoch: number; keptSessionId: string | undefined },
): void {
  app.background("remove ended sessions", async () => {
    while ((await app.storage.sessions.removeOfUser(userId, left)) > 0);
  });
}

/** The live session of a cookie's value; anything that was never one of ours is not looked up. */
export async function findSession(app: App, cookie: string): Promise<SessionDoc | undefined> {
  if (!/^[\w-]{43}$/.test(cookie)) return undefined;
  return (await app.storage.sessions.findLive(hashSecret(cookie), app.now())) ?? undefined;
}

/** Notes that a session is in use, without holding up the request. */
export function noteSessionUse(app: App, session: SessionDoc): void {
  const now = app.now();
  if (now.getTime() - session.lastSeenAt.getTime() < lastUseStepMs) return;
  app.background("note the use of a session", () =>
    app.storage.sessions.touch(session._id, now, endOf(session.createdAt, now)),
  );
}

function endOf(createdAt: Date, lastSeenAt: Date): Date {
  const absolute = createdAt.getTime() + limits.sessionAbsoluteMs;
  return new Date(Math.min(absolute, lastSeenAt.getTime() + limits.sessionIdleMs));
}

/** Removes sessions that ended; answers how many went. */
export async function purgeSessions(app: App): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = await app.storage.sessions.removeExpired(app.now());
    if (removed === 0) return total;
    total += removed;
  }
}
