/** Calls signed by an Ed25519 key, as the service checks them (`docs/reference/share.md`). */
import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { CliError } from "../errors.ts";
import type { AnonymousKey } from "../state/config.ts";
import { type Client, registrationPath } from "./client.ts";
import type { Signer } from "./http.ts";

/** Encoded as DER, since the export as a JWK hangs in Node.js 20 if garbage is collected during it. */
export function newKey(): AnonymousKey {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { format: "der", type: "spki" },
    privateKeyEncoding: { format: "der", type: "pkcs8" },
  });
  return { publicKey: keyIn(publicKey), privateKey: keyIn(privateKey) };
}

/** The key itself, with which both encodings end (RFC 8410). */
const keyIn = (der: Buffer) => der.subarray(-32).toString("base64url");

export function signerFor(key: AnonymousKey & { id: string }, now: () => Date): Signer {
  return ({ method, path, body, bodySha256 }) => ({
    "x-svc-key": key.id,
    ...signatureOf(key, now(), { method, path, sha256: bodySha256 ?? sha256(body) }),
  });
}

/** Registers the key, or looks up its registration, and returns the identity's id. */
export async function registerKey(client: Client, key: AnonymousKey, now: Date): Promise<string> {
  const { "x-svc-signature": signature, ...stamp } = signatureOf(key, now, {
    method: "POST",
    path: registrationPath,
    sha256: sha256(Buffer.from(key.publicKey, "base64url")),
  });
  const { identity } = await client.registerKey({ publicKey: key.publicKey, signature }, stamp);
  // It is stored, and sent in a header of every call.
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(identity.id))
    throw new CliError("E_NETWORK", `${client.options.baseUrl} does not respond like a skill registry.`);
  return identity.id;
}

function signatureOf(
  { publicKey, privateKey }: AnonymousKey,
  now: Date,
  call: { method: string; path: string; sha256: string },
) {
  const timestamp = String(Math.round(now.getTime() / 1000));
  const nonce = randomBytes(18).toString("base64url");
  const key = createPrivateKey({
    key: { kty: "OKP", crv: "Ed25519", x: publicKey, d: privateKey },
    format: "jwk",
  });
  const text = [call.method, call.path, call.sha256, timestamp, nonce].join("\n");
  return {
    "x-svc-timestamp": timestamp,
    "x-svc-nonce": nonce,
    "x-svc-signature": sign(null, Buffer.from(text), key).toString("base64url"),
  };
}

const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");
