/**
 * Who calls. Asked on every request and remembered by none: a revoked token, an ended session and a lost role count
 * from the next request on. Two trips to the database: the credential, then the user beside the memberships, or the
 * organization.
 */
import { isSessionHeld } from "../../storage/sessions.ts";
import type { TokenDoc } from "../../storage/tokens.ts";
import type { Actor, OrganizationActor, Origin, TokenLimits, UserActor } from "../access/actor.ts";
import { organizationTokenPermissions } from "../access/permissions.ts";
import type { App } from "../app.ts";
import { invalidRequest, unauthenticated } from "../errors.ts";
import type { Credentials } from "../http/server.ts";
import { hashSecret } from "../secrets.ts";
import { loadMemberships, loadUserActor, userActor } from "../users/load.ts";
import { byAnonymousKey } from "./anonymous.ts";
import { findSession, lastUseStepMs, noteSessionUse } from "./sessions.ts";

/**
 * The actor of a request. An Authorization header, or a signature, decides alone and throws `unauthenticated` when it does
 * not hold; both at once are `invalid_request`. A cookie that is not a live session is a caller without one.
 */
export async function authenticate(app: App, credentials: Credentials): Promise<Actor> {
  const { authorization, sessionCookie, signed, origin } = credentials;
  if (authorization !== "" && signed) throw invalidRequest("Send an API token or a signature, not both.");
  if (authorization !== "" || signed) {
    try {
      return await (signed
        ? byAnonymousKey(app, signed, origin)
        : byToken(app, bearerOf(authorization), origin));
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
  const [user, memberships] = await Promise.all([
    app.storage.users.find(session.userId),
    loadMemberships(app, session.userId),
  ]);
  if (!user || !isSessionHeld(session, user)) return undefined;
  noteSessionUse(app, session);
  const via = { kind: "session", sessionId: session._id } as const;
  return userActor(user, memberships, via, { ...origin, source: "web", client: "web" });
}

function bearerOf(authorization: string): string {
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (token === undefined)
    throw unauthenticated('The Authorization header must be "Bearer" and an API token.');
  if (!/^lskt?_[0-9a-f]{64}$/.test(token)) {
    throw unauthenticated("This is not an API token: one is lsk_ or lskt_ and 64 hexadecimal digits.");
  }
  return token;
}

async function byToken(app: App, secret: string, origin: Origin): Promise<Actor> {
  const token = await app.storage.tokens.findBySecret(hashSecret(secret));
  if (!token) throw unauthenticated("The API token is not valid: it is unknown here.");
  if (token.revokedAt) throw unauthenticated("The API token was revoked: create another.");
  if (token.expiresAt && token.expiresAt <= app.now()) {
    throw unauthenticated(`The API token expired at ${token.expiresAt.toISOString()}: create another.`);
  }
  const actor = await (token.tenantId === undefined
    ? personOf(app, token, origin)
    : organizationOf(app, token, token.tenantId, origin));
  noteTokenUse(app, token);
  return actor;
}

async function personOf(app: App, token: TokenDoc, origin: Origin): Promise<UserActor> {
  const via = { kind: "token", tokenId: token._id, limits: limitsOf(token) } as const;
  const actor = token.userId === undefined ? undefined : await loadUserActor(app, token.userId, via, origin);
  if (!actor) throw unauthenticated("The API token is not valid: its account no longer exists.");
  return actor;
}

/** The organization itself, whatever became of the person who made the token. */
async function organizationOf(
  app: App,
  token: TokenDoc,
  tenantId: string,
  origin: Origin,
): Promise<OrganizationActor> {
  const tenant = await app.storage.tenants.find(tenantId);
  if (!tenant) throw unauthenticated("The API token is not valid: its organization no longer exists.");
  if (tenant.deletionAt)
    throw unauthenticated("The API token is not valid: its organization was deleted and will be erased.");
  return {
    kind: "organization",
    tokenId: token._id,
    tokenName: token.name,
    memberships: [
      {
        tenantId,
        tenantSlug: tenant.slug,
        tenantName: tenant.name,
        role: "token",
        teamIds: [],
        permissions: organizationTokenPermissions,
      },
    ],
    limits: limitsOf(token),
    origin,
  };
}

function limitsOf({ scopes, allowedFolderIds }: TokenDoc): TokenLimits {
  return { ...(scopes ? { scopes } : {}), ...(allowedFolderIds ? { allowedFolderIds } : {}) };
}

function noteTokenUse(app: App, token: TokenDoc): void {
  const now = app.now();
  if (token.lastUsedAt && now.getTime() - token.lastUsedAt.getTime() < lastUseStepMs) return;
  app.background("note the use of a token", () => app.storage.tokens.touch(token._id, now));
}
