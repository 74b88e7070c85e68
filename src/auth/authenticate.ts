/**
 * Who calls. Asked on every request and remembered by none: a revoked token, an ended session and a lost role count
 * from the next request on. Two trips to the database: the credential, then the user beside the memberships.
 */
import type { TokenDoc } from "../../storage/tokens.ts";
import type { Actor, Origin, UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { unauthenticated } from "../errors.ts";
import type { Credentials } from "../http/server.ts";
import { hashSecret } from "../secrets.ts";
import { loadUserActor } from "../users/load.ts";
import { findSession, lastUseStepMs, noteSessionUse } from "./sessions.ts";

/**
 * The actor of a request. An Authorization header decides alone and throws `unauthenticated` when it does not hold; a
 * cookie that is not a live session is a caller without one.
 */
export async function authenticate(app: App, credentials: Credentials): Promise<Actor> {
  const { authorization, sessionCookie, origin } = credentials;
  if (authorization !== "") {
    try {
      return await byToken(app, bearerOf(authorization), origin);
    } catch (error) {
      // Guesses are paid from the address's general budget, which a refused call would not reach.
      await app.rateLimits.consume("general", origin.ipHash ?? "unknown");
      throw error;
    }
  }
  const bySession = sessionCookie ? await ofSession(app, sessionCookie, origin) : undefined;
  return bySession ?? { kind: "anonymous", origin };
}

async function ofSession(app: App, cookie: string, origin: Origin): Promise<UserActor | undefined> {
  const session = await findSession(app, cookie);
  if (!session) return undefined;
  const actor = await loadUserActor(
    app,
    session.userId,
    { kind: "session", sessionId: session._id },
    { ...origin, source: "web", client: "web" },
  );
  if (actor) noteSessionUse(app, session);
  return actor;
}

function bearerOf(authorization: string): string {
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (token === undefined)
    throw unauthenticated('The Authorization header must be "Bearer" and an API token.');
  if (!/^lsk_[0-9a-f]{64}$/.test(token)) {
    throw unauthenticated("This is not an API token: one is lsk_ and 64 hexadecimal digits.");
  }
  return token;
}

async function byToken(app: App, secret: string, origin: Origin): Promise<UserActor> {
  const token = await app.storage.tokens.findBySecret(hashSecret(secret));
  if (!token) throw unauthenticated("The API token is not valid: it is unknown here.");
  if (token.revokedAt) throw unauthenticated("The API token was revoked: create another.");
  if (token.expiresAt && token.expiresAt <= app.now()) {
    throw unauthenticated(`The API token expired at ${token.expiresAt.toISOString()}: create another.`);
  }
  const limits = {
    ...(token.scopes ? { scopes: token.scopes } : {}),
    ...(token.allowedFolderIds ? { allowedFolderIds: token.allowedFolderIds } : {}),
  };
  const via = { kind: "token", tokenId: token._id, limits } as const;
  const actor = await loadUserActor(app, token.userId, via, origin);
  if (!actor) throw unauthenticated("The API token is not valid: its account no longer exists.");
  noteTokenUse(app, token);
  return actor;
}

function noteTokenUse(app: App, token: TokenDoc): void {
  const now = app.now();
  if (token.lastUsedAt && now.getTime() - token.lastUsedAt.getTime() < lastUseStepMs) return;
  app.background("note the use of a token", () => app.storage.tokens.touch(token._id, now));
}
