/**
 * Form of refresh tokens: `lskr_<grant id>_<random part>_<signature>`. The grant stores the hash of the current one
 * only. The signature shows that a replaced one was issued for the grant, so that its reuse is recognized however old
 * it is, and that knowing the id of a grant is not enough to revoke it.
 */
import type { App } from "../app.ts";

const purpose = "oauth-refresh-token";

/** The refresh tokens with a random part that the keys of the ring sign, that of the current key first. */
export const refreshTokensOf = (app: App, grantId: string, random: string) =>
  app.secrets
    .signatures(purpose, `${grantId}.${random}`)
    .map((signature) => `lskr_${grantId}_${random}_${signature}`);

/** Id of the grant for which a refresh token was issued; undefined if we did not issue it. */
export function grantOfRefreshToken(app: App, token: string): string | undefined {
  const [, grantId, random, signature] = /^lskr_([0-9a-f]{24})_([\w-]{43})_([\w-]{43})$/.exec(token) ?? [];
  if (grantId === undefined || random === undefined || signature === undefined) return undefined;
  return app.secrets.verifySignature(purpose, `${grantId}.${random}`, signature) ? grantId : undefined;
}
