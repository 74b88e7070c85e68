/**
 * Anonymous identities: a key is registered with a proof of possession, and calls that it signs act as its identity.
 * Nothing else is known about the holder of the key.
 *
 * The signed text is `method \n path \n sha256(body) \n timestamp \n nonce`, so a signature is valid for one call, at
 * one time, once.
 */
import { customAlphabet } from "nanoid";
import { limits } from "../../../contract/limits.ts";
import { anonymousNames } from "../../../contract/vocabulary.ts";
import type { AnonymousIdentity } from "../../../storage/credentials/anonymous-identities.ts";
import { isDuplicate, isId } from "../../../storage/database.ts";
import { outboxFields } from "../../../storage/outbox.ts";
import type { AnonymousKeyActor, Origin } from "../../access/actor.ts";
import { anonymousKeyPermissions } from "../../access/permissions.ts";
import type { App } from "../../app.ts";
import { makeEvent, flushEvents } from "../../audit/events.ts";
import { ServiceError, invalidRequest } from "../../errors.ts";
import { sha256Hex, signatureHeaders, type SignedCall } from "../../http/request/signed.ts";
import type { RequestInfo } from "../../http/route.ts";
import type { RegisterIdentity } from "../schema.ts";
import { isSafeKey, isSignedBy, readBase64 } from "./ed25519.ts";

export const registrationPath = "/api/auth/anonymous/register";

const newName = customAlphabet(anonymousNames.letters, anonymousNames.length);
/** Nonces are kept longer than the window, since the clocks of several processes differ. */
const nonceMarginMs = 60_000;

/** Reason for which a signature is not accepted, sent to clients as `details.reason`. */
type Fault = "malformed" | "clock" | "unknown_key" | "signature" | "replayed";

function refuse(reason: Fault, message: string, details: Record<string, unknown> = {}): ServiceError {
  return new ServiceError("unauthenticated", message, { reason, ...details });
}

interface Stamp {
  timestamp: string;
  nonce: string;
  signature: string;
}

/** The identity that signed a call. Throws `unauthenticated` if the signature is not accepted. */
export async function byAnonymousKey(app: App, call: SignedCall, origin: Origin): Promise<AnonymousKeyActor> {
  checkStamp(app, call);
  const identity = isId(call.keyId) ? await app.storage.anonymousIdentities.find(call.keyId) : null;
  if (!identity) throw refuse("unknown_key", "The key that signed this call is not known here: register it.");
  const bodySha256 = await call.bodySha256();
  const key = Buffer.from(identity.publicKey, "base64url");
  await checkSignature(app, call, { key, about: bodySha256, method: call.method, path: call.path });
  return actorOf(identity, origin);
}

/**
 * Creates the identity of a key, or finds the existing one. The body can't contain a digest of itself, so the SHA-256
 * of the key takes its place in the signed text. Throws `invalid_request`, `refused` for an unsafe key, or
 * `unauthenticated`.
 */
export async function registerIdentity(
  app: App,
  input: RegisterIdentity,
  origin: Origin,
  request: RequestInfo,
): Promise<AnonymousIdentity> {
  const key = readBase64(input.publicKey, 32);
  if (!key) throw invalidRequest('"publicKey" must be the 32 bytes of an Ed25519 key in base64url.');
  if (!isSafeKey(key))
    throw new ServiceError("refused", "This key is of small order or oddly written, so it proves nothing.");
  const stamp = {
    timestamp: request.header(signatureHeaders.timestamp),
    nonce: request.header(signatureHeaders.nonce),
    signature: input.signature,
  };
  checkStamp(app, stamp);
  await checkSignature(app, stamp, { key, about: sha256Hex(key), method: "POST", path: registrationPath });
  const publicKey = key.toString("base64url");
  return (
    (await app.storage.anonymousIdentities.touch(publicKey, app.now())) ??
    (await insertIdentity(app, publicKey, origin))
  );
}

async function insertIdentity(app: App, publicKey: string, origin: Origin): Promise<AnonymousIdentity> {
  const { anonymousIdentities, tenants } = app.storage;
  for (;;) {
    const now = app.now();
    const username = `${anonymousNames.prefix}${newName()}`;
    // Organizations of an earlier time may have such a name.
    if (await tenants.findBySlug(username)) continue;
    const identity = { _id: app.newId(), publicKey, username, shares: [] };
    const event = makeEvent(app, actorOf(identity, origin), "user.anonymous_registered", {
      tenantId: identity._id,
      resourceType: "user",
      resourceId: identity._id,
      metadata: { username },
    });
    try {
      await anonymousIdentities.insert({
        ...identity,
        idleSince: now,
        createdAt: now,
        ...outboxFields([event]),
      });
    } catch (error) {
      if (isDuplicate(error, "identity_username")) continue;
      const winner = isDuplicate(error, "identity_key") && (await anonymousIdentities.findByKey(publicKey));
      if (winner) return winner;
      throw error;
    }
    flushEvents(app, anonymousIdentities, identity._id, [event]);
    return identity;
  }
}

/** Checks format and time, which needs no look-up. */
function checkStamp(app: App, { timestamp, nonce, signature }: Stamp): void {
  const { key, ...others } = signatureHeaders;
  if (!/^[0-9]{1,11}$/.test(timestamp) || !/^[A-Za-z0-9_-]{16,64}$/.test(nonce) || signature === "")
    throw refuse("malformed", `A signed call has ${key}, ${Object.values(others).join(", ")}, each once.`);
  const seconds = Math.round(app.now().getTime() / 1000);
  const offSeconds = Number(timestamp) - seconds;
  if (Math.abs(offSeconds) * 1000 <= limits.signatureWindowMs) return;
  const offset = `${Math.abs(offSeconds)} s ${offSeconds < 0 ? "behind" : "ahead of"}`;
  throw refuse(
    "clock",
    `This call was signed by a clock that is ${offset} the server's: correct the clock.`,
    {
      serverTime: seconds,
    },
  );
}

/** Checks the signature first, so that no caller can use up the nonces of others; then claims the nonce. */
async function checkSignature(
  app: App,
  { timestamp, nonce, signature }: Stamp,
  { key, about, method, path }: { key: Buffer; about: string | undefined; method: string; path: string },
): Promise<void> {
  const bytes = readBase64(signature, 64);
  const text = [method, path, about, timestamp, nonce].join("\n");
  if (!bytes || about === undefined || !isSignedBy(key, text, bytes))
    throw refuse("signature", "The signature does not fit this call.");
  const expiresAt = new Date(Number(timestamp) * 1000 + limits.signatureWindowMs + nonceMarginMs);
  const id = `${key.toString("base64url")}:${nonce}`;
  if (!(await app.storage.signatureNonces.claim(id, expiresAt)))
    throw refuse("replayed", "This signed call was made before: sign it again with another nonce.");
}

function actorOf(identity: Pick<AnonymousIdentity, "_id" | "username">, origin: Origin): AnonymousKeyActor {
  return {
    kind: "anonymous-key",
    identityId: identity._id,
    username: identity.username,
    memberships: [
      {
        tenantId: identity._id,
        tenantSlug: identity.username,
        tenantName: identity.username,
        role: "anonymous",
        teamIds: [],
        permissions: anonymousKeyPermissions,
      },
    ],
    origin,
  };
}

/** Removes nonces whose signatures have expired, and identities that have not shared anything for a long time. */
export async function purgeAnonymous(app: App): Promise<void> {
  const now = app.now();
  await app.storage.signatureNonces.removeExpired(now);
  const before = new Date(now.getTime() - limits.idleIdentityMs);
  while ((await app.storage.anonymousIdentities.removeIdle(before)) > 0);
}
