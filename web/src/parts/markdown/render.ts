/** Markdown of strangers to safe DOM nodes: no HTML in the source, and only known elements in the result. */
import DOMPurify from "dompurify";
import MarkdownIt, { type Token } from "markdown-it";
import { visibleText } from "../visible-text.ts";

/** Limits beyond which a text is offered as source: such a page would hang the browser. */
export const markdownLimits = { characters: 600_000, tokens: 60_000, contents: 200 };

/** The version's files that a text may show and link to. */
export interface LinkedFiles {
  /** Path of the text itself. */
  path: string;
  has: (path: string) => boolean;
  /** Address of the bytes of a file. */
  address: (path: string) => string;
  /** Address of the page of a file. */
  page: (path: string) => string;
}

export interface Heading {
  id: string;
  text: string;
  depth: number;
}
export interface Rendered {
  fragment: DocumentFragment;
  headings: Heading[];
}

const md = new MarkdownIt({ html: false, linkify: true });
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
// Column alignment is a style attribute, which the page's policy refuses; a class replaces it.
for (const rule of ["th_open", "td_open"] as const) {
  md.renderer.rules[rule] = (tokens, index, options, _env, self) => {
    const token = tokens[index];
    const style = token?.attrGet("style");
    if (token && style) {
      token.attrs = (token.attrs ?? []).filter(([name]) => name !== "style");
      token.attrJoin("class", `al-${String(style).replace("text-align:", "")}`);
    }
    return self.renderToken(tokens, index, options);
  };
}

const tags =
  "a p h1 h2 h3 h4 h5 h6 ul ol li code pre em strong s blockquote table thead tbody tr th td hr br img".split(
    " ",
  );

/** The nodes of a text, or undefined if it is too large or too deeply structured to show. */
export function renderMarkdown(text: string, files: LinkedFiles): Rendered | undefined {
  if (text.length > markdownLimits.characters) return undefined;
  const tokens = md.parse(visibleText(text), {});
  if (countOf(tokens) > markdownLimits.tokens) return undefined;
  const purify = DOMPurify(window);
  purify.addHook("afterSanitizeAttributes", (node) => {
    if (node.tagName === "A") linkTo(node, files);
    if (node.tagName === "IMG") showImage(node, files);
    if (node.tagName === "PRE") node.setAttribute("tabindex", "0");
  });
  const fragment = purify.sanitize(md.renderer.render(tokens, md.options, {}), {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: ["href", "src", "alt", "title", "class", "start"],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
    FORBID_ATTR: ["style", "id", "name"],
  });
  return { fragment, headings: nameHeadings(fragment) };
}

const countOf = (tokens: Token[]): number =>
  tokens.reduce((sum, token) => sum + 1 + (token.children?.length ?? 0), 0);

/** A path relative to the text's folder, from the root of the version; undefined outside of it. */
function resolvePath(relative: string, from: string): string | undefined {
  const [path = ""] = relative.split(/[?#]/);
  const parts = path.startsWith("/") ? [] : from.split("/").slice(0, -1);
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  for (const part of decoded.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}

const isAbsolute = (address: string) => /^(?:[a-z][a-z0-9+.-]*:|\/\/|\\)/i.test(address);

function linkTo(node: Element, files: LinkedFiles): void {
  const href = node.getAttribute("href");
  if (href === null) return;
  if (href.startsWith("#")) {
    node.setAttribute("href", `#${headingId(href.slice(1))}`);
    return;
  }
  if (isAbsolute(href)) {
    node.setAttribute("rel", "noopener nofollow ugc");
    return;
  }
  const path = resolvePath(href, files.path);
  if (path !== undefined && files.has(path)) node.setAttribute("href", files.page(path));
  else node.removeAttribute("href");
}

/** Images of other servers would report each reader to them. */
function showImage(node: Element, files: LinkedFiles): void {
  const source = node.getAttribute("src") ?? "";
  const path = isAbsolute(source) ? undefined : resolvePath(source, files.path);
  if (path === undefined || !files.has(path)) {
    node.replaceWith(document.createTextNode(`[image: ${node.getAttribute("alt") ?? ""}]`));
    return;
  }
  node.setAttribute("src", files.address(path));
  node.setAttribute("loading", "lazy");
}

/** Ids of headings have a prefix: without one, a text could shadow the properties of the page. */
const headingId = (text: string): string => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return `h-${words.join("-").slice(0, 80)}`;
};

function nameHeadings(fragment: DocumentFragment): Heading[] {
  const used = new Map<string, number>();
  const headings: Heading[] = [];
  for (const node of fragment.querySelectorAll("h1, h2, h3, h4")) {
    const text = node.textContent.trim();
    const base = headingId(text);
    const count = used.get(base) ?? 0;
    used.set(base, count + 1);
    node.id = count === 0 ? base : `${base}-${count}`;
    headings.push({ id: node.id, text, depth: Number(node.tagName.slice(1)) });
  }
  return headings;
}
