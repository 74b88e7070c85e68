/** The verification of signatures, by node-saml. */
import { SAML, type Profile } from "@node-saml/node-saml";
import { getVerifiedXml } from "@node-saml/node-saml/lib/xml.js";
import { assertionNs, signatureNs } from "./names.ts";
import { childrenOf, parseXml, type XmlElement } from "./xml.ts";

/**
 * Reads the assertion of a response from the bytes that a signature of the provider covers: its own, or that of the
 * response if it has none.
 */
export class ResponseReader extends SAML {
  /** Throws an Error of node-saml for an assertion that is not valid. */
  async read(xml: string, root: XmlElement, requestId: string): Promise<Profile> {
    const certificates = await this.getKeyInfosAsPem();
    const signed = await signedAssertion(xml, root, certificates);
    const { profile } = await this.processValidlySignedAssertionAsync(signed, xml, requestId);
    if (!profile) throw invalidSignature();
    return profile;
  }
}

/** Text of the assertion as it was signed. Throws without a valid signature. */
async function signedAssertion(xml: string, root: XmlElement, certificates: string[]): Promise<string> {
  const [assertion] = childrenOf(root, assertionNs, "Assertion");
  if (assertion && hasSignature(assertion)) return verified(xml, assertion, certificates);
  const response = await parseXml(verified(xml, root, certificates));
  const [inside, ...more] = childrenOf(response, assertionNs, "Assertion");
  if (!inside || more.length > 0) throw invalidSignature();
  return inside.toString();
}

const hasSignature = (element: XmlElement) => childrenOf(element, signatureNs, "Signature").length > 0;

function verified(xml: string, element: XmlElement, certificates: string[]): string {
  const text = getVerifiedXml(xml, element, certificates);
  if (text === null) throw invalidSignature();
  return text;
}

const invalidSignature = () => new Error("Invalid signature");
