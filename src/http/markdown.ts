/**
 * Markdown of publishers as safe HTML: no raw HTML, no script, no style, links that pass on no reputation, and images
 * of the same version only. Characters that reorder or hide text are shown as their code points.
 */
import MarkdownIt from "markdown-it";
import { Html } from "./html.ts";

/** Address of a file of the same version, for relative links and images. The path is encoded. */
type FileUrl = (path: string) => string;

/** Characters that are rendered; the rest is left out, since rendering occupies the process. */
export const renderedLength = 30_000;

/** Controls of direction, and characters without a glyph. Joiners stay where a script or an emoji needs them. */
const hidden =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\u200c(?!\p{L})|\u200d(?!\p{L}|\p{Extended_Pictographic})/gu;

/** The text with invisible characters and controls of direction as `<U+202E>`. */
export function showHidden(text: string): string {
  return text.replace(hidden, (found) => `<U+${found.codePointAt(0)!.toString(16).toUpperCase()}>`);
}

const parser = new MarkdownIt({ html: false, linkify: false, maxNesting: 20 });
const { rules } = parser.renderer;
const fileUrlOf = (env: Record<string, unknown> | undefined) => env!["fileUrl"] as FileUrl;

// Alignment comes as a style attribute, which the policy of pages refuses.
for (const name of ["th_open", "td_open"])
  rules[name] = (tokens, at, options, _env, self) => {
    const token = tokens[at]!;
    const style = token.attrGet("style");
    if (style !== null) token.attrs = [["class", `align-${String(style).replace(/^text-align:/, "")}`]];
    return self.renderToken(tokens, at, options);
  };
// The page has a heading of its own above these.
for (const name of ["heading_open", "heading_close"])
  rules[name] = (tokens, at, options, _env, self) => {
    const token = tokens[at]!;
    token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 1)}`;
    return self.renderToken(tokens, at, options);
  };
// A wide table scrolls sideways, so the keyboard must reach it.
rules["table_open"] = () => '<table tabindex="0">\n';
// Blocks of code scroll sideways, so the keyboard must reach them.
for (const name of ["fence", "code_block"])
  rules[name] = (tokens, at) =>
    `<pre tabindex="0"><code>${parser.utils.escapeHtml(tokens[at]!.content)}</code></pre>\n`;
rules["link_open"] = (tokens, at, options, env, self) => {
  const token = tokens[at]!;
  const href = String(token.attrGet("href") ?? "");
  const target = /^(https?:|mailto:)/i.test(href) ? href : fileTarget(href, fileUrlOf(env));
  token.attrs = [];
  if (target !== undefined) {
    token.attrSet("href", target);
    token.attrSet("rel", "noopener nofollow ugc");
  }
  return self.renderToken(tokens, at, options);
};
rules["image"] = (tokens, at, _options, env) => {
  const token = tokens[at]!;
  const source = fileTarget(String(token.attrGet("src") ?? ""), fileUrlOf(env));
  const text = parser.utils.escapeHtml(token.content);
  if (source === undefined) return `[image: ${text}]`;
  return `<img src="${parser.utils.escapeHtml(source)}" alt="${text}" loading="lazy">`;
};

/** Address of a file that a relative link names; undefined for any other link. */
function fileTarget(href: string, fileUrl: FileUrl): string | undefined {
  const [path = ""] = href.split(/[?#]/);
  if (path === "" || /^[a-z][a-z0-9+.-]*:|^\/|\\/i.test(path)) return undefined;
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  const segments = decoded.split("/").filter((segment) => segment !== ".");
  if (segments.some((segment) => segment === ".." || segment === "" || segment.includes("\\")))
    return undefined;
  return fileUrl(segments.map((segment) => encodeURIComponent(segment)).join("/"));
}

/** Renders Markdown that anyone may have written. */
export function renderMarkdown(text: string, fileUrl: FileUrl): Html {
  return Html.rendered(parser.render(showHidden(text.slice(0, renderedLength)), { fileUrl }));
}
