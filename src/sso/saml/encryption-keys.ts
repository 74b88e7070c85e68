/**
 * Keys of this service by which identity providers encrypt. The current one is in the metadata; the one before it still
 * decrypts, until an owner removes it. Certificates are only the form in which SAML describes a key.
 */
import { KeyObject, webcrypto } from "node:crypto";
// The library of certificates needs this before it is loaded.
import "reflect-metadata";
import { X509CertificateGenerator } from "@peculiar/x509";
import type { EncryptionKey, SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { App } from "../../app.ts";
import { readCertificate } from "./certificates.ts";

const algorithm = {
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 3072,
};
/** No provider has to replace it in time: the key is replaced by its owner. */
const validYears = 20;

/** The record for which private keys are sealed. */
const keyRecord = (providerId: string) => `sso-encryption:${providerId}`;

export async function createEncryptionKey(app: App, providerId: string): Promise<EncryptionKey> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const createdAt = app.now();
  const notAfter = new Date(createdAt);
  notAfter.setFullYear(notAfter.getFullYear() + validYears);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [new URL(app.config.baseUrl).hostname] }],
    notBefore: createdAt,
    notAfter,
    signingAlgorithm: algorithm,
    keys,
  });
  const pem = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }).toString();
  return {
    ...readCertificate(certificate.toString("pem")),
    sealedKey: app.secrets.seal(pem, keyRecord(providerId)),
    createdAt,
  };
}

/** The current key, then the one before it. */
export const encryptionKeys = ({ encryption }: SsoProviderDoc): EncryptionKey[] =>
  encryption ? [encryption.current, ...(encryption.previous ? [encryption.previous] : [])] : [];

/** Private keys in PEM. */
export const openEncryptionKeys = (app: App, provider: SsoProviderDoc): string[] =>
  encryptionKeys(provider).map(({ sealedKey }) => app.secrets.open(sealedKey, keyRecord(provider._id)));
