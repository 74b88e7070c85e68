/** Certificates by which identity providers sign. */
import { X509Certificate } from "node:crypto";
import type { StoredCertificate } from "../../../storage/sso/providers.ts";
import { ServiceError } from "../../errors.ts";

/** Minimum size of an RSA key, in bits. */
const minRsaBits = 2048;

/** Reads a certificate in PEM, or the base64 of its DER. Throws `refused`. */
export function readCertificate(text: string): StoredCertificate {
  const base64 = text.replace(/-----(BEGIN|END) CERTIFICATE-----/g, "").replace(/\s+/g, "");
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(Buffer.from(base64, "base64"));
  } catch (cause) {
    throw refused("A certificate can't be read: paste it as PEM, from its BEGIN to its END line.", cause);
  }
  const { publicKey } = certificate;
  const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0;
  if (publicKey.asymmetricKeyType !== "rsa")
    throw refused("A certificate has no RSA key, the only kind that is supported: use one at the provider.");
  if (bits < minRsaBits)
    throw refused(`A certificate has an RSA key of ${bits} bits: use one of at least ${minRsaBits}.`);
  return {
    der: certificate.raw.toString("base64"),
    fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    subject: certificate.subject.replaceAll("\n", ", ").slice(0, 300),
    notAfter: new Date(certificate.validTo),
  };
}

/** Certificates without repetitions. Throws `refused` for none. */
export function readCertificates(texts: readonly string[]): StoredCertificate[] {
  const read = texts.map(readCertificate);
  if (read.length === 0)
    throw refused("The provider has no certificate for signatures: add one, in PEM, or its metadata.");
  return [...new Map(read.map((one) => [one.fingerprint, one])).values()];
}

const refused = (message: string, cause?: unknown) =>
  new ServiceError("refused", message, { kind: "provider" }, { cause });
