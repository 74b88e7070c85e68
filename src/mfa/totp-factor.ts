/** The authenticator app of an account: set up, confirmed by a code, removed. */
import type { z } from "zod";
import { limits } from "../../contract/limits.ts";
import type { RecoveryCodesPayload, TotpSetupPayload } from "../../contract/payloads/accounts/mfa.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { refundBudgets, consumeBudgets, type BudgetKey } from "../auth/credentials.ts";
import { relyingParty } from "../auth/relying-party.ts";
import { ServiceError } from "../errors.ts";
import type { Cookie } from "../http/route.ts";
import { requireRecentVerification } from "../users/recent-verification.ts";
import { changeAndEndSessions, changeFactors } from "./change.ts";
import { loadOwn, requireSession } from "./load.ts";
import { factorMail, ownEvent } from "./record.ts";
import { newRecoveryCodes, recoveryFields } from "./recovery-codes.ts";
import { requireRemovable } from "./removable.ts";
import { newTotpSecret, qrCode, stepOf, totpUri } from "./totp.ts";
import { totpRecord, wrongFactor } from "./verify.ts";

/**
 * Makes the secret of a new authenticator app, which counts once a code has confirmed it. Throws `already_exists` or
 * `reauthentication_required`.
 */
export async function beginTotp(app: App, actor: Actor): Promise<z.infer<typeof TotpSetupPayload>> {
  const caller = requireSession(actor, "add an authenticator app");
  requireRecentVerification(app, caller, "add an authenticator app");
  const user = await loadOwn(app, caller);
  if (user.factors?.totp) throw alreadySet();
  const secret = newTotpSecret();
  const expiresAt = new Date(app.now().getTime() + limits.totpSetupMs);
  const pendingTotp = { sealed: app.secrets.seal(secret, totpRecord(user._id)), expiresAt };
  const hasFactor = user.hasFactor === true;
  await changeFactors(app, user, { set: { pendingTotp }, hasFactor, mails: [], events: [] });
  const { name, id } = relyingParty(app);
  const uri = totpUri(secret, `${name} (${id})`, user.username);
  return { secret, uri, qr: qrCode(uri), expiresAt: expiresAt.toISOString() };
}

function alreadySet(): ServiceError {
  return new ServiceError(
    "already_exists",
    "The account has an authenticator app: remove it before you add another.",
    { kind: "factor" },
  );
}

/**
 * Confirms the secret by a code. Ends all other sessions of an account that had no factor; the first factor comes with
 * recovery codes. Throws `invalid_credentials`, `refused`, `conflict` or `rate_limited`.
 */
export async function confirmTotp(
  app: App,
  actor: Actor,
  code: string,
  userAgent: string,
): Promise<{
  recoveryCodes: z.infer<typeof RecoveryCodesPayload>["recoveryCodes"];
  cookie: Cookie | undefined;
}> {
  const caller = requireSession(actor, "add an authenticator app");
  requireRecentVerification(app, caller, "add an authenticator app");
  const user = await loadOwn(app, caller);
  const pending = user.factors?.pendingTotp;
  if (!pending || pending.expiresAt <= app.now())
    throw new ServiceError("refused", "The set-up of the authenticator app has expired: start it again.");
  const key: BudgetKey = ["factor", `user:${user._id} ${caller.via.sessionId}`];
  const refusal = await consumeBudgets(app, [key]);
  if (refusal) throw refusal;
  const secret = app.secrets.open(pending.sealed, totpRecord(user._id));
  const step = stepOf(secret, code.replace(/\s/g, ""), app.now());
  if (step === undefined)
    throw wrongFactor(
      "The code is not right. Check that the clock of your device is, and try the next code.",
    );
  await refundBudgets(app, [key]);

  const isFirst = user.hasFactor !== true;
  const fresh = isFirst ? newRecoveryCodes(app, user._id) : undefined;
  const change = {
    set: {
      totp: { sealed: pending.sealed, lastStep: step, confirmedAt: app.now() },
      ...fresh?.fields,
    },
    unset: ["pendingTotp"] as const,
    hasFactor: true,
    mails: [factorMail(app, user, "factor-added", "an authenticator app")],
    events: [ownEvent(app, user, caller.origin, "mfa.enabled")],
  };
  const recoveryCodes = fresh?.codes ?? [];
  if (!isFirst) {
    await changeFactors(app, user, change);
    return { recoveryCodes, cookie: undefined };
  }
  const session = { userAgent, methods: ["password", "totp"] } as const;
  return { recoveryCodes, cookie: await changeAndEndSessions(app, caller, user, change, session) };
}

/**
 * Removes the authenticator app, and the recovery codes with the last factor. Ends all other sessions. Throws
 * `not_found`, `refused` or `reauthentication_required`.
 */
export async function removeTotp(app: App, actor: Actor, userAgent: string): Promise<Cookie> {
  const caller = requireSession(actor, "remove an authenticator app");
  requireRecentVerification(app, caller, "remove the authenticator app");
  const user = await loadOwn(app, caller);
  if (!user.factors?.totp)
    throw new ServiceError("not_found", "The account has no authenticator app.", { kind: "factor" });
  const isLast = !user.factors.passkeys?.length;
  if (isLast) await requireRemovable(app, user);
  const change = {
    unset: isLast ? (["totp", "pendingTotp", ...recoveryFields] as const) : (["totp"] as const),
    hasFactor: !isLast,
    mails: [factorMail(app, user, "factor-removed", "The authenticator app")],
    events: [ownEvent(app, user, caller.origin, "mfa.disabled")],
  };
  return changeAndEndSessions(app, caller, user, change, { userAgent, methods: ["password"] });
}

/** Replaces the recovery codes. Throws `refused` for an account without a factor. */
export async function renewRecoveryCodes(app: App, actor: Actor): Promise<string[]> {
  const caller = requireSession(actor, "renew recovery codes");
  requireRecentVerification(app, caller, "renew the recovery codes");
  const user = await loadOwn(app, caller);
  if (!user.hasFactor)
    throw new ServiceError(
      "refused",
      "Add a passkey or an authenticator app first: codes only replace them.",
    );
  const { codes, fields } = newRecoveryCodes(app, user._id);
  await changeFactors(app, user, {
    set: fields,
    hasFactor: true,
    mails: [],
    events: [ownEvent(app, user, caller.origin, "mfa.recovery_codes_renewed")],
  });
  return codes;
}
