/**
 * Elements as plain calls, and one way to bring a part of the page up to date: what is there already stays, and with it
 * focus, selection and scrolling. Text only ever becomes text, so nothing of a job can become markup.
 */

type Child = Node | string | number | false | null | undefined;
export type Children = Child | readonly Child[];

/** `true` sets an empty attribute; `false`, null and undefined leave it out. */
export type Attributes = Record<string, string | number | boolean | null | undefined>;

const svgNames = new Set(["svg", "rect", "line", "path", "title", "g"]);
const svgNamespace = "http://www.w3.org/2000/svg";

/** An element; the attribute `key` identifies it among its siblings when a list changes. */
export function h(name: string, attributes: Attributes = {}, ...children: Children[]): Element {
  const element = svgNames.has(name)
    ? document.createElementNS(svgNamespace, name)
    : document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(attribute === "key" ? "data-key" : attribute, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child === false || child === null || child === undefined) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/** Makes the children of `parent` equal the given ones, and touches only what differs. */
export function show(parent: Element, ...children: Children[]): void {
  const wanted = document.createDocumentFragment();
  for (const child of children.flat())
    if (child !== false && child !== null && child !== undefined)
      wanted.append(child instanceof Node ? child : String(child));
  patchChildren(parent, [...wanted.childNodes]);
}

function patchChildren(parent: Element, wanted: readonly Node[]): void {
  const keyed = new Map<string, Element>();
  for (const child of parent.children) {
    const key = child.getAttribute("data-key");
    if (key !== null) keyed.set(key, child);
  }
  for (const [at, node] of wanted.entries()) {
    const key = node instanceof Element ? node.getAttribute("data-key") : null;
    const here = parent.childNodes[at];
    const match = key === null ? here : keyed.get(key);
    if (match !== undefined && isSameKind(match, node)) {
      if (match !== here) parent.insertBefore(match, here ?? null);
      patch(match, node);
    } else parent.insertBefore(node, here ?? null);
  }
  while (parent.childNodes.length > wanted.length) parent.lastChild?.remove();
}

function isSameKind(present: Node, wanted: Node): boolean {
  if (present.nodeName !== wanted.nodeName || present.nodeType !== wanted.nodeType) return false;
  if (!(present instanceof Element) || !(wanted instanceof Element)) return true;
  return present.getAttribute("data-key") === wanted.getAttribute("data-key");
}

function patch(present: Node, wanted: Node): void {
  if (present instanceof Element && wanted instanceof Element) {
    for (const name of present.getAttributeNames())
      // Whether it is open is the reader's own.
      if (!wanted.hasAttribute(name) && name !== "open") present.removeAttribute(name);
    for (const name of wanted.getAttributeNames()) {
      const value = wanted.getAttribute(name) ?? "";
      if (present.getAttribute(name) !== value) present.setAttribute(name, value);
    }
    patchChildren(present, [...wanted.childNodes]);
  } else if (present.nodeValue !== wanted.nodeValue) present.nodeValue = wanted.nodeValue;
}

/** An element of the page's shell, by its id. Throws where the shell and this script do not fit together. */
export function part<T extends Element>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} called "${id}"`);
  return found;
}
