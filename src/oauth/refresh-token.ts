/**
 * Form of refresh tokens: `lskr_<grant id>_<random part>_<signature>`. The grant stores the hash of the present one
 * only. The signature shows that a replaced one was issued for the grant, so that its reuse is recognized however old
 * it is, and that knowing the id of a grant is not enough to revoke it.
 */
import { randomBytes } from "node:crypto";
import type { App } from "../app.ts";

const purpose = "oauth-refresh-token";

export function newRefreshToken(app: App, grantId: string): string {
  const random = randomBytes(32).toString("base64url");
  return `lskr_${grantId}_${random}_${app.secrets.sign(purpose, `${grantId}.${random}`)}`;
}

/** Id of the grant for which a refresh token was issued; undefined if we did not issue it. */
export function grantOfRefreshToken(app: App, token: string): string | undefined {
  const [, grantId, random, signature] = /^lskr_([0-9a-f]{24})_([\w-]{43})_([\w-]{43})$/.exec(token) ?? [];
  if (grantId === undefined || random === undefined || signature === undefined) return undefined;
  return app.secrets.verifySignature(purpose, `${grantId}.${random}`, signature) ? grantId : undefined;
}
