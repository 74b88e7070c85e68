/** Proof for acts that could end an account or take it over. */
import type { Credentials } from "../../storage/users/users.ts";
import type { UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { checkOwnPassword, concurrentChange } from "../auth/credentials.ts";
import { invalidRequest } from "../errors.ts";
import { loadOwn } from "../mfa/load.ts";
import { requireRecentFactor, requireRecentVerification } from "../users/recent-verification.ts";

/**
 * Requires the password, and a second factor of the last ten minutes where there is one. An account without a password
 * needs a recent verification instead: its factor, or a sign-in through its identity provider. Throws
 * `reauthentication_required`, `invalid_request`, `invalid_credentials` or `rate_limited`.
 */
export async function proveOwnership(
  app: App,
  caller: UserActor,
  password: string | undefined,
  act: string,
): Promise<Credentials> {
  if (caller.account?.passwordless) {
    requireRecentVerification(app, caller, act);
    const account = await loadOwn(app, caller);
    // A password that was chosen concurrently is not known to the caller.
    if (!account.passwordless) throw concurrentChange();
    return account;
  }
  requireRecentFactor(app, caller, act);
  if (password === undefined)
    throw invalidRequest("Something is wrong with password: it is needed.", {
      issues: [{ path: "password", message: "Enter your password." }],
    });
  return checkOwnPassword(app, caller, password);
}
