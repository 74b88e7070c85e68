/**
 * Sign-in of a device without a browser (RFC 8628). The device asks for a code, a person approves it in a browser
 * where they are signed in (`device-approval.ts`), and the device's next poll turns it into a personal token, once
 * (`device-login.ts`).
 */
import { randomBytes } from "node:crypto";
import { unprintable } from "../../../contract/checks/unsafe-characters.ts";
import { limits } from "../../../contract/limits.ts";
import type { DeviceCodePayload, DeviceTokenPayload } from "../../../contract/payloads/accounts/devices.ts";
import type { DeviceCodeDoc } from "../../../storage/credentials/device-codes.ts";
import { isDuplicate } from "../../../storage/database.ts";
import type { Origin } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import type { RequestInfo } from "../../http/route.ts";
import { hashSecret } from "../../secrets.ts";
import { OAuthError } from "../oauth-error.ts";
import type { DeviceCodeRequest, DeviceTokenRequest } from "../schema.ts";
import { codeUsed, redeem } from "./device-login.ts";
import { newUserCode, showUserCode } from "./user-code.ts";

const deviceClientId = "svc-cli";
export const deviceGrantType = "urn:ietf:params:oauth:grant-type:device_code";

/** Section 3.5: seconds that an early poll adds to the interval, and the tolerance for network delays between polls. */
const pollRule = { penaltySeconds: 5, toleranceMs: 500 };
/** Time for which an expired code is distinguished from an unknown one. */
const lapsedCodeMs = 24 * 60 * 60_000;

/** Starts a sign-in (section 3.1). Throws OAuthError. */
export async function requestDeviceCode(
  app: App,
  input: DeviceCodeRequest,
  request: RequestInfo,
): Promise<DeviceCodePayload> {
  checkClient(input.client_id);
  const secret = randomBytes(32).toString("base64url");
  const id = app.newId();
  const now = app.now();
  const hostname = readHostname(input.hostname);
  const record: Omit<DeviceCodeDoc, "userCode"> = {
    _id: id,
    secretHash: hashSecret(secret),
    hostname: hostname || undefined,
    machine: /^[0-9a-f]{64}$/.test(input.machine ?? "") ? input.machine : undefined,
    sealedAddress: app.secrets.seal(request.address, id),
    state: "pending",
    intervalSeconds: limits.deviceIntervalSeconds,
    createdAt: now,
    expiresAt: new Date(now.getTime() + limits.deviceCodeMs),
  };
  const userCode = showUserCode(await insertWithUserCode(app, record));
  const page = `${app.config.baseUrl}/device`;
  return {
    device_code: secret,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${userCode}`,
    expires_in: limits.deviceCodeMs / 1000,
    interval: limits.deviceIntervalSeconds,
  };
}

async function insertWithUserCode(app: App, record: Omit<DeviceCodeDoc, "userCode">): Promise<string> {
  for (;;) {
    const userCode = newUserCode();
    try {
      await app.storage.deviceCodes.insert({ ...record, userCode });
      return userCode;
    } catch (error) {
      if (!isDuplicate(error, "device_user_code")) throw error;
    }
  }
}

function checkClient(clientId: string | undefined): void {
  if (clientId === undefined) throw new OAuthError("invalid_request", "client_id is missing.");
  if (clientId !== deviceClientId) {
    throw new OAuthError("invalid_client", `Only the client ${deviceClientId} signs in this way.`);
  }
}

/** A device's name as one harmless line: the approval page shows it, and it becomes part of the token's name. */
function readHostname(given: string | undefined): string {
  const line = (given ?? "").normalize("NFC").replace(unprintable, "");
  return Array.from(line.trim()).slice(0, 64).join("");
}

/** A device's poll (section 3.4). Throws OAuthError until the sign-in is approved. */
export async function pollDeviceToken(
  app: App,
  input: DeviceTokenRequest,
  origin: Origin,
): Promise<DeviceTokenPayload> {
  if (input.grant_type === undefined) throw new OAuthError("invalid_request", "grant_type is missing.");
  if (input.grant_type !== deviceGrantType) {
    throw new OAuthError("unsupported_grant_type", `grant_type must be ${deviceGrantType}.`);
  }
  checkClient(input.client_id);
  if (input.device_code === undefined) throw new OAuthError("invalid_request", "device_code is missing.");

  const found = await app.storage.deviceCodes.findBySecret(hashSecret(input.device_code));
  if (!found) throw new OAuthError("invalid_grant", "This device code is unknown.");
  if (found.state === "redeemed") throw codeUsed();
  if (found.expiresAt <= app.now()) {
    throw new OAuthError("expired_token", "The code has expired: start the sign-in again.");
  }
  if (found.state === "pending") throw await noteWait(app, found);
  if (found.state === "denied") throw new OAuthError("access_denied", "The sign-in was denied.");
  return redeem(app, found, origin);
}

async function noteWait(app: App, found: DeviceCodeDoc): Promise<OAuthError> {
  const now = app.now();
  const before = await app.storage.deviceCodes.notePoll(found._id, now, pollRule);
  const leastMs = (before?.intervalSeconds ?? 0) * 1000 - pollRule.toleranceMs;
  if (before?.lastPolledAt && now.getTime() - before.lastPolledAt.getTime() < leastMs) {
    return new OAuthError(
      "slow_down",
      `Leave ${before.intervalSeconds + pollRule.penaltySeconds} s between two polls.`,
    );
  }
  return new OAuthError("authorization_pending", "The sign-in is not approved yet.");
}

/** Removes the addresses of expired codes, and codes that expired a day ago; returns how many codes were removed. */
export async function purgeDeviceCodes(app: App): Promise<number> {
  const now = app.now();
  const before = new Date(now.getTime() - lapsedCodeMs);
  let total = 0;
  for (;;) {
    const removed = await app.storage.deviceCodes.removeLapsed(now, before);
    if (removed === 0) return total;
    total += removed;
  }
}
