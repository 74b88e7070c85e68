/**
 * The keys that sign statements: ECDSA P-256, which every verifier of Sigstore bundles accepts. The newest key whose
 * time has begun signs. A new one is published before it signs, so that copies of the list of keys have it in time.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import type { PublicKey, SigningKeyPayload } from "../../../contract/payloads/skills/provenance.ts";
import type { SigningKeyDoc } from "../../../storage/provenance/signing-keys.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeEvent } from "../../audit/events.ts";
import { serviceLog } from "../../audit/fan-out.ts";
import { ServiceError } from "../../errors.ts";
import { perApp } from "../../per-app.ts";

/** Time for which copies of the list of keys are used. */
export const keysCacheSeconds = 300;
/** Time from the publication of a key until it signs. */
const leadMs = 2 * keysCacheSeconds * 1000;
/** Time for which a process uses the keys that it has read. */
const readMs = 60_000;

export interface Signer {
  id: string;
  privateKey: KeyObject;
}

type KeyState = SigningKeyPayload["state"];

interface KnownKeys {
  readAt: number;
  keys: SigningKeyDoc[];
  signers: Map<string, KeyObject>;
}
const knownKeys = perApp<KnownKeys>(() => ({ readAt: -Infinity, keys: [], signers: new Map() }));

/** The key that signs at this time; undefined if none is valid then, as with a clock that is wrong. */
export async function signerAt(app: App, at: Date): Promise<Signer | undefined> {
  const known = knownKeys(app);
  if (performance.now() - known.readAt > readMs || !choose(known.keys, at)) await read(app, known, at);
  const chosen = choose(known.keys, at);
  if (!chosen) return undefined;
  let privateKey = known.signers.get(chosen._id);
  if (!privateKey) {
    const key = Buffer.from(app.secrets.open(chosen.sealed!, sealedFor(chosen._id)), "base64");
    privateKey = createPrivateKey({ key, format: "der", type: "pkcs8" });
    known.signers.set(chosen._id, privateKey);
  }
  return { id: chosen._id, privateKey };
}

/** Keys that were read before may be gone, as after a restore. */
export function invalidateKeys(app: App): void {
  knownKeys(app).readAt = -Infinity;
}

async function read(app: App, known: KnownKeys, at: Date): Promise<void> {
  const { signingKeys } = app.storage;
  let keys = await signingKeys.list();
  if (keys.length === 0) {
    // One process makes the first key if several begin at once.
    await signingKeys.insertFirst(newKey(app, at));
    keys = await signingKeys.list();
  }
  known.keys = keys;
  known.signers.clear();
  known.readAt = performance.now();
}

const choose = (keys: readonly SigningKeyDoc[], at: Date): SigningKeyDoc | undefined =>
  keys.find(
    (key) => key.sealed && !key.revokedAt && key.notBefore <= at && (!key.notAfter || at <= key.notAfter),
  );

const sealedFor = (id: string) => `signing-key:${id}`;

function newKey(app: App, notBefore: Date): SigningKeyDoc {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const id = createHash("sha256").update(spki).digest("base64url");
  const secret = privateKey.export({ type: "pkcs8", format: "der" }).toString("base64");
  return {
    _id: id,
    publicKey: spki.toString("base64"),
    sealed: app.secrets.seal(secret, sealedFor(id)),
    notBefore,
    createdAt: app.now(),
  };
}

export function stateOf({ notBefore, notAfter, revokedAt }: SigningKeyDoc, at: Date): KeyState {
  if (revokedAt) return "revoked";
  if (notAfter && notAfter < at) return "retired";
  return notBefore > at ? "pending" : "active";
}

/** All keys, previous ones included. */
export async function listPublicKeys(app: App): Promise<PublicKey[]> {
  const now = app.now();
  return (await app.storage.signingKeys.list()).map((key) => {
    const { crv = "", x = "", y = "", kty = "" } = publicKeyOf(key).export({ format: "jwk" });
    return {
      kty,
      crv,
      x,
      y,
      kid: key._id,
      use: "sig",
      alg: "ES256",
      "svc:state": stateOf(key, now),
      "svc:notBefore": key.notBefore.toISOString(),
      "svc:notAfter": key.notAfter?.toISOString() ?? null,
    };
  });
}

/** A key in PEM; undefined for an unknown one. */
export async function findPem(app: App, id: string): Promise<string | undefined> {
  const key = (await app.storage.signingKeys.list()).find(({ _id }) => _id === id);
  return key && publicKeyOf(key).export({ type: "spki", format: "pem" }).toString();
}

const publicKeyOf = ({ publicKey }: SigningKeyDoc): KeyObject =>
  createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" });

export async function listKeys(app: App): Promise<SigningKeyPayload[]> {
  const now = app.now();
  return (await app.storage.signingKeys.list()).map((key) => ({
    id: key._id,
    state: stateOf(key, now),
    notBefore: key.notBefore.toISOString(),
    notAfter: key.notAfter?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    createdAt: key.createdAt.toISOString(),
  }));
}

/** Makes a key that signs from a few minutes on, when the current ones retire. */
export async function rotateSigningKey(app: App, actor: Actor, reason: string): Promise<SigningKeyPayload[]> {
  const { signingKeys } = app.storage;
  const now = app.now();
  const previous = (await signingKeys.list()).filter((key) => !key.revokedAt && !key.notAfter);
  if (previous.some(({ notBefore }) => notBefore > now))
    throw new ServiceError(
      "conflict",
      "A new key is already scheduled to sign within ten minutes: rotate again once it is active.",
    );
  await replaceKeys(app, actor, previous, { notBefore: new Date(now.getTime() + leadMs), reason });
  return listKeys(app);
}

async function replaceKeys(
  app: App,
  actor: Actor,
  previous: readonly SigningKeyDoc[],
  { notBefore, reason }: { notBefore: Date; reason: string },
): Promise<void> {
  const { signingKeys, attestations } = app.storage;
  const key = newKey(app, notBefore);
  const event = makeEvent(app, actor, "service.signing_key_rotated", {
    ...serviceLog,
    resourceType: "service",
    resourceId: key._id,
    metadata: { reason, notBefore: notBefore.toISOString() },
  });
  await signingKeys.insert(key, [event]);
  flushEvents(app, signingKeys, key._id, [event]);
  for (const { _id } of previous) {
    // The clock of a process may have been ahead: what was signed stays valid.
    const last = await attestations.findLastTime(_id);
    await signingKeys.retire([_id], last && last > notBefore ? last : notBefore);
  }
  invalidateKeys(app);
}

/** Ends the validity of all statements of a key: the reconcile job signs these versions again, with another key. */
export async function revokeSigningKey(
  app: App,
  actor: Actor,
  id: string,
  reason: string,
): Promise<SigningKeyPayload[]> {
  const { signingKeys } = app.storage;
  const now = app.now();
  const keys = await signingKeys.list();
  if (!keys.some(({ _id }) => _id === id))
    throw new ServiceError("not_found", "This service has no such key.");
  const event = makeEvent(app, actor, "service.signing_key_revoked", {
    ...serviceLog,
    resourceType: "service",
    resourceId: id,
    metadata: { reason },
  });
  if (!(await signingKeys.revoke(id, now, [event])))
    throw new ServiceError("conflict", "This key is revoked already.");
  flushEvents(app, signingKeys, id, [event]);
  const rest = keys.filter(({ _id }) => _id !== id);
  if (!choose(rest, now)) await replaceKeys(app, actor, [], { notBefore: now, reason });
  invalidateKeys(app);
  return listKeys(app);
}
