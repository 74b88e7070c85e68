/**
 * Sign-in of a device without a browser (RFC 8628). The device asks for a code, a person approves it in a browser
 * where they are signed in, and the device's next poll turns it into a personal token, once.
 *
 * The token's record is the commit point: its id is chosen at approval, so of several polls one can insert it. A stop
 * before that leaves the code approved for the next poll; a stop after it, a code that counts as used.
 */
import { randomBytes } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { DeviceCodePayload, DeviceTokenPayload } from "../../contract/payloads.ts";
import { isDuplicate } from "../../storage/database.ts";
import type { DeviceCodeDoc } from "../../storage/device-codes.ts";
import type { Actor, Origin, UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent } from "../audit/events.ts";
import { ServiceError, forbidden } from "../errors.ts";
import type { RequestInfo } from "../http/route.ts";
import { hashSecret } from "../secrets.ts";
import { mintToken } from "../tokens/mint.ts";
import { loadUserActor, requireUser } from "../users/load.ts";
import type { DeviceCodeRequest, DeviceTokenRequest } from "./schema.ts";
import { newUserCode, readUserCode, showUserCode } from "./user-code.ts";

const deviceClientId = "svc-cli";
export const deviceGrantType = "urn:ietf:params:oauth:grant-type:device_code";

/** Section 3.5: what a poll that came too soon adds to the interval, less what a network may shift two polls. */
const pollRule = { penaltySeconds: 5, toleranceMs: 500 };
/** How long a lapsed code is told apart from one that never was. */
const lapsedCodeMs = 24 * 60 * 60_000;

/** An error of RFC 6749, section 5.2, or RFC 8628, section 3.5. */
export class DeviceError extends Error {
  readonly code: string;

  constructor(code: string, description: string) {
    super(description);
    this.name = "DeviceError";
    this.code = code;
  }
}

/** Starts a sign-in (section 3.1). Throws DeviceError. */
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
    ...(hostname === "" ? {} : { hostname }),
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
  if (clientId === undefined) throw new DeviceError("invalid_request", "client_id is missing.");
  if (clientId !== deviceClientId) {
    throw new DeviceError("invalid_client", `Only the client ${deviceClientId} signs in this way.`);
  }
}

/** A machine's name as one harmless line: it is shown to whoever decides, and becomes part of the token's name. */
function readHostname(given: string | undefined): string {
  const line = (given ?? "").normalize("NFC").replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "");
  return Array.from(line.trim()).slice(0, 64).join("");
}

/** A device's poll (section 3.4). Throws DeviceError while there is no token to give. */
export async function pollDeviceToken(
  app: App,
  input: DeviceTokenRequest,
  origin: Origin,
): Promise<DeviceTokenPayload> {
  if (input.grant_type === undefined) throw new DeviceError("invalid_request", "grant_type is missing.");
  if (input.grant_type !== deviceGrantType) {
    throw new DeviceError("unsupported_grant_type", `grant_type must be ${deviceGrantType}.`);
  }
  checkClient(input.client_id);
  if (input.device_code === undefined) throw new DeviceError("invalid_request", "device_code is missing.");

  const found = await app.storage.deviceCodes.findBySecret(hashSecret(input.device_code));
  if (!found) throw new DeviceError("invalid_grant", "This device code is unknown.");
  if (found.state === "redeemed") throw used();
  if (found.expiresAt <= app.now()) {
    throw new DeviceError("expired_token", "The code has expired: start the sign-in again.");
  }
  if (found.state === "pending") throw await noteWait(app, found);
  if (found.state === "denied") throw new DeviceError("access_denied", "The sign-in was denied.");
  return redeem(app, found, origin);
}

function used(): DeviceError {
  return new DeviceError("expired_token", "The code was used already: start the sign-in again.");
}

async function noteWait(app: App, found: DeviceCodeDoc): Promise<DeviceError> {
  const now = app.now();
  const before = await app.storage.deviceCodes.notePoll(found._id, now, pollRule);
  const leastMs = (before?.intervalSeconds ?? 0) * 1000 - pollRule.toleranceMs;
  if (before?.lastPolledAt && now.getTime() - before.lastPolledAt.getTime() < leastMs) {
    return new DeviceError(
      "slow_down",
      `Leave ${before.intervalSeconds + pollRule.penaltySeconds} s between two polls.`,
    );
  }
  return new DeviceError("authorization_pending", "Nobody has decided yet.");
}

async function redeem(app: App, code: DeviceCodeDoc, origin: Origin): Promise<DeviceTokenPayload> {
  const { userId, tokenId } = code as Required<Pick<DeviceCodeDoc, "userId" | "tokenId">>;
  const via = { kind: "token", tokenId, limits: {} } as const;
  const actor = await loadUserActor(app, userId, via, { ...origin, source: "cli", client: "cli" });
  if (!actor) throw new DeviceError("invalid_grant", "The account that approved this no longer exists.");

  const name = code.hostname ? `svc CLI on ${code.hostname}` : "svc CLI";
  const subject = { resourceType: "token", resourceId: tokenId, metadata: { name } } as const;
  const events = [
    makeEvent(app, actor, "user.token_created", subject),
    makeEvent(app, actor, "user.cli_login", subject),
  ];
  try {
    const { secret } = await mintToken(app, { _id: tokenId, userId, name, createdAt: app.now() }, events);
    app.background("mark a device code as used", () => app.storage.deviceCodes.markRedeemed(code._id));
    return { access_token: secret, token_type: "Bearer" };
  } catch (error) {
    if (isDuplicate(error, "_id_")) throw used();
    if (!(error instanceof ServiceError) || error.code !== "limit_reached") throw error;
    // The last place may be taken by this very token, made by a poll beside this one.
    if (await app.storage.tokens.find(tokenId, { userId })) throw used();
    // The code stays approved: once a place is free, the same sign-in can go on.
    throw new DeviceError("limit_reached", error.message);
  }
}

/** What the approval page shows of a pending sign-in. */
export interface PendingDevice {
  userCode: string;
  hostname: string | undefined;
  address: string | undefined;
  expiresAt: Date;
}

/** A pending sign-in by the code that a signed-in person typed. Throws `not_found` or `rate_limited`. */
export async function findPendingDevice(app: App, actor: Actor, typed: string): Promise<PendingDevice> {
  const userCode = await readGuess(app, requireBrowser(actor), typed);
  const found = await app.storage.deviceCodes.findPending(userCode, app.now());
  if (!found) throw unknownCode(typed);
  return {
    userCode: showUserCode(found.userCode),
    hostname: found.hostname,
    address: found.sealedAddress && app.secrets.open(found.sealedAddress, found._id),
    expiresAt: found.expiresAt,
  };
}

/** Approves or denies a pending sign-in, once and for all. Throws `not_found` or `rate_limited`. */
export async function decideDevice(app: App, actor: Actor, typed: string, approve: boolean): Promise<void> {
  const user = requireBrowser(actor);
  const userCode = await readGuess(app, user, typed);
  const decided = await app.storage.deviceCodes.decide(
    userCode,
    approve ? { state: "approved", userId: user.userId, tokenId: app.newId() } : { state: "denied" },
    app.now(),
  );
  if (!decided) throw unknownCode(typed);
}

/** A token must not approve devices: that would let it make others that outlive it. */
function requireBrowser(actor: Actor): UserActor {
  const user = requireUser(actor);
  if (user.via.kind === "session") return user;
  throw forbidden("A device is approved in a browser session, not with an API token.");
}

/** Codes are short because people type them, so guessing is bounded (section 5.1), per account and per address. */
async function readGuess(app: App, user: UserActor, typed: string): Promise<string> {
  await app.rateLimits.consume("sign-in", `user-code:${user.userId}`);
  await app.rateLimits.consume("sign-in", `user-code:${user.origin.ipHash ?? "unknown"}`);
  const userCode = readUserCode(typed);
  if (userCode === undefined) throw unknownCode(typed);
  return userCode;
}

function unknownCode(typed: string): ServiceError {
  const shown = typed.slice(0, 40);
  const hint = "codes last 10 minutes and are decided once. Start the sign-in again.";
  return new ServiceError("not_found", `No sign-in waits for the code "${shown}": ${hint}`, { ref: shown });
}

/** Forgets the addresses of lapsed codes, and codes that lapsed a day ago; answers how many codes went. */
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
