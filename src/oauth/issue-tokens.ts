/** The token endpoint: tokens for an authorization code, and for a refresh token, which they replace. */
import { createHash } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { OauthTokenPayload } from "../../contract/payloads/accounts/oauth.ts";
import { oauthAccess } from "../../contract/vocabulary.ts";
import { resourcesOf, type OauthGrantDoc, type OauthTokens } from "../../storage/oauth/grants.ts";
import type { App } from "../app.ts";
import { OAuthError } from "../auth/oauth-error.ts";
import { ServiceError } from "../errors.ts";
import { equalSecrets, hashSecret } from "../secrets.ts";
import { noteClientUse } from "./clients.ts";
import { isSameRedirectUri } from "./redirect-uris.ts";
import { grantOfRefreshToken } from "./refresh-token.ts";
import { currentPair, isRecentlyReplaced, newPair, recentRenewals, type TokenPair } from "./renewals.ts";
import { accessOfScope, readResources, scopeOfAccess } from "./resources.ts";
import { revokeReused } from "./revoke.ts";
import type { TokenRequest } from "./schema.ts";

const invalidGrant = (message: string) => new OAuthError("invalid_grant", message);

/**
 * Exchanges an authorization code. A code that is used twice ends everything that was issued for it. Throws OAuthError.
 */
export async function redeemCode(app: App, input: TokenRequest): Promise<OauthTokenPayload> {
  const { code, client_id: clientId, redirect_uri: redirectUri, code_verifier: verifier } = input;
  if (code === undefined || clientId === undefined || redirectUri === undefined || verifier === undefined)
    throw new OAuthError(
      "invalid_request",
      "code, client_id, redirect_uri and code_verifier are required, each once.",
    );
  const grant = await app.storage.oauthGrants.findByCode(hashSecret(code));
  if (!grant) throw invalidGrant("This code is unknown.");
  if (grant.clientId !== clientId) throw invalidGrant("This code was issued to another client.");
  if (grant.codeUsedAt) throw await codeReused(app, grant);
  if (!isSameRedirectUri(grant.redirectUri, redirectUri))
    throw invalidGrant("This code was sent to another redirect_uri.");
  if (!fitsChallenge(verifier, grant.codeChallenge))
    throw invalidGrant("The code_verifier does not fit the code_challenge of the request.");
  checkResource(app, input, grant);
  if (grant.codeExpiresAt <= app.now()) throw invalidGrant("The code has expired: start again.");
  await requireLiveGrant(app, grant, true);
  const { pair } = newPair(app, grant._id, code);
  const tokens = tokensOf(app, pair);
  if (!(await app.storage.oauthGrants.redeem(grant._id, tokens, app.now())))
    throw await codeReused(app, grant);
  return payloadOf(app, grant, pair, tokens.accessExpiresAt);
}

async function codeReused(app: App, grant: OauthGrantDoc): Promise<OAuthError> {
  await revokeReused(app, grant, "code");
  return invalidGrant("This code was used before, so the access that it gave was revoked: start again.");
}

/** PKCE (RFC 7636, section 4.6). */
function fitsChallenge(verifier: string, challenge: string): boolean {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false;
  return equalSecrets(createHash("sha256").update(verifier).digest("base64url"), challenge);
}

/**
 * Replaces the tokens of a grant. A refresh token that was replaced before gets the current ones within a minute of its
 * first renewal. After that it may have been stolen, so its reuse revokes the grant. Throws OAuthError.
 */
export async function renewTokens(app: App, input: TokenRequest): Promise<OauthTokenPayload> {
  const { refresh_token: token, client_id: clientId } = input;
  if (token === undefined || clientId === undefined)
    throw new OAuthError("invalid_request", "refresh_token and client_id are required, each once.");
  const payload = await renewOrRepeat(app, token, () => loadRenewable(app, token, clientId, input));
  await noteClientUse(app, clientId);
  return payload;
}

/** The grant of a refresh token that may be renewed. Throws OAuthError. */
async function loadRenewable(
  app: App,
  token: string,
  clientId: string,
  input: TokenRequest,
): Promise<OauthGrantDoc> {
  const id = grantOfRefreshToken(app, token);
  const grant = id === undefined ? null : await app.storage.oauthGrants.findById(id);
  if (!grant) throw invalidGrant("This refresh token is unknown.");
  if (grant.clientId !== clientId) throw invalidGrant("This refresh token was issued to another client.");
  checkResource(app, input, grant);
  checkScope(input, grant);
  await requireLiveGrant(app, grant, false);
  if (grant.expiresAt <= app.now()) throw invalidGrant("The refresh token has expired: connect again.");
  return grant;
}

async function renewOrRepeat(
  app: App,
  token: string,
  load: () => Promise<OauthGrantDoc>,
): Promise<OauthTokenPayload> {
  const grant = await load();
  if (grant.refreshHash === hashSecret(token)) {
    const renewed = await renew(app, grant, token);
    // Else another process was faster, and the stored tokens are its.
    return renewed ?? repeat(app, await load(), token);
  }
  return repeat(app, grant, token);
}

async function renew(app: App, grant: OauthGrantDoc, token: string): Promise<OauthTokenPayload | undefined> {
  const refreshHash = hashSecret(token);
  const { pair, salt } = newPair(app, grant._id, token);
  const renewals = recentRenewals(app, grant);
  if (renewals.length >= limits.oauthRenewals)
    throw new ServiceError(
      "rate_limited",
      `The tokens were renewed ${limits.oauthRenewals} times within a minute: use them, and wait.`,
      { retryAfterSeconds: limits.oauthRepeatedRenewalMs / 1000 },
    );
  const tokens = tokensOf(app, pair);
  const renewal = { refreshHash, salt, at: app.now() };
  const stored = { ...tokens, renewals: [...renewals, renewal] };
  const isRenewed = await app.storage.oauthGrants.rotate(grant._id, refreshHash, stored, app.now());
  return isRenewed ? payloadOf(app, grant, pair, tokens.accessExpiresAt) : undefined;
}

async function repeat(app: App, grant: OauthGrantDoc, token: string): Promise<OauthTokenPayload> {
  if (!isRecentlyReplaced(app, grant, token)) {
    await revokeReused(app, grant, "refresh token");
    throw invalidGrant("This refresh token was used before, so the access was revoked: connect again.");
  }
  const pair = currentPair(app, grant, token);
  if (!pair)
    throw invalidGrant(
      "This refresh token was issued with a key that the service no longer has. Sign in again.",
    );
  return payloadOf(app, grant, pair, grant.accessExpiresAt!);
}

function tokensOf(app: App, { accessToken, refreshToken }: TokenPair): OauthTokens {
  const now = app.now().getTime();
  return {
    secretHash: hashSecret(accessToken),
    accessExpiresAt: new Date(now + limits.oauthAccessTokenMs),
    refreshHash: hashSecret(refreshToken),
    expiresAt: new Date(now + limits.oauthIdleMs),
  };
}

function payloadOf(
  app: App,
  { access }: OauthGrantDoc,
  { accessToken, refreshToken }: TokenPair,
  accessExpiresAt: Date,
): OauthTokenPayload {
  return {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: Math.round((accessExpiresAt.getTime() - app.now().getTime()) / 1000),
    refresh_token: refreshToken,
    scope: scopeOfAccess(access),
  };
}

/** Resources that are named again must be among those of the grant (RFC 8707, section 2.2). */
function checkResource(app: App, { resource: named = [] }: TokenRequest, grant: OauthGrantDoc): void {
  const own = resourcesOf(grant);
  if (named.length === 0 || readResources(app, named)?.every((one) => own.includes(one))) return;
  throw new OAuthError("invalid_target", `The access was given for ${own.join(" and ")}.`);
}

/** A smaller scope is ignored: the response names the scope of the tokens (RFC 6749, section 5.1). */
function checkScope({ scope }: TokenRequest, { access }: OauthGrantDoc): void {
  const named = accessOfScope(oauthAccess, scope);
  if (named && oauthAccess.indexOf(named.suggested) <= oauthAccess.indexOf(access)) return;
  throw new OAuthError("invalid_scope", `The access was given for the scope "${scopeOfAccess(access)}".`);
}

/** `isFirst`: the sessions of the account must not have ended since the consent, which one of them gave. */
async function requireLiveGrant(app: App, grant: OauthGrantDoc, isFirst: boolean): Promise<void> {
  const account = await app.storage.users.find(grant.userId);
  const { session, token } = grant.epochs;
  const isLive =
    account !== null &&
    !account.suspended &&
    !grant.revokedAt &&
    token === (account.tokenEpoch ?? 0) &&
    (!isFirst || session === (account.sessionEpoch ?? 0));
  if (!isLive) throw invalidGrant("The access was revoked: connect again.");
}
