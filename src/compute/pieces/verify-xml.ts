/** Verification of signatures in XML, which takes time in the square of the number of elements and attributes. */

export interface XmlToVerify {
  xml: string;
  /** Index among the child nodes of the root element; without it, the root itself is signed. */
  child: number | undefined;
  /** In PEM. */
  certificates: string[];
}

/** The text that the signature of one of the certificates covers; null if there is none. */
export async function verifyXml({ xml, child, certificates }: XmlToVerify): Promise<string | null> {
  // Loaded when it is needed, since most services have no provider that signs XML.
  const { getVerifiedXml, parseDomFromString } = await import("@node-saml/node-saml/lib/xml.js");
  const root = (await parseDomFromString(xml)).documentElement;
  return getVerifiedXml(xml, child === undefined ? root : root.childNodes[child], certificates);
}
