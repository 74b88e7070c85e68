/** The factors of the caller, as they see them. */
import type { FactorStatePayload, PasskeyPayload } from "../../contract/payloads/accounts/mfa.ts";
import type { Passkey } from "../../storage/users/users.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { offersPasskeys } from "../auth/relying-party.ts";
import { requireUnrestricted } from "../users/load.ts";
import { providerStart, verifiedUntil } from "../users/recent-verification.ts";
import { loadOwn } from "./load.ts";

export async function readFactorState(app: App, actor: Actor): Promise<FactorStatePayload> {
  const caller = requireUnrestricted(actor, "see your second factors");
  const { factors, hasFactor, passwordless } = await loadOwn(app, caller);
  const requiring = [...caller.memberships, ...(caller.withheld ?? [])].flatMap((one) =>
    one.factorFrom && !one.deletionAt ? [{ ...one, from: one.factorFrom.toISOString() }] : [],
  );
  return {
    enabled: hasFactor === true,
    totp: factors?.totp ? { confirmedAt: factors.totp.confirmedAt.toISOString() } : null,
    passkeys: (factors?.passkeys ?? []).map(presentPasskey),
    recoveryCodes: factors?.recoveryAt
      ? { left: factors.recovery?.length ?? 0, createdAt: factors.recoveryAt.toISOString() }
      : null,
    passkeysAvailable: offersPasskeys(app),
    verifiedUntil: verifiedUntil(app, caller)?.toISOString() ?? null,
    hasPassword: passwordless !== true,
    providerStart: providerStart(caller) ?? null,
    requiredBy: requiring.map(({ tenantId, tenantSlug, tenantName, from }) => ({
      tenantId,
      slug: tenantSlug,
      name: tenantName,
      from,
    })),
  };
}

export function presentPasskey({ id, name, backedUp, createdAt, lastUsedAt }: Passkey): PasskeyPayload {
  return {
    id,
    name,
    synced: backedUp,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
