/**
 * Reads XML of strangers. The text is measured before any parser sees it: a document type, which could define entities,
 * markup that is not well-formed, and deep or crowded documents are refused.
 */
import { parseDomFromString } from "@node-saml/node-saml/lib/xml.js";

const maxDepth = 64;
/**
 * Elements, comments, instructions and sections together. The time of the verification grows with the square of this
 * number.
 */
const maxNodes = 3000;
const maxAttributes = 5000;
/** Characters of the declaration of a namespace, which is repeated at each element that uses it when it is verified. */
const maxNamespace = 1000;
/** Comments and instructions before and after the root element. */
const maxOutside = 20;

/** An element of a parsed document, as far as it is used here. The global types of browsers are not available. */
export interface XmlElement {
  nodeType: number;
  localName: string;
  namespaceURI: string | null;
  textContent: string | null;
  childNodes: ArrayLike<XmlElement>;
  parentNode: XmlElement | null;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  getElementsByTagNameNS(namespace: string, name: string): ArrayLike<XmlElement>;
  /** XML of the element, with the namespaces that it uses. */
  toString(): string;
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
    throw notWellFormed();
  }
  if (!root) throw notWellFormed();
  return root;
}

const xmlSpace = "[ \\t\\r\\n]";
const xmlName = "[\\p{L}_][\\p{L}\\p{N}\\p{M}_.:·-]*";
const startOfTag = new RegExp(`<${xmlName}`, "uy");
const attribute = new RegExp(`${xmlSpace}+${xmlName}${xmlSpace}*=${xmlSpace}*(?:"[^"<]*"|'[^'<]*')`, "uy");
const endOfStartTag = new RegExp(`${xmlSpace}*/?>`, "uy");
const endTag = new RegExp(`</(${xmlName})${xmlSpace}*>`, "uy");

/**
 * Walks over the markup once, and throws unless its tags are well-formed: for others, the parser looks for a way to
 * continue after each character. Outside of the root element only few nodes are allowed, since the parser takes
 * quadratic time for them.
 */
function measure(text: string): void {
  const open: string[] = [];
  const counts = { nodes: 0, outside: 0, roots: 0, attributes: 0 };
  let from = 0;
  let at = text.indexOf("<");
  while (at >= 0) {
    const depth = open.length;
    if (depth === 0) requireSpace(text.slice(from, at));
    const next = text[at + 1];
    if (next === "/") {
      const found = matchAt(endTag, text, at);
      if (open.pop() !== found[1]) throw notWellFormed();
      at += found[0].length;
    } else {
      counts.nodes++;
      const isElement = next !== "!" && next !== "?";
      if (depth === 0) counts[isElement ? "roots" : "outside"]++;
      if (isElement) at = readStartTag(text, at, open, counts);
      else at = next === "?" ? after(text, "?>", at) : endOfDeclaration(text, at, depth);
      requireBounds(open.length, counts);
    }
    from = at;
    at = text.indexOf("<", at);
  }
  if (counts.roots !== 1 || open.length > 0) throw notWellFormed();
  requireSpace(text.slice(from));
}

interface Counts {
  nodes: number;
  outside: number;
  roots: number;
  attributes: number;
}

function requireBounds(depth: number, { nodes, outside, attributes }: Counts): void {
  if (depth > maxDepth || nodes > maxNodes)
    throw new Error(`has more than ${maxDepth} levels or ${maxNodes} elements`);
  if (attributes > maxAttributes) throw new Error(`has more than ${maxAttributes} attributes`);
  if (outside > maxOutside)
    throw new Error(`has more than ${maxOutside} comments and instructions outside of its root element`);
}

/** Adds an element that stays open to `open`. Returns the position after the tag. */
function readStartTag(text: string, from: number, open: string[], counts: Counts): number {
  const [start] = matchAt(startOfTag, text, from);
  let at = from + start.length;
  for (;;) {
    attribute.lastIndex = at;
    const found = attribute.exec(text);
    if (!found) break;
    counts.attributes++;
    if (found[0].length > maxNamespace && /^\s+xmlns[\s:=]/.test(found[0]))
      throw new Error(`declares a namespace with more than ${maxNamespace} characters`);
    at = attribute.lastIndex;
  }
  const [end] = matchAt(endOfStartTag, text, at);
  if (!end.includes("/")) open.push(start.slice(1));
  return at + end.length;
}

/** The match at a position. Throws if there is none. */
function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  if (!found) throw notWellFormed();
  return found;
}

const notWellFormed = () => new Error("is not well-formed XML");

function requireSpace(text: string): void {
  if (/\S/.test(text)) throw new Error("has text outside of its root element");
}

function endOfDeclaration(text: string, at: number, depth: number): number {
  if (text.startsWith("<!--", at)) return after(text, "-->", at + 4);
  if (depth > 0 && text.startsWith("<![CDATA[", at)) return after(text, "]]>", at);
  throw new Error("has a document type or entity declaration, which is not allowed");
}

function after(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from);
  if (at < 0) throw notWellFormed();
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
