/** Checks of passwords, all of them under one count: whoever guesses here has guessed at the sign-in as well. */
import type { Credentials } from "../../storage/users.ts";
import type { UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { ServiceError, unauthenticated } from "../errors.ts";
import { hashSecret } from "../secrets.ts";
import { verifyPassword } from "./passwords.ts";

/** Few tries from one address; more from all together, so that a stranger can't lock somebody out with ease. */
export async function countGuess(app: App, emailKey: string, ipHash: string | undefined): Promise<void> {
  await app.rateLimits.consume("password", hashSecret(`${emailKey}\n${ipHash ?? "unknown"}`));
  await app.rateLimits.consume("sign-in", hashSecret(emailKey));
}

/**
 * The caller's account after they gave its password, which stands before whatever would take the account over. Throws
 * `invalid_credentials` or `rate_limited`.
 */
export async function checkOwnPassword(app: App, caller: UserActor, password: string): Promise<Credentials> {
  const account = await app.storage.users.findCredentialsById(caller.userId);
  if (!account) throw unauthenticated("This account no longer exists.");
  await countGuess(app, account.emailKey, caller.origin.ipHash);
  if (!(await verifyPassword(account.passwordHash, password)))
    throw new ServiceError("invalid_credentials", "The password is not right.");
  return account;
}

/** The account was changed beside this call, by whoever came first. */
export function changedMeanwhile(): ServiceError {
  return new ServiceError("conflict", "The account was changed meanwhile: look at it again.");
}
