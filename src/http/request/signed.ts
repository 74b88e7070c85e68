/**
 * Signed calls as they arrive: four headers, and the digest of the raw body. Nothing in them is believed before
 * `authenticate` has checked the signature; the body is read only once it asks for its digest.
 */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";

export const signatureHeaders = {
  key: "x-svc-key",
  timestamp: "x-svc-timestamp",
  nonce: "x-svc-nonce",
  signature: "x-svc-signature",
} as const;

export interface SignedCall {
  /** Each as it was sent; empty where it was not. */
  keyId: string;
  timestamp: string;
  nonce: string;
  signature: string;
  method: string;
  /** Path and query as they were sent. */
  path: string;
  /** Hexadecimal SHA-256 of the body; undefined where it can't be known before the body is taken. */
  bodySha256(): Promise<string | undefined>;
}

/** The signature of a call; undefined for a call that claims none. */
export function readSignedCall(
  request: IncomingMessage,
  bodySha256: SignedCall["bodySha256"],
): SignedCall | undefined {
  const header = (name: string) => [request.headers[name] ?? ""].flat().join(", ");
  const { key, timestamp, nonce, signature } = signatureHeaders;
  if (header(key) === "" && header(signature) === "") return undefined;
  return {
    keyId: header(key),
    timestamp: header(timestamp),
    nonce: header(nonce),
    signature: header(signature),
    method: request.method ?? "",
    path: request.url ?? "",
    bodySha256,
  };
}

export const sha256Hex = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest("hex");
