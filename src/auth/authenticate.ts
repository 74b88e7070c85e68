/**
 * Authentication of requests. Nothing is cached: a revoked token, an ended session or a removed role takes effect on
 * the next request. It takes one database round trip, which concurrent requests share (`storage/lookups/callers.ts`).
 */
import { limits } from "../../contract/limits.ts";
import { isSessionCurrent } from "../../storage/credentials/sessions.ts";
import type { TokenDoc } from "../../storage/credentials/tokens.ts";
import type { OrganizationToken, PersonalToken } from "../../storage/lookups/callers.ts";
import type { Actor, OrganizationActor, Origin, TokenLimits, UserActor } from "../access/actor.ts";
import { ageFromOf, isTooOld } from "../access/token-age.ts";
import type { App } from "../app.ts";
import { invalidRequest, unauthenticated } from "../errors.ts";
import type { Credentials } from "../http/handle-route.ts";
import { hashSecret } from "../secrets.ts";
import { withoutTooOld } from "../tokens/max-age.ts";
import { effectiveMemberships, organizationActor, userActor } from "../users/load.ts";
import { accessTokenPrefix, byAccessToken } from "./access-token.ts";
import { byAnonymousKey } from "./anonymous/anonymous.ts";
import { accountSuspended } from "./credentials.ts";
import { findSession, lastUseStepMs, recordSessionUse } from "./sessions.ts";

/**
 * The actor of a request. An Authorization header or a signature takes precedence over a cookie and throws
 * `unauthenticated` if it is not valid; both together are `invalid_request`. A cookie without a live session is
 * ignored.
 */
export async function authenticate(app: App, credentials: Credentials): Promise<Actor> {
  const { authorization, sessionCookie, signed, audience, origin } = credentials;
  if (authorization !== "" && signed) throw invalidRequest("Send an API token or a signature, not both.");
  if (authorization !== "" || signed) {
    try {
      return await (signed
        ? byAnonymousKey(app, signed, origin)
        : byBearer(app, bearerOf(authorization), audience, origin));
    } catch (error) {
      // Failed attempts count against the general budget of the address, which a refused call would not reach.
      await app.rateLimits.consume("general", origin);
      throw error;
    }
  }
  const bySession = sessionCookie ? await ofSession(app, sessionCookie, origin) : undefined;
  return bySession ?? { kind: "anonymous", origin };
}

async function ofSession(app: App, cookie: string, origin: Origin): Promise<UserActor | undefined> {
  const found = await findSession(app, cookie);
  if (!found?.account) return undefined;
  const { session, account, named } = found;
  if (!isSessionCurrent(session, account) || account.suspended) return undefined;
  const memberships = await effectiveMemberships(app, found.memberships, named);
  recordSessionUse(app, session);
  const via = {
    kind: "session",
    sessionId: session._id,
    verifiedAt: session.verifiedAt,
    methods: session.methods,
    sso: session.sso ?? [],
    breakGlass: session.breakGlass,
  } as const;
  return userActor(app, account, memberships, via, { ...origin, source: "web", client: "web" });
}

function bearerOf(authorization: string): string {
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (token === undefined)
    throw unauthenticated('The Authorization header must be "Bearer" and an API token.');
  if (!/^lsk[ot]?_[0-9a-f]{64}$/.test(token)) {
    throw unauthenticated("This is not an API token: one is lsk_ or lskt_ and 64 hexadecimal digits.");
  }
  return token;
}

function byBearer(app: App, secret: string, audience: string | undefined, origin: Origin): Promise<Actor> {
  return secret.startsWith(accessTokenPrefix)
    ? byAccessToken(app, secret, audience, origin)
    : byToken(app, secret, origin);
}

/** Tokens of organizations have a prefix of their own (`tokens/mint.ts`). */
async function byToken(app: App, secret: string, origin: Origin): Promise<Actor> {
  const { callers } = app.storage;
  const hash = hashSecret(secret);
  const found = await (secret.startsWith("lskt_")
    ? callers.findOrganizationToken(hash)
    : callers.findPersonalToken(hash));
  if (!found) throw unauthenticated("The API token is not valid: it is unknown here.");
  const { token } = found;
  if ("account" in found && found.account?.suspended) throw accountSuspended();
  if (token.revokedAt) throw unauthenticated("The API token was revoked: create another.");
  if (token.expiresAt && token.expiresAt <= app.now()) {
    throw unauthenticated(`The API token expired at ${token.expiresAt.toISOString()}: create another.`);
  }
  const actor =
    "memberships" in found ? await personOf(app, found, origin) : organizationOf(app, found, origin);
  noteTokenUse(app, token);
  return actor;
}

async function personOf(app: App, found: PersonalToken, origin: Origin): Promise<UserActor> {
  const { token, account, named } = found;
  const via = {
    kind: "token",
    tokenId: token._id,
    verifiedAt: token.verifiedAt,
    limits: limitsOf(token),
    ageFrom: ageFromOf(token),
  } as const;
  if (!account) throw unauthenticated("The API token is not valid: its account no longer exists.");
  if ((token.epoch ?? 0) !== (account.tokenEpoch ?? 0))
    throw unauthenticated("The API token ended when its account's password was reset: create another.");
  const memberships = await effectiveMemberships(app, found.memberships, named);
  return withoutTooOld(userActor(app, account, memberships, via, origin), via, token, app.now());
}

/** The organization as an actor, even if the creator of the token has left it. */
function organizationOf(
  app: App,
  { token, tenant, policy }: OrganizationToken,
  origin: Origin,
): OrganizationActor {
  if (!tenant) throw unauthenticated("The API token is not valid: its organization no longer exists.");
  if (tenant.deletionAt)
    throw unauthenticated("The API token is not valid: its organization was deleted and will be erased.");
  if (isTooOld(token, tenant.maxTokenDays, app.now()))
    throw unauthenticated(
      `The API token is older than ${tenant.maxTokenDays} days, which "${tenant.slug}" allows at most: create another.`,
    );
  if (token.policyId === undefined) return organizationActor(tenant, token, limitsOf(token), origin);
  if (!policy?.enabled || policy.epoch !== token.policyEpoch)
    throw unauthenticated(
      "The API token ended when its trust policy was changed, disabled or deleted: exchange an identity token again.",
    );
  const { createdBy, changedBy } = policy;
  return organizationActor(tenant, { ...token, createdBy, changedBy }, limitsOf(token), {
    ...origin,
    source: "oidc",
  });
}

function limitsOf({ scopes, allowedFolderIds, skillIds }: TokenDoc): TokenLimits {
  return { scopes, allowedFolderIds, skillIds };
}

function noteTokenUse(app: App, token: TokenDoc): void {
  const now = app.now();
  if (token.lastUsedAt && now.getTime() - token.lastUsedAt.getTime() < lastUseStepMs) return;
  const expiresAt = token.login && new Date(now.getTime() + limits.deviceLoginMs);
  app.background("note the use of a token", () => app.storage.tokens.touch(token._id, now, expiresAt));
}
