/** Browser sessions: started at sign-in, extended while they are used, ended at sign-out. */
import { randomBytes } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import {
  isSessionLive,
  type BreakGlass,
  type SessionDoc,
  type SignInMethod,
  type SsoProof,
} from "../../storage/credentials/sessions.ts";
import type { OpenedSession } from "../../storage/lookups/callers.ts";
import type { Notice } from "../../storage/mail/notices.ts";
import { outboxFields, type EventRow } from "../../storage/outbox.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents } from "../audit/events.ts";
import { sessionCookieName } from "../http/request/cookies.ts";
import type { Cookie } from "../http/route.ts";
import { hashSecret } from "../secrets.ts";
import { clientOf } from "./user-agent.ts";

/** Minimum time between two writes of a session's or token's last use. */
export const lastUseStepMs = 60_000;

/** The account of a new session, as it was when its password was checked. */
interface SessionOwner {
  _id: string;
  sessionEpoch?: number;
}

interface NewSession {
  userAgent: string;
  methods: readonly SignInMethod[];
  verifiedAt: Date | undefined;
  /** Sign-ins through identity providers. */
  sso?: readonly SsoProof[];
  breakGlass?: readonly BreakGlass[];
  events?: EventRow[];
  notice?: Notice;
}

/**
 * Starts a session and ends the caller's previous one, so that a secret known before a sign-in is worth nothing after
 * it. Returns the cookie of the new session.
 */
export async function startSession(
  app: App,
  user: SessionOwner,
  before: Actor,
  options: NewSession,
): Promise<{ sessionId: string; cookie: Cookie }> {
  const session = await openSession(app, user, options);
  await endSession(app, before);
  return session;
}

/**
 * Opens a session in addition to the existing ones. It has the epoch of the account as the caller has read it: if all
 * sessions were ended since, the new one is not valid either.
 */
export async function openSession(
  app: App,
  user: SessionOwner,
  { userAgent, methods, verifiedAt, sso = [], breakGlass = [], events = [], notice }: NewSession,
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
    client,
    methods: [...methods],
    verifiedAt,
    sso: sso.length > 0 ? [...sso] : undefined,
    breakGlass: breakGlass.length > 0 ? [...breakGlass] : undefined,
    ...(events.length > 0 ? outboxFields(events) : {}),
    notice,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: endOf(now, now),
  });
  if (events.length > 0) flushEvents(app, app.storage.sessions, sessionId, events);
  const name = sessionCookieName(app.config.baseUrl);
  return { sessionId, cookie: { name, value: secret, maxAgeMs: limits.sessionAbsoluteMs } };
}

/** Ends the caller's session, if any. Returns the cookie that clears it in the browser. */
export async function endSession(app: App, actor: Actor): Promise<Cookie> {
  if (actor.kind === "user" && actor.via.kind === "session") {
    await app.storage.sessions.remove(actor.via.sessionId, app.now());
  }
  return clearedCookie(app);
}

export function clearedCookie(app: App): Cookie {
  return { name: sessionCookieName(app.config.baseUrl), value: "" };
}

/** Removes the documents of sessions that a write has ended. They are invalid already: this only frees storage. */
export function dropSessions(
  app: App,
  userId: string,
  left: { epoch: number; keptSessionId: string | undefined },
): void {
  app.background("remove ended sessions", async () => {
    while ((await app.storage.sessions.removeOfUser(userId, left)) > 0);
  });
}

/** The live session of a cookie's value, with its person. A value of another form is not looked up. */
export async function findSession(app: App, cookie: string): Promise<OpenedSession | undefined> {
  if (!/^[\w-]{43}$/.test(cookie)) return undefined;
  const found = await app.storage.callers.findSession(hashSecret(cookie));
  return found && isSessionLive(found.session, app.now()) ? found : undefined;
}

/** Records the use of a session, without delaying the request. */
export function recordSessionUse(app: App, session: SessionDoc): void {
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

/** Removes ended sessions; returns how many were removed. */
export async function purgeSessions(app: App): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = await app.storage.sessions.removeExpired(app.now());
    if (removed === 0) return total;
    total += removed;
  }
}
