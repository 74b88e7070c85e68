/** Names of SAML 2.0 and XML signatures, and the checks of a response. */
import type { CheckNames } from "../checks.ts";

export const protocolNs = "urn:oasis:names:tc:SAML:2.0:protocol";
export const assertionNs = "urn:oasis:names:tc:SAML:2.0:assertion";
export const encryptionNs = "http://www.w3.org/2001/04/xmlenc#";
export const signatureNs = "http://www.w3.org/2000/09/xmldsig#";
export const successStatus = "urn:oasis:names:tc:SAML:2.0:status:Success";
export const bearerMethod = "urn:oasis:names:tc:SAML:2.0:cm:bearer";

/** SHA-1 is refused. */
export const signatureMethods = new Set([
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
  "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1",
]);
export const digestMethods = new Set([
  "http://www.w3.org/2001/04/xmlenc#sha256",
  "http://www.w3.org/2001/04/xmlenc#sha512",
]);

/**
 * Forms of a subject that stay the same for a person. A transient one does not. Those that SAML 1.1 defined are sent
 * under the names of both versions.
 */
export const subjectFormats = new Set([
  "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  ...["1.1", "2.0"].flatMap((version) =>
    ["emailAddress", "unspecified", "WindowsDomainQualifiedName"].map(
      (name) => `urn:oasis:names:tc:SAML:${version}:nameid-format:${name}`,
    ),
  ),
]);

export const samlChecks = [
  ["format", "The response is readable XML without a document type"],
  ["root", "It is one SAML 2.0 response with one assertion"],
  ["ids", "No two elements have the same ID"],
  ["status", "The provider reports success"],
  ["destination", "It is addressed to this service"],
  ["issuer", "It is from the configured provider"],
  ["algorithms", "Signature and digests use SHA-256 or better"],
  ["request", "It answers the request of this sign-in"],
  ["decryption", "An encrypted assertion is readable with a key of this service"],
  ["signature", "The assertion, or the response with it, is signed by a certificate of the provider"],
  ["conditions", "The assertion is valid now"],
  ["audience", "The assertion is meant for this service"],
  ["assertion-issuer", "The assertion is from the configured provider"],
  ["confirmation", "The subject is confirmed for this service, this request and now"],
  ["authentication", "The assertion states how the person has signed in"],
  ["subject", "The subject is one that stays the same for a person"],
  ["replay", "The assertion was not used before"],
  ["email", "The response has an e-mail address"],
] as const satisfies CheckNames<string>;
export type SamlCheck = (typeof samlChecks)[number][0];
