/**
 * Markdown of publishers as safe HTML: no raw HTML, no script, no style, links that pass on no reputation, and images
 * of the same version only. Characters that reorder or hide text are shown as their code points.
 */
import MarkdownIt from "markdown-it";
import { showHidden } from "../../http/pages/show-hidden.ts";

/** Address of a file of the same version, for relative links and images: the encoded path is put between both. */
export interface FileUrl {
  before: string;
  after: string;
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
  return fileUrl.before + segments.map((segment) => encodeURIComponent(segment)).join("/") + fileUrl.after;
}

/** Renders Markdown that anyone may have written. The result is finished HTML. */
export function renderMarkdown(text: string, fileUrl: FileUrl): string {
  return parser.render(showHidden(text), { fileUrl });
}
