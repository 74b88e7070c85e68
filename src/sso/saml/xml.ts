/**
 * Reads XML of strangers. The text is measured before any parser sees it: a document type, which could define entities,
 * and deep or crowded documents are refused.
 */
import { parseDomFromString } from "@node-saml/node-saml/lib/xml.js";

const maxDepth = 64;
/** The time of the verification grows with the square of this number. */
const maxElements = 5000;

/** An element of a parsed document, as far as it is used here. The global types of browsers are not available. */
export interface XmlElement {
  nodeType: number;
  localName: string;
  namespaceURI: string | null;
  textContent: string | null;
  childNodes: ArrayLike<XmlElement>;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  getElementsByTagNameNS(namespace: string, name: string): ArrayLike<XmlElement>;
}

/**
 * Parses a document by the parser that verifies its signature, so that both read the same. Throws an Error whose
 * message completes the sentence "The document …".
 */
export async function parseXml(text: string): Promise<XmlElement> {
  measure(text);
  let root: XmlElement | null;
  try {
    root = ((await parseDomFromString(text)) as { documentElement: XmlElement | null }).documentElement;
  } catch {
    throw new Error("is not well-formed XML");
  }
  if (!root) throw new Error("is not well-formed XML");
  return root;
}

const tagPart = /[>"']/g;

/**
 * Walks over the markup once. Comments are skipped, so that tags in them don't count as the end of elements. Parsers
 * ignore text outside of the root element, which no provider sends.
 */
function measure(text: string): void {
  let depth = 0;
  let elements = 0;
  let from = 0;
  let at = text.indexOf("<");
  while (at >= 0) {
    if (depth === 0) requireSpace(text.slice(from, at));
    const next = text.charCodeAt(at + 1);
    if (next === 33 /* ! */) at = endOfDeclaration(text, at, depth);
    else if (next === 63 /* ? */) at = after(text, "?>", at);
    else {
      const end = endOfTag(text, at);
      if (next === 47 /* / */) depth--;
      else {
        elements++;
        if (text.charCodeAt(end - 2) !== 47) depth++;
      }
      if (depth > maxDepth || elements > maxElements)
        throw new Error(`has more than ${maxDepth} levels or ${maxElements} elements`);
      at = end;
    }
    from = at;
    at = text.indexOf("<", at);
  }
  if (elements > 0) requireSpace(text.slice(from));
}

function requireSpace(text: string): void {
  if (/\S/.test(text)) throw new Error("has text outside of its root element");
}

function endOfDeclaration(text: string, at: number, depth: number): number {
  if (text.startsWith("<!--", at)) return after(text, "-->", at + 2);
  if (depth > 0 && text.startsWith("<![CDATA[", at)) return after(text, "]]>", at);
  throw new Error("has a document type or entity declaration, which is not allowed");
}

/** The position after a tag, whose attribute values may contain ">". */
function endOfTag(text: string, from: number): number {
  for (let at = from; ;) {
    tagPart.lastIndex = at;
    const found = tagPart.exec(text)?.[0];
    if (found === undefined) throw new Error("is not well-formed XML");
    if (found === ">") return tagPart.lastIndex;
    at = after(text, found, tagPart.lastIndex);
  }
}

function after(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from);
  if (at < 0) throw new Error("is not well-formed XML");
  return at + end.length;
}

/** Child elements with a local name in a namespace. */
export function childrenOf(parent: XmlElement, namespace: string, name: string): XmlElement[] {
  return Array.from(parent.childNodes).filter(
    (node) => node.nodeType === 1 && node.localName === name && node.namespaceURI === namespace,
  );
}

/** All elements below a root with a local name in a namespace; "*" is any. */
export const descendantsOf = (root: XmlElement, namespace: string, name: string): XmlElement[] =>
  Array.from(root.getElementsByTagNameNS(namespace, name));

export const textOf = (element: XmlElement | undefined) => (element?.textContent ?? "").trim();
