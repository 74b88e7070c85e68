/**
 * Markdown of publishers as safe HTML: no raw HTML, no script, no style, links that pass on no reputation, and images
 * of the same version only. Characters that reorder or hide text are shown as their code points.
 */
import MarkdownIt from "markdown-it";
import { addCodeHostRules, headingId, headingIds } from "../../../contract/document/markdown.ts";
import { showHidden } from "../../http/pages/show-hidden.ts";

/** Address of a file of the same version, for relative links and images: the encoded path is put between both. */
export interface FileUrl {
  before: string;
  after: string;
}

const parser = new MarkdownIt({ html: false, linkify: false, maxNesting: 20 });
addCodeHostRules(parser);
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
// A wide table scrolls sideways, so the keyboard must reach it.
rules["table_open"] = () => '<table tabindex="0">\n';
// Blocks of code scroll sideways, so the keyboard must reach them.
for (const name of ["fence", "code_block"])
  rules[name] = (tokens, at) =>
    `<pre tabindex="0"><code>${parser.utils.escapeHtml(tokens[at]!.content)}</code></pre>\n`;
rules["link_open"] = (tokens, at, options, env, self) => {
  const token = tokens[at]!;
  const href = String(token.attrGet("href") ?? "");
  const target = targetOf(href, fileUrlOf(env));
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

// Headings have ids, and links to themselves next to them, since the name of a heading would have the link's otherwise.
parser.core.ruler.push("heading_ids", ({ tokens }) => {
  const idOf = headingIds();
  let id = "";
  tokens.forEach((token, at) => {
    if (token.type === "heading_open") {
      id = idOf((tokens[at + 1]?.children ?? []).map(({ content }) => content).join(""));
      token.attrSet("id", id);
    }
    if (token.type === "heading_close") token.info = id;
  });
});
const { heading_open: openHeading, heading_close: closeHeading } = rules;
rules["heading_open"] = (...call) => `<div class="heading">${openHeading!(...call)}`;
rules["heading_close"] = (...call) => {
  const [tokens, at] = call;
  const address = parser.utils.escapeHtml(`#${tokens[at]!.info}`);
  const link = `<a class="anchor" href="${address}" aria-label="Link to this section">#</a>`;
  return `${closeHeading!(...call).trimEnd()}${link}</div>\n`;
};

/** Address that a link of the text leads to: another site, a heading of the text, or a file of the version. */
function targetOf(href: string, fileUrl: FileUrl): string | undefined {
  if (/^(https?:|mailto:)/i.test(href)) return href;
  if (!href.startsWith("#")) return fileTarget(href, fileUrl);
  try {
    return `#${headingId(decodeURIComponent(href.slice(1)))}`;
  } catch {
    return undefined;
  }
}

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
