import { limits } from "../../contract/limits.ts";
import type { PendingDevicePayload } from "../../contract/payloads/devices.ts";
import type { App } from "../app.ts";
import { Enveloped } from "../http/route.ts";
import { loadIdentity } from "../users/identity.ts";
import { loadMemberships } from "../users/load.ts";
import type { PendingDevice } from "./device-approval.ts";
import type { SignedIn } from "./sign-in.ts";

/** The identity of a user who has just signed in, with the cookies of the session. */
export async function presentSignedIn(app: App, { user, cookies }: SignedIn): Promise<Enveloped> {
  const memberships = await loadMemberships(app, user._id);
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
