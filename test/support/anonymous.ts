/** Anonymous identities as a program other than our client uses them: keys, signatures, signed calls. */
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import type { SharedPayload, RegisteredPayload } from "../../contract/payloads/skills/share.ts";
import type { SkillPayload } from "../../contract/payloads/skills/skills.ts";
import type { Answer, CallOptions, TestService } from "./service.ts";

export interface Identity {
  id: string;
  username: string;
  publicKey: string;
  privateKey: KeyObject;
}

/** Parts of a signed call that a test falsifies. */
export interface Forged {
  method?: string;
  path?: string;
  body?: string | Buffer;
  /** Seconds since 1970. */
  timestamp?: number | string;
  nonce?: string;
  keyId?: string;
  privateKey?: KeyObject;
  signature?: string;
}

const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");
export const newNonce = () => randomBytes(16).toString("base64url");

export function newKey(): { publicKey: string; privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  // Not as a JWK, whose export hangs in Node.js 20 if garbage is collected during it.
  const der = publicKey.export({ format: "der", type: "spki" });
  return { publicKey: der.subarray(-32).toString("base64url"), privateKey };
}

/** The headers of a signed call; `forged` values are signed in place of those sent. */
export function signatureOf(
  identity: Pick<Identity, "id" | "privateKey">,
  call: { method: string; path: string; body: string | Buffer; now: Date },
  forged: Forged = {},
): Record<string, string> {
  const timestamp = String(forged.timestamp ?? Math.round(call.now.getTime() / 1000));
  const nonce = forged.nonce ?? newNonce();
  const text = [
    forged.method ?? call.method,
    forged.path ?? call.path,
    sha256(forged.body ?? call.body),
    timestamp,
    nonce,
  ].join("\n");
  const signature = sign(null, Buffer.from(text), forged.privateKey ?? identity.privateKey);
  return {
    "x-svc-key": forged.keyId ?? identity.id,
    "x-svc-timestamp": timestamp,
    "x-svc-nonce": nonce,
    "x-svc-signature": forged.signature ?? signature.toString("base64url"),
  };
}

/** Registers a key; a new one by default. */
export async function register(
  service: TestService,
  key = newKey(),
  forged: Forged = {},
): Promise<Answer<RegisteredPayload>> {
  const path = "/api/auth/anonymous/register";
  const body = Buffer.from(key.publicKey, "base64url");
  const signed = signatureOf(
    { id: "", privateKey: key.privateKey },
    { method: "POST", path, body, now: service.app.now() },
    forged,
  );
  const { "x-svc-signature": signature, "x-svc-key": _key, ...headers } = signed;
  return service.call<RegisteredPayload>("POST", path, {
    headers,
    body: { publicKey: key.publicKey, signature },
  });
}

export async function newIdentity(service: TestService): Promise<Identity> {
  const key = newKey();
  const answer = await register(service, key);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return { ...key, id: answer.data.identity.id, username: answer.data.identity.username };
}

/** A signed call: JSON, or raw bytes. */
export function signedCall<T = Record<string, unknown>>(
  service: TestService,
  identity: Identity,
  method: string,
  path: string,
  options: CallOptions & { forged?: Forged } = {},
): Promise<Answer<T>> {
  const { forged, ...call } = options;
  const body = call.bytes ?? (call.body === undefined ? "" : JSON.stringify(call.body));
  const signed = signatureOf(identity, { method, path, body, now: service.app.now() }, forged);
  return service.call<T>(method, path, { ...call, headers: { ...signed, ...call.headers } });
}

export const share = (service: TestService, identity: Identity, body: unknown, forged: Forged = {}) =>
  signedCall<SharedPayload>(service, identity, "POST", "/api/share", { body, forged });

/** Stages a zip and returns its upload id. */
export async function stage(service: TestService, identity: Identity, zip: Buffer): Promise<string> {
  const announced = await signedCall<{ uploadId: string }>(service, identity, "POST", "/api/uploads", {
    body: { size: zip.length, sha256: sha256(zip) },
  });
  assert.equal(announced.status, 201, JSON.stringify(announced.body));
  const { uploadId } = announced.data;
  const sent = await signedCall(service, identity, "PUT", `/api/uploads/${uploadId}`, { bytes: zip });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  return uploadId;
}

/** Shares a text of this name. */
export async function shareText(service: TestService, by: Identity, name: string): Promise<SkillPayload> {
  const answer = await share(service, by, { name, content: `# ${name}\n` });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.data.skill;
}

export const listShares = async (service: TestService, by: Identity) =>
  (await signedCall<SkillPayload[]>(service, by, "GET", "/api/skills?limit=200")).data;

export const removeShare = (service: TestService, by: Identity, skill: SkillPayload) =>
  signedCall(service, by, "DELETE", `/api/skills/${skill.id}`);
