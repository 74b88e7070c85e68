/**
 * Password checks. Only failures are counted, and those of unknown clients separately from those of clients that have
 * signed in to the account before, so that no stranger can lock an owner out.
 */
import type { Credentials } from "../../storage/users/users.ts";
import type { UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { ServiceError, forbidden, unauthenticated } from "../errors.ts";
import type { Budget } from "../http/request/rate-limit.ts";
import { hashSecret } from "../secrets.ts";
import { knownClient, type ClientFacts } from "./known-clients.ts";

export type BudgetKey = [budget: Budget, caller: string];

/**
 * Checks a password at the sign-in. Unknown accounts, wrong passwords and throttled calls take the same steps, password
 * hash included, so that neither message nor time reports whether there is such an account, or whether a password was
 * right after the budget is used up. Throws `invalid_credentials` or `rate_limited`.
 */
export async function checkSignIn(
  app: App,
  input: { emailKey: string; password: string; client: ClientFacts },
): Promise<Credentials> {
  const { emailKey, password, client } = input;
  const found = await app.storage.users.findCredentials(emailKey);
  const known = knownClient(app, found, client);
  const keys: BudgetKey[] = [clientKey(emailKey, client, known)];
  if (!known) keys.push(["password-unknown-clients", hashSecret(emailKey)]);
  const refusal = await consumeBudgets(app, keys);
  const isRight = await app.passwords.verify(refusal ? undefined : found?.passwordHash, password);
  if (refusal) throw refusal;
  if (!found || !isRight)
    throw new ServiceError("invalid_credentials", "The e-mail address or the password is not right.");
  await refundBudgets(app, keys);
  if (found.suspended) throw accountSuspended();
  return found;
}

/** The error of every act by a suspended account; only its owner, who has a password or token of it, learns of it. */
export function accountSuspended(): ServiceError {
  return forbidden(
    "This account was suspended by an administrator of this service. Ask them to lift the suspension.",
    { reason: "account_suspended" },
  );
}

/** A client's own budget for one account. */
function clientKey(
  emailKey: string,
  { ipHash }: ClientFacts,
  known: ReturnType<typeof knownClient>,
): BudgetKey {
  const client = known ? `${known.kind} ${known.hash}` : (ipHash ?? "unknown");
  return ["password", hashSecret(`${emailKey}\n${client}`)];
}

/**
 * Checks the caller's password, which protects every action that could take the account over. Each session has its own
 * budget. The API tokens of an account share one, since a token can create others, and count as failed sign-ins of
 * their address too. Throws `invalid_credentials` or `rate_limited`.
 */
export async function checkOwnPassword(app: App, caller: UserActor, password: string): Promise<Credentials> {
  const { userId, via } = caller;
  const account = await app.storage.users.findCredentialsById(userId);
  if (!account) throw unauthenticated("This account no longer exists.");
  const keys: BudgetKey[] = [
    ["password", `user:${userId} ${via.kind === "session" ? via.sessionId : "tokens"}`],
  ];
  if (via.kind === "token") {
    const client = { ipHash: caller.origin.ipHash, deviceSecret: undefined };
    keys.push(clientKey(account.emailKey, client, knownClient(app, account, client)));
  }
  const refusal = await consumeBudgets(app, keys);
  if (refusal) throw refusal;
  if (!(await app.passwords.verify(account.passwordHash, password)))
    throw new ServiceError("invalid_credentials", "The password is not right.");
  await refundBudgets(app, keys);
  return account;
}

/** Takes keys before a check, so that concurrent checks can't exceed a budget. Returns the error of an empty one. */
export async function consumeBudgets(
  app: App,
  keys: readonly BudgetKey[],
): Promise<ServiceError | undefined> {
  const taken = await Promise.allSettled(keys.map((key) => app.rateLimits.consume(...key)));
  const errors = taken.flatMap((one): unknown[] => (one.status === "rejected" ? [one.reason] : []));
  const unexpected = errors.find((error) => !(error instanceof ServiceError));
  if (unexpected !== undefined) throw unexpected;
  return errors.find((error) => error instanceof ServiceError);
}

/** Gives the keys of a check that succeeded back: only failures count. */
export async function refundBudgets(app: App, keys: readonly BudgetKey[]): Promise<void> {
  await Promise.all(keys.map((key) => app.rateLimits.refund(...key)));
}

/** The account was changed by a concurrent call. */
export function concurrentChange(): ServiceError {
  return new ServiceError("conflict", "The account was changed concurrently: read it again, then retry.");
}
