/** Browser sessions: started at sign-in, slid while they are used, ended at sign-out. */
import { randomBytes } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { SessionDoc } from "../../storage/sessions.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import type { Cookie } from "../http/route.ts";
import { sessionCookieName } from "../http/server.ts";
import { hashSecret } from "../secrets.ts";

/** How often a session's or a token's last use is written, at most. */
export const lastUseStepMs = 60_000;

/**
 * Starts a session in place of the one that the caller came with, so that a secret known before a sign-in is worth
 * nothing after it. Answers the cookie that carries the new one.
 */
export async function startSession(
  app: App,
  userId: string,
  before: Actor,
): Promise<{ sessionId: string; cookie: Cookie }> {
  const secret = randomBytes(32).toString("base64url");
  const sessionId = app.newId();
  const now = app.now();
  await app.storage.sessions.insert({
    _id: sessionId,
    userId,
    secretHash: hashSecret(secret),
    createdAt: now,
    lastSeenAt: now,
    expiresAt: endOf(now, now),
  });
  await endSession(app, before);
  const name = sessionCookieName(app.config.baseUrl);
  return { sessionId, cookie: { name, value: secret, maxAgeMs: limits.sessionAbsoluteMs } };
}

/** Ends the session that the caller came by, if they did. Answers the cookie that clears it in the browser. */
export async function endSession(app: App, actor: Actor): Promise<Cookie> {
  if (actor.kind === "user" && actor.via.kind === "session") {
    await app.storage.sessions.remove(actor.via.sessionId);
  }
  return { name: sessionCookieName(app.config.baseUrl), value: "" };
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
