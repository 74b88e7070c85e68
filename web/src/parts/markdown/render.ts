/** Markdown of strangers to safe DOM nodes: no HTML in the source, and only known elements in the result. */
import DOMPurify from "dompurify";
import MarkdownIt, { type Token } from "markdown-it";
import {
  addCodeHostRules,
  footnoteId,
  headingId,
  headingIds,
} from "../../../../contract/document/markdown.ts";
import { visibleText } from "../text/visible-text.ts";

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
addCodeHostRules(md);
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

const tags = (
  "a p h1 h2 h3 h4 h5 h6 ul ol li code pre em strong s sup blockquote div section input " +
  "table thead tbody tr th td hr br img"
).split(" ");

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
  purify.addHook("uponSanitizeAttribute", (_, attribute) => {
    if (attribute.attrName === "id") attribute.keepAttr = footnoteId.test(attribute.attrValue);
  });
  const fragment = purify.sanitize(md.renderer.render(tokens, md.options, {}), {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: [
      "href",
      "src",
      "alt",
      "title",
      "class",
      "start",
      "id",
      "role",
      "type",
      "checked",
      "disabled",
    ],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
    FORBID_ATTR: ["style", "name"],
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
    if (!footnoteId.test(href.slice(1))) node.setAttribute("href", fragmentOf(href));
    return;
  }
  if (isAbsolute(href)) {
    node.setAttribute("rel", "noopener nofollow ugc");
    return;
  }
  const path = resolvePath(href, files.path);
  if (path !== undefined && files.has(path)) node.setAttribute("href", files.page(path) + fragmentOf(href));
  else node.removeAttribute("href");
}

/** The heading or lines of another file to which a link leads. */
function fragmentOf(href: string): string {
  const [, fragment] = href.split("#");
  if (fragment === undefined || fragment === "") return "";
  if (/^L\d+(?:-L?\d+)?$/.test(fragment)) return `#${fragment}`;
  try {
    return `#${headingId(decodeURIComponent(fragment))}`;
  } catch {
    return "";
  }
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

/** Headings with ids and links to themselves. Their depth is that in the text. */
function nameHeadings(fragment: DocumentFragment): Heading[] {
  const idOf = headingIds();
  const headings: Heading[] = [];
  for (const node of fragment.querySelectorAll("h2, h3, h4, h5")) {
    const text = node.textContent.trim();
    node.id = idOf(text);
    headings.push({ id: node.id, text, depth: Number(node.tagName.slice(1)) - 1 });
    const link = document.createElement("a");
    link.href = `#${node.id}`;
    link.className = "anchor";
    link.setAttribute("aria-label", `Link to ${text}`);
    link.textContent = "#";
    // Next to the heading, whose name would have the link's otherwise.
    const box = document.createElement("div");
    box.className = "heading";
    node.replaceWith(box);
    box.append(node, link);
  }
  return headings;
}
