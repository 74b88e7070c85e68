/**
 * Secrets at rest and keyed hashes. A sealed value is `v1.<key id>.<iv>.<ciphertext>.<tag>` (base64url), AES-256-GCM
 * with the record's id as associated data, so that a value copied into another record does not open.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface Secrets {
  seal(plain: string, recordId: string): string;
  /** Throws if the key is unknown, or the value was altered or sealed for another record. */
  open(sealed: string, recordId: string): string;
  /** Id and fingerprint of each key, the current one first. */
  keys: readonly { id: string; fingerprint: string }[];
  /** The keys of a purpose, the current one first, in base64: for signatures that outlast the keys of the ring. */
  signingKeys(purpose: string): string[];
  /** Id of the key that seals now. */
  currentKeyId: string;
  /** A pseudonym of a network address: HMAC-SHA256, hexadecimal; the address is not recoverable from it. */
  anonymize(address: string): string;
  /** HMAC-SHA256 of a text, base64url, by a key of its own for each purpose. Made with the current key. */
  sign(purpose: string, text: string): string;
  /** The signatures that the keys of the ring make, that of the current one first. */
  signatures(purpose: string, text: string): string[];
  /** Whether any key of the ring made this signature. Takes the same time for every wrong one. */
  verifySignature(purpose: string, text: string, signature: string): boolean;
}

/** Opens the key ring: from `SECRET_KEYS`, else from a file that is made once with mode 0600. */
export function openSecrets(options: {
  keys: string | undefined;
  dataDir: string;
  /** Whether the keys may be created: not if the database has secrets already. */
  mayCreate?: boolean;
}): Secrets {
  const file = path.join(options.dataDir, "secrets");
  const ring =
    options.keys === undefined
      ? parseRing(keysOfFile(file, options.mayCreate ?? true), `file ${file}`)
      : parseRing(options.keys, "variable SECRET_KEYS");
  const [currentId, current] = [...ring][0]!;
  // The oldest key names addresses, so that a rotation does not cut a visitor in two.
  const addressKey = Buffer.from(
    hkdfSync("sha256", [...ring.values()].at(-1)!, "", "address pseudonyms", 32),
  );

  return {
    seal: (plain, recordId) => `v1.${currentId}.${encryptText(current, plain, recordId)}`,
    open(sealed, recordId) {
      const [form, id = "", ...parts] = sealed.split(".");
      const key = ring.get(id);
      if (form !== "v1" || !key) throw new Error("a sealed value has an unknown form or key");
      return decryptText(key, parts.join("."), recordId);
    },
    keys: [...ring].map(([id, key]) => ({ id, fingerprint: derived(key, "fingerprint of a key") })),
    signingKeys: (purpose) => [...ring.values()].map((key) => derived(key, `signature: ${purpose}`)),
    currentKeyId: currentId,
    anonymize: (address) => createHmac("sha256", addressKey).update(address).digest("hex"),
    sign: (purpose, text) => signature(current, purpose, text),
    signatures: (purpose, text) => [...ring.values()].map((key) => signature(key, purpose, text)),
    verifySignature(purpose, text, given) {
      let isOurs = false;
      for (const key of ring.values()) isOurs = equalSecrets(signature(key, purpose, text), given) || isOurs;
      return isOurs;
    },
  };
}

/** AES-256-GCM with a fresh iv, as `<iv>.<ciphertext>.<tag>` in base64url. */
export function encryptText(key: Buffer, plain: string, associated: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: 16 });
  cipher.setAAD(Buffer.from(associated));
  const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return [iv, text, cipher.getAuthTag()].map((part) => part.toString("base64url")).join(".");
}

/** Throws if the value was altered, or encrypted by another key or for other associated data. */
export function decryptText(key: Buffer, encrypted: string, associated: string): string {
  const [iv, text, tag] = encrypted.split(".").map((part) => Buffer.from(part, "base64url"));
  if (!iv || !text || !tag) throw new Error("an encrypted value has an unknown form");
  const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: 16 });
  decipher.setAAD(Buffer.from(associated)).setAuthTag(tag);
  return Buffer.concat([decipher.update(text), decipher.final()]).toString("utf8");
}

/** The key that seals must not be the one that signs, nor one purpose's key another's (RFC 5869, section 3.2). */
function signature(key: Buffer, purpose: string, text: string): string {
  return signatureBy(derived(key, `signature: ${purpose}`), text);
}

/** A signature by a key of `signingKeys`. */
export function signatureBy(signingKey: string, text: string): string {
  return createHmac("sha256", Buffer.from(signingKey, "base64")).update(text).digest("base64url");
}

const derived = (key: Buffer, label: string) =>
  Buffer.from(hkdfSync("sha256", key, "", label, 32)).toString("base64");

/** A truncated key would barely pseudonymize addresses, so it is rejected. */
function parseRing(text: string, place: string): Map<string, Buffer> {
  return new Map(
    text.split(",").map((pair) => {
      const at = pair.indexOf(":");
      const key = Buffer.from(pair.slice(at + 1), "base64");
      if (at < 1 || key.length !== 32)
        throw new Error(
          `The ${place} does not hold keys of 32 bytes as id:base64: restore it from a backup.`,
        );
      return [pair.slice(0, at), key];
    }),
  );
}

function keysOfFile(file: string, mayCreate: boolean): string {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  if (!mayCreate)
    throw new Error(
      `The file ${file} is missing, and this database was used with its keys: copy it from the other processes or ` +
        "from the backup, or set SECRET_KEYS to its content.",
    );
  const part = `${file}.${randomBytes(6).toString("hex")}.part`;
  try {
    // Whole and on disk before it has its name. Of two processes that start at once, the one that names it decides.
    writeFileSync(part, `k1:${randomBytes(32).toString("base64")}`, { flag: "wx", mode: 0o600, flush: true });
    linkSync(part, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(part, { force: true });
  }
  return readFileSync(file, "utf8").trim();
}

/** SHA-256 of a random secret, hexadecimal: what is stored in its place. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Compares two strings without telling by time where they differ. */
export function equalSecrets(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(left!, right!);
}
