/** The verification of signatures, by node-saml. */
import { SAML, type Profile } from "@node-saml/node-saml";
import { getVerifiedXml } from "@node-saml/node-saml/lib/xml.js";
import { DecryptionFailed, encryptedAssertions, notDecrypted } from "./encryption.ts";
import { assertionNs, signatureNs } from "./names.ts";
import { algorithmProblem, idProblem, type ReadResponse } from "./response-checks.ts";
import { childrenOf, descendantsOf, parseXml, type XmlElement } from "./xml.ts";

/** Text of the assertion in an EncryptedAssertion. Throws `DecryptionFailed`. */
export type Decrypt = (encrypted: XmlElement) => string;

/**
 * Reads the assertion of a response from the bytes that a signature of the provider covers: its own, or that of the
 * response if it has none.
 */
export class ResponseReader extends SAML {
  /** Throws `DecryptionFailed`, or an Error of node-saml for an assertion that is not valid. */
  async read(response: ReadResponse, requestId: string, decrypt: Decrypt): Promise<Profile> {
    const certificates = await this.getKeyInfosAsPem();
    const signed = await signedAssertion(response, certificates, decrypt);
    const { profile } = await this.processValidlySignedAssertionAsync(signed, response.xml, requestId);
    if (!profile) throw invalidSignature();
    return profile;
  }
}

/** Text of the assertion as it was signed. Throws without a valid signature. */
async function signedAssertion(
  { xml, root }: ReadResponse,
  certificates: string[],
  decrypt: Decrypt,
): Promise<string> {
  const [assertion] = childrenOf(root, assertionNs, "Assertion");
  if (assertion && hasSignature(assertion)) return verified(xml, assertion, certificates);
  if (!assertion && !hasSignature(root)) {
    const inside = await decrypted(root, decrypt);
    if (!hasSignature(inside.root)) throw invalidSignature();
    return verified(inside.xml, inside.root, certificates);
  }
  const response = await parseXml(verified(xml, root, certificates));
  if (assertion) return only(childrenOf(response, assertionNs, "Assertion")).toString();
  // The signature of the response was verified first, so that no stranger can have ciphertexts tried.
  const inside = await decrypted(response, decrypt);
  return hasSignature(inside.root) ? verified(inside.xml, inside.root, certificates) : inside.root.toString();
}

/** The decrypted assertion of a response, within the bounds and rules of the response itself. */
async function decrypted(response: XmlElement, decrypt: Decrypt): Promise<ReadResponse> {
  const xml = decrypt(only(encryptedAssertions(response)));
  let root: XmlElement;
  try {
    root = await parseXml(xml);
  } catch (cause) {
    throw notDecrypted(cause);
  }
  const nested = ["Assertion", "EncryptedAssertion"].flatMap((name) => descendantsOf(root, "*", name));
  if (root.localName !== "Assertion" || root.namespaceURI !== assertionNs || nested.length > 0)
    throw new DecryptionFailed("What was encrypted is not one assertion.");
  const problem = idProblem(root) ?? algorithmProblem(root);
  if (problem !== undefined) throw new DecryptionFailed(problem);
  return { xml, root };
}

function only(elements: XmlElement[]): XmlElement {
  const [one, ...more] = elements;
  if (!one || more.length > 0) throw invalidSignature();
  return one;
}

const hasSignature = (element: XmlElement) => childrenOf(element, signatureNs, "Signature").length > 0;

function verified(xml: string, element: XmlElement, certificates: string[]): string {
  const text = getVerifiedXml(xml, element, certificates);
  if (text === null) throw invalidSignature();
  return text;
}

const invalidSignature = () => new Error("Invalid signature");
