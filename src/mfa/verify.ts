/** Verification of second factors. Only failures are counted; a code and a challenge are valid once. */
import type { SignInMethod } from "../../storage/credentials/sessions.ts";
import type { Credentials } from "../../storage/users/users.ts";
import type { Origin } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents } from "../audit/events.ts";
import { refundBudgets, consumeBudgets, type BudgetKey } from "../auth/credentials.ts";
import { ServiceError } from "../errors.ts";
import { queueMails } from "../mail/notice.ts";
import { verifyPasskey } from "./passkeys/verify.ts";
import { ownEvent, factorMail } from "./record.ts";
import { hashOfCode } from "./recovery-codes.ts";
import type { FactorProof } from "./schema.ts";
import { stepOf } from "./totp.ts";

/** The secret of an authenticator app is sealed for its account. */
export const totpRecord = (userId: string) => `totp:${userId}`;

/**
 * Verifies a factor of an account. `binding`: the session or browser for which a passkey's challenge was made. Throws
 * `invalid_credentials` or `rate_limited`; of concurrent uses of a code, one succeeds.
 */
export async function verifyFactor(
  app: App,
  user: Credentials,
  proof: FactorProof,
  context: { keys: readonly BudgetKey[]; binding: string; origin: Origin },
): Promise<SignInMethod> {
  const refusal = await consumeBudgets(app, context.keys);
  if (refusal) throw refusal;
  const method = await verify(app, user, proof, context);
  await refundBudgets(app, context.keys);
  return method;
}

async function verify(
  app: App,
  user: Credentials,
  proof: FactorProof,
  { binding, origin }: { binding: string; origin: Origin },
): Promise<SignInMethod> {
  if ("code" in proof) {
    await useTotp(app, user, proof.code);
    return "totp";
  }
  if ("recoveryCode" in proof) {
    await useRecoveryCode(app, user, proof.recoveryCode, origin);
    return "recovery";
  }
  await verifyPasskey(app, user, proof.passkey, binding);
  return "passkey";
}

async function useTotp(app: App, user: Credentials, typed: string): Promise<void> {
  const totp = user.factors?.totp;
  const code = typed.replace(/\s/g, "");
  const step = totp && stepOf(app.secrets.open(totp.sealed, totpRecord(user._id)), code, app.now());
  if (!totp || step === undefined)
    throw wrongFactor(
      "The code is not right. Check that the clock of your device is, and try the next code.",
    );
  if (!(await app.storage.users.useTotpStep(user._id, totp.sealed, step)))
    throw wrongFactor("This code was used already: wait for the next one.");
}

async function useRecoveryCode(app: App, user: Credentials, typed: string, origin: Origin): Promise<void> {
  const hash = hashOfCode(app, user, typed);
  const event = ownEvent(app, user, origin, "mfa.recovery_code_used");
  const mails = [factorMail(app, user, "recovery-code-used")];
  if (!hash || !(await app.storage.users.useRecoveryCode(user._id, hash, mails, [event])))
    throw wrongFactor("This is not an unused recovery code of the account.");
  flushEvents(app, app.storage.users, user._id, [event]);
  queueMails(app, user._id);
}

export function wrongFactor(message: string): ServiceError {
  return new ServiceError("invalid_credentials", message, { reason: "factor" });
}
