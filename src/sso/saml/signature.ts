/** The verification of signatures, by node-saml. */
import { SAML, type Profile } from "@node-saml/node-saml";
import type { CallerCompute } from "../../compute/compute.ts";
import { verifyXml, type XmlToVerify } from "../../compute/pieces/verify-xml.ts";
import { DecryptionFailed, encryptedAssertions, notDecrypted } from "./encryption.ts";
import { assertionNs, signatureNs } from "./names.ts";
import { algorithmProblem, idProblem, type ReadResponse } from "./response-checks.ts";
import { childrenOf, descendantsOf, parseXml, type XmlElement } from "./xml.ts";

/**
 * Bounds of a text that is verified directly, since that takes at most 40 ms: tags and attributes, and characters, each
 * multiplied by the number of certificates that are tried.
 */
const cheapMarkup = 800;
const cheapLength = 64 * 1024;

/** Text of the assertion in an EncryptedAssertion. Throws `DecryptionFailed`. */
export type Decrypt = (encrypted: XmlElement) => string;

/**
 * Reads the assertion of a response from the bytes that a signature of the provider covers: its own, or that of the
 * response if it has none.
 */
export class ResponseReader extends SAML {
  /**
   * Throws `DecryptionFailed`, an Error of node-saml for an assertion that is not valid, and errors of `run` of the
   * threads.
   */
  async read(
    response: ReadResponse,
    requestId: string,
    { decrypt, compute }: { decrypt: Decrypt; compute: CallerCompute },
  ): Promise<Profile> {
    const certificates = await this.getKeyInfosAsPem();
    const signed = await signedAssertion(response, verifierOf(compute, certificates), decrypt);
    const { profile } = await this.processValidlySignedAssertionAsync(signed, response.xml, requestId);
    if (!profile) throw invalidSignature();
    return profile;
  }
}

/** Text of the assertion as it was signed. Throws without a valid signature. */
async function signedAssertion(
  { xml, root }: ReadResponse,
  verified: Verify,
  decrypt: Decrypt,
): Promise<string> {
  const [assertion] = childrenOf(root, assertionNs, "Assertion");
  if (assertion && hasSignature(assertion)) return verified({ xml, root }, assertion);
  if (!assertion && !hasSignature(root)) {
    const inside = await decrypted(root, decrypt);
    if (!hasSignature(inside.root)) throw invalidSignature();
    return verified(inside);
  }
  const response = await parseXml(await verified({ xml, root }));
  if (assertion) return only(childrenOf(response, assertionNs, "Assertion")).toString();
  // The signature of the response was verified first, so that no stranger can have ciphertexts tried.
  const inside = await decrypted(response, decrypt);
  return hasSignature(inside.root) ? verified(inside) : inside.root.toString();
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

/** The bytes that the signature of a child of the root covers, or that of the root. Throws without a valid one. */
type Verify = (document: ReadResponse, child?: XmlElement) => Promise<string>;

function verifierOf(compute: CallerCompute, certificates: string[]): Verify {
  return async ({ xml, root }, child) => {
    const index = child && Array.from(root.childNodes).indexOf(child);
    const input = { xml, child: index, certificates };
    const text = isCheap(input) ? await verifyXml(input) : await compute.run("verify-xml", input);
    if (text === null) throw invalidSignature();
    return text;
  };
}

function isCheap({ xml, certificates: { length } }: XmlToVerify): boolean {
  return xml.length * length <= cheapLength && (xml.match(/[<=]/g)?.length ?? 0) * length <= cheapMarkup;
}

const invalidSignature = () => new Error("Invalid signature");
