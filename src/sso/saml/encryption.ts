/**
 * Decryption of assertions (XML Encryption 1.1). The library opens the key, which needs RSA-OAEP with two digests; the
 * content is AES. A failure says only what the response itself shows: whether a key, a padding or a tag was wrong is
 * the same error.
 */
import { createDecipheriv, type CipherGCMTypes } from "node:crypto";
import { decryptKeyInfo } from "xml-encryption";
import { sizeText } from "../../../contract/text/size-text.ts";
import { assertionNs, encryptionNs } from "./names.ts";
import { shown } from "./response-checks.ts";
import { childrenOf, descendantsOf, textOf, type XmlElement } from "./xml.ts";

/** An assertion that can't be decrypted. Its message is for owners. */
export class DecryptionFailed extends Error {}

interface ContentCipher {
  name: string;
  keyBytes: number;
  isGcm: boolean;
}

const cbc = (bits: number): [string, ContentCipher] => [
  `http://www.w3.org/2001/04/xmlenc#aes${bits}-cbc`,
  { name: `aes-${bits}-cbc`, keyBytes: bits / 8, isGcm: false },
];
const gcm = (bits: number): [string, ContentCipher] => [
  `http://www.w3.org/2009/xmlenc11#aes${bits}-gcm`,
  { name: `aes-${bits}-gcm`, keyBytes: bits / 8, isGcm: true },
];
const contentCiphers = new Map([gcm(128), gcm(192), gcm(256), cbc(128), cbc(192), cbc(256)]);

/** RSA 1.5 lets an attacker decrypt by many attempts, and is refused. */
const keyMethods = new Set([
  "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
  "http://www.w3.org/2009/xmlenc11#rsa-oaep",
]);
/** Digests of RSA-OAEP that the library reads; some providers write those of SHA-2 with the older address. */
const oaepDigests = new Set([
  "http://www.w3.org/2000/09/xmldsig#sha1",
  ...["2001/04/xmlenc", "2000/09/xmldsig"].flatMap((path) =>
    ["sha256", "sha512"].map((name) => `http://www.w3.org/${path}#${name}`),
  ),
]);

/** Far above a key with a chain of certificates. The library takes time in the square of the elements. */
const maxKeyElements = 100;
const maxKeyLength = 32 * 1024;

const tagBytes = 16;
const blockBytes = 16;

/** Text of an encrypted assertion, by the first of the keys (PEM) that opens it. Throws `DecryptionFailed`. */
export function decryptAssertion(encrypted: XmlElement, privateKeys: readonly string[]): string {
  const { cipher, key, content } = readEncrypted(encrypted);
  for (const privateKey of privateKeys) {
    try {
      const contentKey = decryptKeyInfo(`<KeyInfo>${key}</KeyInfo>`, { key: privateKey });
      return decryptContent(cipher, contentKey, content);
    } catch {
      // The next key may be the right one.
    }
  }
  throw notDecrypted();
}

/** One error for all that only the key shows, so that no one learns from it what a changed ciphertext became. */
export const notDecrypted = (cause?: unknown) =>
  new DecryptionFailed(
    "The assertion was encrypted for another key, or was changed: load the current metadata of this service at the provider.",
    { cause },
  );

/** Reads the parts and refuses what is not supported by name, before any key is used. Throws `DecryptionFailed`. */
function readEncrypted(encrypted: XmlElement): {
  cipher: ContentCipher;
  /** XML of the encrypted key. */
  key: string;
  content: Buffer;
} {
  const [data, ...moreData] = childrenOf(encrypted, encryptionNs, "EncryptedData");
  const [key, ...moreKeys] = descendantsOf(encrypted, "*", "EncryptedKey");
  if (!data || moreData.length > 0 || !key || moreKeys.length > 0 || key.namespaceURI !== encryptionNs)
    throw new DecryptionFailed(
      "The encrypted assertion needs exactly one EncryptedData and one EncryptedKey.",
    );
  const method = algorithmOf(data);
  const cipher = contentCiphers.get(method);
  if (!cipher) throw unsupported(method, "AES-GCM");
  const keyMethod = algorithmOf(key);
  if (!keyMethods.has(keyMethod)) throw unsupported(keyMethod, "RSA-OAEP");
  const digests = descendantsOf(key, "*", "DigestMethod").map((one) => one.getAttribute("Algorithm") ?? "");
  const other = digests.find((digest) => !oaepDigests.has(digest));
  if (other !== undefined) throw unsupported(other, "RSA-OAEP with SHA-1 or SHA-256");
  const keyXml = key.toString();
  if (descendantsOf(key, "*", "*").length > maxKeyElements || keyXml.length > maxKeyLength)
    throw new DecryptionFailed(
      `The EncryptedKey has more than ${maxKeyElements} elements or ${sizeText(maxKeyLength)}.`,
    );
  return { cipher, key: keyXml, content: cipherValue(data) };
}

function algorithmOf(parent: XmlElement): string {
  const [method, ...more] = childrenOf(parent, encryptionNs, "EncryptionMethod");
  return method && more.length === 0 ? (method.getAttribute("Algorithm") ?? "") : "";
}

function cipherValue(data: XmlElement): Buffer {
  const values = childrenOf(data, encryptionNs, "CipherData").flatMap((one) =>
    childrenOf(one, encryptionNs, "CipherValue"),
  );
  const text = textOf(values[0]).replace(/\s+/g, "");
  if (values.length !== 1 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text))
    throw new DecryptionFailed("The encrypted assertion needs exactly one CipherValue in base64.");
  return Buffer.from(text, "base64");
}

/** Throws for a wrong key, length, padding or tag. */
function decryptContent({ name, keyBytes, isGcm }: ContentCipher, key: Buffer, content: Buffer): string {
  if (key.length !== keyBytes) throw new Error("wrong key");
  const plain = isGcm ? openGcm(name as CipherGCMTypes, key, content) : openCbc(name, key, content);
  return new TextDecoder("utf-8", { fatal: true }).decode(plain);
}

function openGcm(name: CipherGCMTypes, key: Buffer, content: Buffer): Buffer {
  const ivBytes = 12;
  if (content.length <= ivBytes + tagBytes) throw new Error("truncated");
  const decipher = createDecipheriv(name, key, content.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAuthTag(content.subarray(-tagBytes));
  return Buffer.concat([decipher.update(content.subarray(ivBytes, -tagBytes)), decipher.final()]);
}

/** Only the last octet of the padding has a meaning (XML Encryption 1.1, section 5.2). */
function openCbc(name: string, key: Buffer, content: Buffer): Buffer {
  if (content.length < 2 * blockBytes) throw new Error("truncated");
  const decipher = createDecipheriv(name, key, content.subarray(0, blockBytes)).setAutoPadding(false);
  const plain = Buffer.concat([decipher.update(content.subarray(blockBytes)), decipher.final()]);
  const padding = plain.at(-1)!;
  if (padding < 1 || padding > blockBytes) throw new Error("wrong padding");
  return plain.subarray(0, -padding);
}

const unsupported = (algorithm: string, instead: string) =>
  new DecryptionFailed(
    `The assertion is encrypted with "${shown(algorithm.split("#").at(-1) ?? "")}", which is not accepted: use ${instead} at the provider.`,
  );

/** Encrypted assertions of a response, which belong directly into it. */
export const encryptedAssertions = (root: XmlElement) => childrenOf(root, assertionNs, "EncryptedAssertion");
