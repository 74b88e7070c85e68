import { limits } from "../../contract/limits.ts";
import type { PendingDevicePayload } from "../../contract/payloads/accounts/devices.ts";
import type { FactorNeededPayload } from "../../contract/payloads/accounts/mfa.ts";
import type { App } from "../app.ts";
import { Enveloped } from "../http/route.ts";
import { loadIdentity } from "../users/identity.ts";
import { loadMemberships } from "../users/load.ts";
import { splitByRequirements } from "../users/requirements.ts";
import type { PendingDevice } from "./device/device-approval.ts";
import type { SignedIn } from "./sign-in.ts";
import type { FactorNeeded } from "./ticket.ts";

/** The result of a right password: the identity, or what a second factor needs. */
export async function presentSignIn(app: App, result: SignedIn | FactorNeeded): Promise<Enveloped> {
  return "ticket" in result ? presentFactorNeeded(result) : presentSignedIn(app, result);
}

function presentFactorNeeded({ kinds, ticket, expiresAt, cookies }: FactorNeeded): Enveloped {
  const data: FactorNeededPayload = { mfaRequired: kinds, ticket, expiresAt: expiresAt.toISOString() };
  return new Enveloped(data, { cookies });
}

/** The identity of a user who has just signed in, with the cookies of the session. */
export async function presentSignedIn(app: App, { user, cookies, ...session }: SignedIn): Promise<Enveloped> {
  const via = { kind: "session", ...session } as const;
  const memberships = splitByRequirements(user, await loadMemberships(app, user._id), via, app.now());
  return new Enveloped(await loadIdentity(app, user, memberships), { cookies });
}

export function presentPendingDevice(device: PendingDevice): PendingDevicePayload {
  return {
    userCode: device.userCode,
    client: "svc CLI",
    machine: device.hostname ?? null,
    network: device.address ?? null,
    requestedAt: device.createdAt.toISOString(),
    expiresAt: device.expiresAt.toISOString(),
    grants: { kind: "personal_token", access: "full", idleDays: limits.deviceLoginMs / 86_400_000 },
  };
}
