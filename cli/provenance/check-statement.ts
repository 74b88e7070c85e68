/** Checks the signed statement about a version: signature, time of the key, and the version that it is about. */
import { createPublicKey, verify, type JsonWebKey } from "node:crypto";
import type { AttestationsPayload, PublicKey } from "../../contract/payloads/skills/provenance.ts";
import {
  bundleType,
  payloadType,
  signedAtOf,
  signedBytes,
  statementType,
  type Statement,
} from "../../contract/provenance/statement.ts";

/** The version that the statement has to be about. `hash`: SHA-256 of its content as it is installed. */
export interface ExpectedVersion {
  publicId: string;
  version: number;
  semver: string;
  hash: string;
}

/** A statement that holds, or the reason why it does not. */
export type CheckedStatement = { statement: Statement } | { problem: string };

/** The clock of this machine is not used: times are those of the service. */
export function checkStatement(
  { attestations: [attestation] }: AttestationsPayload,
  keys: readonly PublicKey[],
  expected: ExpectedVersion,
): CheckedStatement {
  if (!attestation) return { problem: "has no signed statement about its origin" };
  const { mediaType, verificationMaterial, dsseEnvelope } = attestation.bundle;
  if (mediaType !== bundleType || dsseEnvelope.payloadType !== payloadType)
    return { problem: "has a statement in an unknown form: svc upgrade" };
  const kid = Buffer.from(verificationMaterial.publicKey.hint, "base64").toString("base64url");
  const key = keys.find((one) => one.kid === kid);
  if (!key) return { problem: "has a statement by a key that the service does not have" };
  if (key["svc:state"] === "revoked") return { problem: "has a statement by a key that was revoked" };
  const payload = Buffer.from(dsseEnvelope.payload, "base64");
  if (!isSignedBy(key, payload, dsseEnvelope.signatures[0]?.sig ?? ""))
    return { problem: "has a statement whose signature is wrong" };
  const statement = parseStatement(payload);
  const signedAt = statement && signedAtOf(statement);
  if (!statement || !signedAt) return { problem: "has a statement that can't be read" };
  const [notBefore, notAfter] = [key["svc:notBefore"], key["svc:notAfter"]];
  if (signedAt < new Date(notBefore) || (notAfter !== null && signedAt > new Date(notAfter)))
    return { problem: "has a statement that was not signed in the time of its key" };
  return isAbout(statement, expected)
    ? { statement }
    : { problem: "has a statement about another version or other content" };
}

function isSignedBy({ kty, crv, x, y }: PublicKey, payload: Buffer, signature: string): boolean {
  try {
    const jwk: JsonWebKey = { kty, crv, x, y };
    const key = createPublicKey({ key: jwk, format: "jwk" });
    return verify("sha256", signedBytes(payload), key, Buffer.from(signature, "base64"));
  } catch {
    return false;
  }
}

function parseStatement(payload: Buffer): Statement | undefined {
  try {
    const value = JSON.parse(payload.toString("utf8")) as Statement;
    return value._type === statementType && Array.isArray(value.subject) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The digest alone would not do: another version may have the same content. */
function isAbout({ subject }: Statement, { publicId, version, semver, hash }: ExpectedVersion): boolean {
  return subject.some(
    ({ name, digest, annotations }) =>
      digest["sha256"] === hash &&
      name.endsWith(`@${semver}`) &&
      annotations?.["publicId"] === publicId &&
      annotations["version"] === version,
  );
}
