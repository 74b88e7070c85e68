/**
 * Challenges for passkeys. A challenge is signed over its purpose and the session or browser it was made for, and not
 * stored: asking for options leaves nothing behind. One use of it is recorded, so that it can't be used again.
 */
import { randomBytes } from "node:crypto";
import { limits } from "../../../contract/limits.ts";
import type { App } from "../../app.ts";
import { checkLink, readLink, signLink } from "../../mail/signed-link.ts";

export type ChallengePurpose = "passkey-registration" | "passkey-use";

/** Session or browser for which a challenge is valid. */
export const sessionBinding = (sessionId: string): string => `session:${sessionId}`;
export const browserBinding = (deviceSecret: string): string => `browser:${deviceSecret}`;

export function newChallenge(app: App, purpose: ChallengePurpose, binding: string): string {
  const expiresAt = new Date(app.now().getTime() + limits.passkeyChallengeMs);
  return signLink(app, purpose, { id: randomBytes(16).toString("hex"), expiresAt, bind: binding });
}

/** Uses a challenge, as the browser returns it (base64url). False if it is not valid here, or was used. */
export async function useChallenge(
  app: App,
  purpose: ChallengePurpose,
  binding: string,
  given: string,
): Promise<boolean> {
  const challenge = Buffer.from(given, "base64url").toString("utf8");
  const read = readLink(challenge);
  if (!read || checkLink(app, purpose, challenge, binding) !== "valid") return false;
  return app.storage.signatureNonces.claim(`challenge:${read.id}`, read.expiresAt);
}
