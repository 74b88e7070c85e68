/** The response of a provider: it is checked once, and its result is stored with the attempt. */
import { isId } from "../../../storage/database.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { SsoAttemptDoc, SsoResult } from "../../../storage/sso/attempts.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { App } from "../../app.ts";
import { hashSecret } from "../../secrets.ts";
import type { ProviderResponse } from "../identity-provider.ts";
import { failSignIn, unknownAttempt } from "./failure.ts";
import { findWithTenant, protocolOf } from "./start.ts";

export interface Received {
  provider: SsoProviderDoc;
  attempt: SsoAttemptDoc;
  result: SsoResult;
}

/** The attempt of a state. Throws `sso_failed` if there is none, as for a response that was not asked for. */
export async function findAttempt(
  app: App,
  providerId: string,
  state: string,
): Promise<{ provider: SsoProviderDoc; tenant: TenantDoc; attempt: SsoAttemptDoc }> {
  const isWellFormed = isId(providerId) && /^[\w-]{43}$/.test(state);
  const [{ provider, tenant }, attempt] = await Promise.all([
    findWithTenant(app, providerId),
    isWellFormed ? app.storage.ssoAttempts.findByState(providerId, hashSecret(state), app.now()) : null,
  ]);
  if (!attempt)
    throw await failSignIn(app, provider, {
      reason: "request",
      message:
        "The response belongs to no sign-in of the last ten minutes. Sign-ins start at this service, not at the provider.",
    });
  return { provider, tenant, attempt };
}

/**
 * Checks a response and stores the result. Throws `sso_failed` for a second response to the same attempt, and
 * `unavailable` for a provider that can't be reached.
 */
export async function receiveResponse(
  app: App,
  { provider, attempt }: { provider: SsoProviderDoc; attempt: SsoAttemptDoc },
  response: ProviderResponse,
): Promise<Received> {
  if (attempt.result) throw unknownAttempt();
  const isChanged = attempt.epoch !== provider.epoch || (attempt.purpose === "sign-in" && !provider.enabled);
  if (isChanged)
    throw await failSignIn(app, provider, {
      reason: "changed",
      message: "The provider was changed or disabled during the sign-in: start it again.",
    });
  const { result, once } = await protocolOf(provider).complete(app, provider, attempt, response);
  const { ssoAttempts } = app.storage;
  const stored = await ssoAttempts.answer(attempt._id, result, app.now(), once?.assertionKey);
  if (stored === "stored") return { provider, attempt, result };
  if (stored === "replayed" && once) {
    const again = await ssoAttempts.answer(attempt._id, once.replayed, app.now());
    if (again === "stored") return { provider, attempt, result: once.replayed };
  }
  throw unknownAttempt();
}
