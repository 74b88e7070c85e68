/** Recent proof of identity, which changes that could take an account or an organization over require. */
import { limits } from "../../contract/limits.ts";
import type { UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";

/** Time until which the caller counts as verified; undefined if they do not. */
export function verifiedUntil(app: App, { via }: UserActor): Date | undefined {
  if (!via.verifiedAt) return undefined;
  const until = new Date(via.verifiedAt.getTime() + limits.recentVerificationMs);
  return until > app.now() ? until : undefined;
}

/**
 * Requires a second factor that was verified no more than ten minutes ago, or the password for an account without a
 * factor. Throws `reauthentication_required`, with the act in its sentence.
 */
export function requireRecentVerification(app: App, user: UserActor, act: string): void {
  if (verifiedUntil(app, user)) return;
  const proof = user.account?.hasFactor ? "factor" : "password";
  const needed = proof === "factor" ? "your second factor" : "your password";
  throw new ServiceError(
    "reauthentication_required",
    `Confirm ${needed} to ${act}: POST /api/auth/reauthenticate, or sign in again (svc login). It then counts for ten minutes.`,
    { proof },
  );
}

/** The same for acts that ask for the password themselves: accounts without a factor have nothing more to prove. */
export function requireRecentFactor(app: App, user: UserActor, act: string): void {
  if (user.account?.hasFactor) requireRecentVerification(app, user, act);
}
