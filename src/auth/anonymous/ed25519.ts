/** Ed25519 keys and signatures (RFC 8032). Keys under which a signature proves nothing are refused. */
import { createPublicKey, verify, type KeyObject } from "node:crypto";

/** A SubjectPublicKeyInfo up to the key itself (RFC 8410, section 4). */
const spkiHead = Buffer.from("302a300506032b6570032100", "hex");
/** The field's prime, 2^255 - 19. */
const prime = 2n ** 255n - 19n;

/**
 * Second coordinates of the eight points of small order. Under such a key one signature fits many messages, so it would
 * prove nothing. The first coordinate is encoded as a sign only, so that five numbers cover all eight points.
 */
const smallOrder = new Set([
  0n,
  1n,
  prime - 1n,
  littleEndian(Buffer.from("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "hex")),
  littleEndian(Buffer.from("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", "hex")),
]);

/** Decodes base64 or base64url, padded or not; undefined unless it is the canonical encoding of that many bytes. */
export function readBase64(text: string, bytes: number): Buffer | undefined {
  const plain = text
    .replace(/={1,2}$/, "")
    .replaceAll("+", "-")
    .replaceAll("/", "_");
  if (!/^[A-Za-z0-9_-]+$/.test(plain)) return undefined;
  const decoded = Buffer.from(plain, "base64url");
  return decoded.length === bytes && decoded.toString("base64url") === plain ? decoded : undefined;
}

/** Whether a key of 32 bytes can identify its holder: a canonically encoded coordinate that is not of small order. */
export function isSafeKey(key: Buffer): boolean {
  const coordinate = Buffer.from(key);
  coordinate[31]! &= 0x7f;
  const y = littleEndian(coordinate);
  return y < prime && !smallOrder.has(y);
}

/** Whether the key's owner signed the text. False for any fault of key or signature. */
export function isSignedBy(key: Buffer, text: string, signature: Buffer): boolean {
  let publicKey: KeyObject;
  try {
    publicKey = createPublicKey({ key: Buffer.concat([spkiHead, key]), format: "der", type: "spki" });
  } catch {
    return false;
  }
  return verify(null, Buffer.from(text), publicKey, signature);
}

function littleEndian(bytes: Buffer): bigint {
  return BigInt(`0x${Buffer.from(bytes.toReversed()).toString("hex")}`);
}
