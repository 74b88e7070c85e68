/**
 * Sign-in of a device without a browser (RFC 8628). The device asks for a code, a person approves it in a browser
 * where they are signed in, and the device's next poll turns it into a personal token, once.
 *
 * The token's record is the commit point: its id is chosen at approval, so of several polls one can insert it. A crash
 * before that leaves the code approved for the next poll; a crash after it leaves a code that counts as used.
 */
import { randomBytes } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import type { DeviceCodePayload, DeviceTokenPayload } from "../../contract/payloads/devices.ts";
import { isDuplicate } from "../../storage/database.ts";
import type { DeviceCodeDoc } from "../../storage/device-codes.ts";
import type { Actor, Origin, UserActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent, flushEvents } from "../audit/events.ts";
import { ServiceError, forbidden } from "../errors.ts";
import type { RequestInfo } from "../http/route.ts";
import { hashSecret } from "../secrets.ts";
import { withNotice } from "../mail/notice.ts";
import { mintToken } from "../tokens/mint.ts";
import { loadUserActor, requireUser } from "../users/load.ts";
import type { DeviceCodeRequest, DeviceTokenRequest } from "./schema.ts";
import { newUserCode, readUserCode, showUserCode } from "./user-code.ts";

const deviceClientId = "svc-cli";
export const deviceGrantType = "urn:ietf:params:oauth:grant-type:device_code";

/** Section 3.5: seconds that an early poll adds to the interval, and the tolerance for network delays between polls. */
const pollRule = { penaltySeconds: 5, toleranceMs: 500 };
/** How long an expired code is distinguished from an unknown one. */
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
  if (clientId === undefined) throw new DeviceError("invalid_request", "client_id is missing.");
  if (clientId !== deviceClientId) {
    throw new DeviceError("invalid_client", `Only the client ${deviceClientId} signs in this way.`);
  }
}

/** A device's name as one harmless line: the approval page shows it, and it becomes part of the token's name. */
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
  return new DeviceError("authorization_pending", "The sign-in is not approved yet.");
}

async function redeem(app: App, code: DeviceCodeDoc, origin: Origin): Promise<DeviceTokenPayload> {
  const { userId, tokenId } = code as Required<Pick<DeviceCodeDoc, "userId" | "tokenId">>;
  const approved = code.epochs ?? { session: 0, token: 0 };
  const via = { kind: "token", tokenId, limits: {} } as const;
  const actor = await loadUserActor(app, userId, via, { ...origin, source: "cli", client: "cli" });
  if (!actor) throw new DeviceError("invalid_grant", "The account that approved this no longer exists.");
  if (actor.epochs?.session !== approved.session) {
    const message =
      "The sessions of the account that approved this have ended since: start the sign-in again.";
    throw new DeviceError("invalid_grant", message);
  }

  const name = code.hostname ? `svc CLI on ${code.hostname}` : "svc CLI";
  const subject = { resourceType: "token", resourceId: tokenId, metadata: { name } } as const;
  const events = [
    makeEvent(app, actor, "user.token_created", subject),
    makeEvent(app, actor, "user.cli_login", subject),
  ];
  try {
    await replaceLogins(app, actor, code);
    const now = app.now();
    const login = {
      _id: tokenId,
      userId,
      name,
      epoch: approved.token,
      login: code.machine === undefined ? {} : { machine: code.machine },
      createdAt: now,
      expiresAt: new Date(now.getTime() + limits.deviceLoginMs),
    };
    const { secret } = await withNotice(app, userId, (notice) =>
      mintToken(app, { ...login, ...notice }, events),
    );
    app.background("mark a device code as used", () => app.storage.deviceCodes.markRedeemed(code._id));
    return { access_token: secret, token_type: "Bearer" };
  } catch (error) {
    if (isDuplicate(error, "_id_")) throw used();
    if (!(error instanceof ServiceError) || error.code !== "limit_reached") throw error;
    // The last slot may be used by this very token, created by a concurrent poll.
    if (await app.storage.tokens.find(tokenId, { userId })) throw used();
    // The code stays approved: once a slot is free, the same sign-in can continue.
    throw new DeviceError("limit_reached", error.message);
  }
}

/**
 * Revokes the approver's earlier logins of the same machine, so that logging in again uses no further token slot. It is
 * done before the new token exists: a crash between the two leaves the code approved for the next poll. Logins that
 * were made after the code was asked for stay, among them the one that a concurrent poll makes of this code.
 */
async function replaceLogins(app: App, approver: UserActor, code: DeviceCodeDoc): Promise<void> {
  if (code.machine === undefined) return;
  const { tokens } = app.storage;
  const { userId } = approver;
  for (const { _id, name } of await tokens.listOfMachine(userId, code.machine, code.createdAt)) {
    const metadata = { name, by: "login of the same machine" };
    const subject = { resourceType: "token", resourceId: _id, metadata } as const;
    const event = makeEvent(app, approver, "user.token_deleted", subject);
    if (await tokens.revoke(_id, { userId }, app.now(), [event])) flushEvents(app, tokens, _id, [event]);
  }
}

/** A pending sign-in as the approval page shows it. */
export interface PendingDevice {
  userCode: string;
  hostname: string | undefined;
  address: string | undefined;
  expiresAt: Date;
}

/** A pending sign-in by the code that a signed-in person typed. Throws `not_found` or `rate_limited`. */
export async function findPendingDevice(app: App, actor: Actor, typed: string): Promise<PendingDevice> {
  const user = requireBrowser(actor);
  const userCode = await readGuess(app, user, typed);
  const found = await app.storage.deviceCodes.findPending(userCode, app.now());
  if (!found) throw unknownCode(typed);
  await app.rateLimits.refund(...guessOf(user));
  return {
    userCode: showUserCode(found.userCode),
    hostname: found.hostname,
    address: found.sealedAddress && app.secrets.open(found.sealedAddress, found._id),
    expiresAt: found.expiresAt,
  };
}

/**
 * Approves or denies a pending sign-in, once. An approval holds the epochs of the session that made it: it is refused
 * when all sessions were ended before the device collects its token. Throws `not_found` or `rate_limited`.
 */
export async function decideDevice(app: App, actor: Actor, typed: string, approve: boolean): Promise<void> {
  const user = requireBrowser(actor);
  const userCode = await readGuess(app, user, typed);
  const decided = await app.storage.deviceCodes.decide(
    userCode,
    approve ? approvalBy(app, user) : { state: "denied" },
    app.now(),
  );
  if (!decided) throw unknownCode(typed);
  await app.rateLimits.refund(...guessOf(user));
}

function approvalBy(app: App, { userId, epochs = { session: 0, token: 0 } }: UserActor) {
  return { state: "approved", userId, tokenId: app.newId(), epochs } as const;
}

/** A token must not approve devices: that would let it make others that outlive it. */
function requireBrowser(actor: Actor): UserActor {
  const user = requireUser(actor);
  if (user.via.kind === "session") return user;
  throw forbidden("A device is approved in a browser session, not with an API token.");
}

const guessOf = (user: UserActor) => ["sign-in", `user-code:${user.userId}`] as const;

/**
 * Codes are short because people type them, so wrong codes are limited (section 5.1), per account: a limit per address
 * would let one person block the sign-ins of all users of the same network.
 */
async function readGuess(app: App, user: UserActor, typed: string): Promise<string> {
  await app.rateLimits.consume(...guessOf(user));
  const userCode = readUserCode(typed);
  if (userCode === undefined) throw unknownCode(typed);
  return userCode;
}

function unknownCode(typed: string): ServiceError {
  const shown = typed.slice(0, 40);
  const hint = "codes last 10 minutes and are decided once. Start the sign-in again.";
  return new ServiceError("not_found", `No sign-in waits for the code "${shown}": ${hint}`, { ref: shown });
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
