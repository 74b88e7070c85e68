/** Recent proof of identity, which changes that could take an account or an organization over require. */
import { limits } from "../../contract/limits.ts";
import type { UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";

/**
 * Time until which the caller counts as verified; undefined if they do not. For acts in an organization, a sign-in by
 * its identity provider counts too.
 */
export function verifiedUntil(app: App, { via }: UserActor, tenantId?: string): Date | undefined {
  const proof = via.kind === "session" && via.sso?.find((one) => one.tenantId === tenantId);
  const times = [via.verifiedAt, proof ? proof.at : undefined].map((time) => time?.getTime() ?? 0);
  const until = new Date(Math.max(...times) + limits.recentVerificationMs);
  return until > app.now() ? until : undefined;
}

/**
 * Requires a second factor that was verified no more than ten minutes ago, or the password for an account without a
 * factor; `tenantId` is the organization of the act, if any. Throws `reauthentication_required`, with the act in its
 * sentence.
 */
export function requireRecentVerification(app: App, user: UserActor, act: string, tenantId?: string): void {
  if (verifiedUntil(app, user, tenantId)) return;
  if (user.account?.passwordless && !user.account.hasFactor) throw signInAgain(user, act);
  const proof = user.account?.hasFactor ? "factor" : "password";
  const needed = proof === "factor" ? "your second factor" : "your password";
  throw new ServiceError(
    "reauthentication_required",
    `Confirm ${needed} to ${act}: POST /api/auth/reauthenticate, or sign in again in the browser and then run ` +
      "svc login. It then counts for ten minutes.",
    { proof },
  );
}

function signInAgain(user: UserActor, act: string): ServiceError {
  const startUrl = providerStart(user);
  return new ServiceError(
    "reauthentication_required",
    `Sign in through your identity provider again to ${act}: open ${startUrl ?? "/sign-in"} in your browser. It then ` +
      "counts for ten minutes.",
    { proof: "sso", startUrl },
  );
}

/**
 * Path at which a caller without credentials of their own signs in again. Undefined for callers who have some, and if
 * no provider has signed them in.
 */
export function providerStart({ account, via, memberships, withheld = [] }: UserActor): string | undefined {
  if (!account?.passwordless || account.hasFactor || via.kind !== "session") return undefined;
  const latest = via.sso?.at(-1)?.tenantId;
  const found = [...memberships, ...withheld].find(({ tenantId }) => tenantId === latest);
  return found && `/sso/${found.tenantSlug}`;
}

/** Requires a recent verification for acts that check the password themselves; accounts with factors only. */
export function requireRecentFactor(app: App, user: UserActor, act: string): void {
  if (user.account?.hasFactor) requireRecentVerification(app, user, act);
}
