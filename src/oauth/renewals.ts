/**
 * Tokens of a grant. They follow from a secret that the client has sent, a random salt and a key of the service. A
 * client that repeats a renewal, since its response was lost or another process was faster, therefore gets the same
 * tokens, from any process of the service, although only their hashes are stored.
 */
import { randomBytes } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { OauthGrantDoc, OauthRenewal } from "../../storage/oauth/grants.ts";
import type { App } from "../app.ts";
import { accessTokenPrefix } from "../auth/access-token.ts";
import { hashSecret } from "../secrets.ts";
import { refreshTokensOf } from "./refresh-token.ts";

export interface TokenPair {
  accessToken: string;
  refreshToken: string;
}

/** New tokens in exchange for a code or refresh token. */
export function newPair(app: App, grantId: string, secret: string): { pair: TokenPair; salt: string } {
  const salt = randomBytes(32).toString("base64url");
  return { pair: pairsOf(app, grantId, secret, salt)[0]!, salt };
}

/** The tokens that the keys of the ring make, those of the current key first. */
function pairsOf(app: App, grantId: string, secret: string, salt: string): TokenPair[] {
  const text = `${secret}.${salt}`;
  const accessTokens = app.secrets.signatures("oauth-issued-access-token", text);
  return app.secrets.signatures("oauth-issued-refresh-token", text).map((random, key) => ({
    accessToken: accessTokenPrefix + Buffer.from(accessTokens[key]!, "base64url").toString("hex"),
    refreshToken: refreshTokensOf(app, grantId, random)[key]!,
  }));
}

/** Renewals that can still be repeated. */
export function recentRenewals(app: App, { renewals = [] }: OauthGrantDoc): OauthRenewal[] {
  const since = app.now().getTime() - limits.oauthRepeatedRenewalMs;
  return renewals.filter(({ at }) => at.getTime() > since);
}

/** Whether a refresh token was replaced so recently that its client may present it again. */
export const isRecentlyReplaced = (app: App, grant: OauthGrantDoc, refreshToken: string) =>
  recentRenewals(app, grant).some(({ refreshHash }) => refreshHash === hashSecret(refreshToken));

/**
 * The current tokens of a grant, from a refresh token that they have replaced, also by several renewals: all processes
 * of a client end with the same ones. Undefined if the key that made them has left the ring.
 */
export function currentPair(app: App, grant: OauthGrantDoc, refreshToken: string): TokenPair | undefined {
  const renewals = grant.renewals ?? [];
  const known = new Set([grant.refreshHash, ...renewals.map(({ refreshHash }) => refreshHash)]);
  let presented = refreshToken;
  for (;;) {
    const hash = hashSecret(presented);
    const renewal = renewals.find(({ refreshHash }) => refreshHash === hash);
    const pair =
      renewal &&
      pairsOf(app, grant._id, presented, renewal.salt).find((one) => known.has(hashSecret(one.refreshToken)));
    if (!pair || hashSecret(pair.refreshToken) === grant.refreshHash) return pair;
    presented = pair.refreshToken;
  }
}
