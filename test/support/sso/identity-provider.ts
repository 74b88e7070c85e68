/** A SAML identity provider: it writes and signs responses, independently of the library that verifies them. */
import { randomBytes } from "node:crypto";
import { SignedXml } from "xml-crypto";
import { makeCertificate } from "./certificate.ts";
import { idpEntityId } from "./fixture.ts";

const samlNs =
  'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';
const exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#";

/** The content of a response. Times are seconds from now. */
export interface ResponseFacts {
  acs: string;
  audience: string;
  requestId: string;
  subject: string;
  email: string;
  issuedAt?: number;
  notBefore?: number;
  conditionsUntil?: number;
  confirmationUntil?: number;
  assertionId?: string;
  attributes?: string;
}

export interface Writing {
  /** Changes what the provider writes, before it signs. */
  write?: (xml: string) => string;
  /** Changes the signed response, as an attacker does. */
  forge?: (xml: string) => string;
  signs?: readonly ("Assertion" | "Response")[];
  /** Number of the key; the provider's own is 0. */
  key?: number;
  signatureAlgorithm?: string;
  digestAlgorithm?: string;
}

const newId = () => `_${randomBytes(16).toString("hex")}`;
const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

export const attributeXml = (name: string, ...values: string[]) =>
  `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join("")}</saml:Attribute>`;

function unsignedResponse(facts: ResponseFacts): string {
  const { acs, audience, requestId, subject, email } = facts;
  const issued = at(facts.issuedAt ?? 0);
  const issuer = `<saml:Issuer>${idpEntityId}</saml:Issuer>`;
  const confirmed = `NotOnOrAfter="${at(facts.confirmationUntil ?? 300)}" Recipient="${acs}" InResponseTo="${requestId}"`;
  return (
    `<samlp:Response ${samlNs} ID="${newId()}" Version="2.0" IssueInstant="${issued}" Destination="${acs}" InResponseTo="${requestId}">` +
    `${issuer}<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>` +
    `<saml:Assertion ${samlNs} ID="${facts.assertionId ?? newId()}" Version="2.0" IssueInstant="${issued}">${issuer}` +
    `<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">${subject}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData ${confirmed}/></saml:SubjectConfirmation></saml:Subject>` +
    `<saml:Conditions NotBefore="${at(facts.notBefore ?? -5)}" NotOnOrAfter="${at(facts.conditionsUntil ?? 300)}">` +
    `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
    `<saml:AuthnStatement AuthnInstant="${issued}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
    `<saml:AttributeStatement>${facts.attributes ?? attributeXml("email", email)}</saml:AttributeStatement></saml:Assertion></samlp:Response>`
  );
}

function sign(xml: string, element: "Assertion" | "Response", writing: Writing): string {
  const { privateKey, pem } = makeCertificate({ key: writing.key ?? 0 });
  const signer = new SignedXml({
    privateKey,
    publicCert: pem,
    canonicalizationAlgorithm: exclusive,
    signatureAlgorithm: writing.signatureAlgorithm ?? "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
  });
  const xpath = `//*[local-name(.)='${element}']`;
  signer.addReference({
    xpath,
    transforms: ["http://www.w3.org/2000/09/xmldsig#enveloped-signature", exclusive],
    digestAlgorithm: writing.digestAlgorithm ?? "http://www.w3.org/2001/04/xmlenc#sha256",
  });
  const location = { reference: `${xpath}/*[local-name(.)='Issuer']`, action: "after" } as const;
  signer.computeSignature(xml, { prefix: "ds", location });
  return signer.getSignedXml();
}

/** A response as the browser posts it, before base64. The last signature covers those before it. */
export function makeResponse(facts: ResponseFacts, writing: Writing = {}): string {
  const written = (writing.write ?? String)(unsignedResponse(facts));
  const signed = (writing.signs ?? ["Assertion"]).reduce(
    (xml, element) => sign(xml, element, writing),
    written,
  );
  return (writing.forge ?? String)(signed);
}

/** Replaces a part of a text, which has to be there. */
export const swap =
  (part: string | RegExp, by: string) =>
  (xml: string): string => {
    const swapped = xml.replace(part, () => by);
    if (swapped === xml) throw new Error(`nothing to replace: ${part}`);
    return swapped;
  };
